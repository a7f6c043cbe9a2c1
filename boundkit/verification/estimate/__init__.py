"""Constants of a problem measured along a trajectory, each with an interval and the place of its measurement.

One kind of constant a file, with ``ESTIMATES``: for a name, a function from the ``Scene`` to a ``Measured``.
"""

from boundkit.verification.estimate.context import Scene
from boundkit.verification.estimate.estimation import ESTIMATES, estimate
from boundkit.verification.estimate.measurement import Measured

__all__ = ["ESTIMATES", "Measured", "Scene", "estimate"]
