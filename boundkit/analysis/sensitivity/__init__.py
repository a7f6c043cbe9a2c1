"""``bk.sensitivity``: in which direction each quantity moves a bound, and where it depends, on what.

Exact arguments come first: terms that all move one way, for every admissible value. Then the place
where the derivative changes its sign, as a formula that is held against numbers. Numbers alone decide
only where neither reaches, and the answer says so.
"""

from boundkit.analysis.sensitivity.effect import Effect, Region
from boundkit.analysis.sensitivity.query import sensitivity
from boundkit.analysis.sensitivity.result import Sensitivity

__all__ = ["Effect", "Region", "Sensitivity", "sensitivity"]
