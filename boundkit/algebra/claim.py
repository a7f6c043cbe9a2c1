"""What a theorem bounds, in LaTeX and as a recipe that measures it on a trajectory.

A proof bounds one particular average. Testing another (the last iterate for the average, the minimum
for the mean) would test another theorem, so the claim carries the recipe and every check uses it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from boundkit.algebra.dimension import Dimension
from boundkit.algebra.errors import BoundkitError

Array = NDArray[np.float64]
Summary = Literal["average", "last"]

_SUMMARIES: dict[str, Callable[[Array], Array]] = {
    "average": lambda s: s[..., :-1].mean(axis=-1),
    "last": lambda s: s[..., -1],
}
_RUNNING: dict[str, Callable[[Array], Array]] = {
    "average": lambda s: np.cumsum(s[..., :-1], axis=-1) / np.arange(1, s.shape[-1]),
    "last": lambda s: s[..., 1:],
}


@dataclass(frozen=True)
class Claim:
    """An observable of the server's iterates x_0, ..., x_T, and how the rounds are summed up.

    ``average`` is (1/T) sum over t = 0, ..., T-1 (the last iterate is not in it); ``last`` is t = T.
    """

    name: str
    latex: str
    plain: str
    observable: str
    summary: Summary
    dimension: Dimension

    def measure(self, series: Any) -> Array:
        """The claimed quantity for series of shape (..., T + 1); shape (...).

        Raises BoundkitError where a series does not hold at least x_0 and x_1.

        >>> from boundkit.algebra.vocabulary import MEAN_SQUARED_GRADIENT
        >>> float(MEAN_SQUARED_GRADIENT.measure([4.0, 2.0, 100.0]))
        3.0
        """
        return _SUMMARIES[self.summary](self._rounds(series))

    def running(self, series: Any) -> Array:
        """The claimed quantity at every horizon 1, ..., T; shape (..., T)."""
        return _RUNNING[self.summary](self._rounds(series))

    def _rounds(self, series: Any) -> Array:
        values = np.asarray(series, dtype=np.float64)
        if values.ndim == 0 or values.shape[-1] < 2:
            raise BoundkitError(
                f"the {self.name} needs values at x_0, ..., x_T with T >= 1, "
                f"but a series of shape {values.shape} was given."
            )
        return values
