"""Claims and assumptions of theorems."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from boundkit.algebra.dimension import Dimension
from boundkit.algebra.errors import BoundkitError
from boundkit.report import Cell, Report, Sentences, Tex, sentence

Array = NDArray[np.float64]
Summary = Literal["average", "last", "weighted", "limit", "first"]


@dataclass(frozen=True)
class Assumption:
    """A named assumption: a keyword, one sentence, and the formula where there is one."""

    name: str
    meaning: str
    latex: str = ""

    def _repr_html_(self) -> str:
        formula: list[Cell] = [": ", Tex(self.latex, "")] if self.latex else []
        return Report((Sentences([sentence(f"{self.name}: {self.meaning}", *formula)]),)).to_html()


_RUNNING: dict[str, Callable[[Array, Array], Array]] = {
    "average": lambda s, w: np.cumsum(s[..., :-1], axis=-1) / np.arange(1, s.shape[-1]),
    "last": lambda s, w: s[..., 1:],
    "weighted": lambda s, w: np.cumsum(w * s[..., :-1], axis=-1) / np.cumsum(w, axis=-1),
    "limit": lambda s, w: s[..., 1:],
}


@dataclass(frozen=True)
class Claim:
    """An observable of the server's iterates x_0, ..., x_T, and how the rounds are summed up.

    ``average`` is (1/T) sum over t = 0, ..., T-1 (the last iterate is not in it); ``weighted`` is the same
    with a weight s_t a round; ``last`` is t = T; ``limit`` is ``last`` of a run at its limit;
    ``first`` is the first t at which the observable is at most a target, inf where it never is.
    """

    name: str
    latex: str
    plain: str
    observable: str
    summary: Summary
    dimension: Dimension

    def _repr_latex_(self) -> str:
        return f"$\\displaystyle {self.latex}$"

    def measure(self, series: Any, weights: Any = None, target: float | None = None) -> Array:
        """The claimed quantity for series of shape (..., T + 1); shape (...).

        ``weights`` s_0, ..., s_{T-1} are needed by a weighted mean, ``target`` by a first time. Raises
        BoundkitError where they are missing, or a series does not hold at least x_0 and x_1.

        >>> from boundkit.algebra.vocabulary import MEAN_SQUARED_GRADIENT
        >>> float(MEAN_SQUARED_GRADIENT.measure([4.0, 2.0, 100.0]))
        3.0
        """
        if self.summary != "first":
            return np.asarray(self.running(series, weights)[..., -1])
        if target is None:
            raise BoundkitError(f"the {self.name} needs a target.")
        reached = self._rounds(series) <= target
        return np.where(reached.any(axis=-1), reached.argmax(axis=-1), np.inf)

    def running(self, series: Any, weights: Any = None) -> Array:
        """The claimed quantity at every horizon 1, ..., T; shape (..., T)."""
        if self.summary not in _RUNNING:
            raise BoundkitError(f"the {self.name} is one number for a whole run.")
        values = self._rounds(series)
        if self.summary == "weighted" and weights is None:
            raise BoundkitError(f"the {self.name} needs the weight of each round.")
        given = np.ones(values.shape[-1] - 1) if weights is None else np.asarray(weights, dtype=np.float64)
        if given.shape[-1] != values.shape[-1] - 1:
            raise BoundkitError(
                f"the {self.name} needs {values.shape[-1] - 1} weights, but {given.shape[-1]} were given."
            )
        return _RUNNING[self.summary](values, given)

    def _rounds(self, series: Any) -> Array:
        values = np.asarray(series, dtype=np.float64)
        if values.ndim == 0 or values.shape[-1] < 2:
            raise BoundkitError(
                f"the {self.name} needs values at x_0, ..., x_T with T >= 1, "
                f"but a series of shape {values.shape} was given."
            )
        return values
