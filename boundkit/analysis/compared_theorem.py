"""One theorem among several: its terms over the whole grid, with its own best step where that is asked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import product
from math import prod

import numpy as np
from numpy.typing import ArrayLike, NDArray

from boundkit.algebra import BoundkitError, Theorem
from boundkit.analysis.evaluate import evaluate
from boundkit.analysis.parameters import Parameters
from boundkit.analysis.shared_parameters import Part
from boundkit.analysis.step_size import holds, largest, limit_at
from boundkit.analysis.tune import best_step

Array = NDArray[np.float64]

MOST_TUNED = 4000
"""Points of a grid on which a step is tuned; each is a search of its own."""


@dataclass(frozen=True, eq=False)
class Contender:
    """Terms by label, and where the steps are inside the conditions, over the whole grid.

    ``steps`` is its best eta, None where eta is given or there is none. ``limit`` is the largest eta.
    """

    part: Part
    arrays: dict[str, Array]
    holds: NDArray[np.bool_]
    limit: Array
    steps: Array | None

    @property
    def name(self) -> str:
        """The theorem's name."""
        return self.part.theorem.name

    @property
    def theorem(self) -> Theorem:
        """The theorem, with its clients and rules put in."""
        return self.part.theorem

    @property
    def total(self) -> Array:
        """The bound over the grid."""
        return np.asarray(sum(self.arrays.values()))

    def over(self, grid: Mapping[str, ArrayLike], shape: tuple[int, ...]) -> tuple[Array, NDArray[np.bool_]]:
        """The bound, and where the steps are allowed, at other values; of a step that is given."""
        parts = (evaluate(term.expr, grid) for term in self.theorem.terms)
        total = np.asarray(sum(parts), dtype=np.float64)
        return np.broadcast_to(total, shape), np.broadcast_to(holds(self.theorem, grid), shape)

    def by_cause(self) -> dict[str, Array]:
        """The bound split by cause; terms of one cause are added."""
        found: dict[str, Array] = {}
        for term in self.theorem.terms:
            found[term.cause] = found.get(term.cause, np.zeros(self.holds.shape)) + self.arrays[term.label]
        return found


def contender(part: Part, axes: Mapping[str, Array]) -> Contender:
    """The theorem over the grid of all axes, those that it does not know included.

    Raises BoundkitError where a term is too large for a number, or no step is best.
    """
    shape = tuple(values.size for values in axes.values())
    grid: dict[str, ArrayLike] = {
        name: _along(np.asarray(value, dtype=np.float64), name, list(axes))
        for name, value in part.asked.values.items()
    }
    steps = None
    if part.tunes:
        steps = np.broadcast_to(_tuned(part, list(axes)), shape)
        grid["eta"] = steps
    theorem = part.theorem
    arrays = {t.label: np.broadcast_to(evaluate(t.expr, grid), shape) for t in theorem.terms}
    for label, values in arrays.items():
        if not np.all(np.abs(values) < 1e300):
            raise BoundkitError(
                f"the term {label!r} of {theorem.name} is too large for a number somewhere here."
            )
    inside = np.broadcast_to(holds(theorem, grid), shape)
    limit = np.broadcast_to(limit_at(largest(theorem), grid), shape)
    return Contender(part, arrays, inside, limit, steps)


def total_at(part: Part, axis: str, value: float) -> float:
    """The bound at one value of the only axis."""
    values = {n: float(np.ravel(v)[0]) for n, v in part.asked.values.items() if n not in part.asked.axes}
    if axis in part.asked.axes:
        values[axis] = value
    if part.tunes:
        values["eta"] = best_step(part.theorem, "eta", Parameters(dict(values), (), part.asked.assumed)).at
    return float(sum(float(evaluate(t.expr, values)) for t in part.theorem.terms))


def _along(value: Array, name: str, axes: list[str]) -> Array:
    return value.reshape([-1 if axis == name else 1 for axis in axes]) if name in axes else value


def _tuned(part: Part, axes: list[str]) -> Array:
    """The best eta at every point of the theorem's own axes, shaped for the grid of all."""
    own = [name for name in axes if name in part.asked.axes]
    values = {name: np.asarray(part.asked.values[name]) for name in own}
    sizes = [values[name].size for name in own]
    if prod(sizes) > MOST_TUNED:
        raise BoundkitError(
            f"eta was to be tuned at {prod(sizes)} points, but {MOST_TUNED} is the most; take fewer values."
        )
    fixed = {n: float(np.ravel(v)[0]) for n, v in part.asked.values.items() if n not in own}
    best = [
        best_step(
            part.theorem, "eta", Parameters({**fixed, **dict(zip(own, map(float, point), strict=True))})
        ).at
        for point in product(*values.values())
    ]
    return np.reshape(best, [values[name].size if name in own else 1 for name in axes])
