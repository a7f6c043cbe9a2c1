"""Constants of a problem measured along a trajectory, each with an interval and the place of its measurement.

One module for each kind of constant, with ``ESTIMATES``: functions of the ``LocalEvaluations``, by name.
"""

from boundkit.verification.estimate.estimation import ESTIMATES, estimate
from boundkit.verification.estimate.local_evaluations import LocalEvaluations
from boundkit.verification.estimate.measurement import MeasuredConstant

__all__ = ["ESTIMATES", "LocalEvaluations", "MeasuredConstant", "estimate"]
