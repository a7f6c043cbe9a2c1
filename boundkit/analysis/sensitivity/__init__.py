"""``bk.sensitivity``: the direction in which each quantity moves a bound, with its regions.

Exact arguments come first: all terms are monotone in the same direction for every admissible value. Then a
formula for the sign change of the derivative, verified numerically. A decision by numbers alone is marked.
"""

from boundkit.analysis.sensitivity.effect import Effect, Region
from boundkit.analysis.sensitivity.query import sensitivity
from boundkit.analysis.sensitivity.result import Sensitivity

__all__ = ["Effect", "Region", "Sensitivity", "sensitivity"]
