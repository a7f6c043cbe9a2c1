"""Constants of a problem measured along a trajectory, each with an interval and the place of its measurement.

One kind of constant a file, with ``ESTIMATES``: for a name, a function from the ``Scene`` to a ``Measured``.
"""

from boundkit.verify.estimate.front import ESTIMATES, estimate
from boundkit.verify.estimate.measured import Measured
from boundkit.verify.estimate.scene import Scene

__all__ = ["ESTIMATES", "Measured", "Scene", "estimate"]
