"""The continuous numbers of a plan as one vector, for local search.

Equal numbers stay equal and zeros stay zero, so that the classes of equal clients are preserved. Positive
numbers are varied on a logarithmic scale, fractions up to 1, others relative to their size.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial

import numpy as np

from boundkit.algebra import Theorem
from boundkit.attack.evidence import Array
from boundkit.attack.plan_values import (
    Path,
    get_value,
    number_paths,
    plan_from_values,
    set_value,
    values_of_plan,
)
from boundkit.attack.random_instances import allows_local_steps
from boundkit.verification.instance import Instance

Map = Callable[[float, float], float]
"""Map from the initial value and a coordinate, which is 0 there, to the value."""
_LARGEST = 60.0
_NAMES = frozenset({"kind", "instance", "clients"})


@dataclass(frozen=True)
class Coordinate:
    """One coordinate of the vector: the paths of the values that it varies, and how."""

    paths: tuple[Path, ...]
    map: Map


def scale(value: float, z: float) -> float:
    """Scale a number, which keeps its sign."""
    return float(value * np.exp(np.clip(z, -_LARGEST, _LARGEST)))


def scale_fraction(value: float, z: float) -> float:
    """Scale a fraction, up to 1."""
    return min(1.0, scale(value, z))


def scale_count(value: float, z: float) -> int:
    """Scale a whole number, which remains at least 1."""
    return max(1, round(scale(value, z)))


def scale_above(value: float, z: float, least: float) -> float:
    """Scale a positive number, which remains at least ``least``."""
    return max(least, scale(value, z))


def shift(value: float, z: float, size: float) -> float:
    """Shift a number of any sign by multiples of ``size``."""
    return float(value + size * z)


class Parametrisation:
    """Plans near one plan: each is a vector of ``len(self)`` numbers, and ``zeros`` is the plan itself."""

    def __init__(self, theorem: Theorem, plan: Instance) -> None:
        self.theorem, self.origin, self.values = theorem, plan, values_of_plan(plan)
        self.coordinates = [*self._of_settings(), *self._of_problem()]

    def __len__(self) -> int:
        return len(self.coordinates)

    @property
    def zeros(self) -> Array:
        """The vector of the initial plan."""
        return np.zeros(len(self))

    def plan(self, vector: Array) -> Instance:
        """Return the plan of a vector. Raises BoundkitError where there is no such problem."""
        values = copy.deepcopy(self.values)
        for coordinate, z in zip(self.coordinates, vector, strict=True):
            for path in coordinate.paths:
                set_value(values, path, coordinate.map(get_value(self.values, path), float(z)))
        return plan_from_values(self.theorem, values, self.origin)

    def _of_settings(self) -> Iterator[Coordinate]:
        theorem, values = self.theorem, self.values
        names = {q.name for q in theorem.quantities}
        if values["eta"] is None:
            yield Coordinate((("step",),), scale_fraction)
        elif not isinstance(values["eta"], dict):
            yield Coordinate((("eta",),), scale)
        if not theorem.rules and values["rounds"] > 1:
            yield Coordinate((("rounds",),), scale_count)
        if "eta_s" in names and not theorem.assumes("server-step-one"):
            least = float(theorem.assumes("server-step-at-least-one"))
            yield Coordinate((("eta_s",),), partial(scale_above, least=least))
        if "C" in names and values["participation"] is None:
            yield Coordinate((("present",),), scale_count)
        if allows_local_steps(theorem):
            yield from self._tied(("local_steps",), lambda value: scale_count)
        yield from self._tied(("noise",), lambda value: scale)
        size = float(np.abs(np.array(values["x0"]) - self.origin.problem.centre).max()) or 1.0
        for k in range(len(values["x0"])):
            yield Coordinate((("x0", k),), partial(shift, size=size))
        for name in ("options", "participation"):
            yield from self._tied((name,), lambda value: scale_fraction if value <= 1 else scale, whole=False)

    def _of_problem(self) -> Iterator[Coordinate]:
        problem = self.values["problem"]
        cancel = problem["kind"] == "smooth_nonconvex"
        for name, value in problem.items():
            path: Path = ("problem", name)
            if name in _NAMES or value is None:
                continue
            if name == "p":
                if not cancel and not self.theorem.assumes("equal-weights"):
                    yield from self._tied(path, lambda value: scale, fewest=2)
            elif name == "parts" or cancel:  # their sums must stay 0: by a factor a coordinate
                every = list(number_paths(value, path))
                for last in sorted({leaf[-1] for leaf in every}):
                    yield Coordinate(tuple(leaf for leaf in every if leaf[-1] == last), scale)
            elif name in ("e", "coefficients"):
                size = (
                    max(
                        (abs(get_value(self.values, leaf)) for leaf in number_paths(value, path)), default=0.0
                    )
                    or 1.0
                )
                yield from self._tied(path, lambda value, size=size: partial(shift, size=size))  # type: ignore[misc]
            else:
                yield from self._tied(path, lambda value: scale)

    def _tied(
        self, path: Path, how: Callable[[float], Map], fewest: int = 1, whole: bool = True
    ) -> Iterator[Coordinate]:
        """Yield a coordinate for each non-zero value below a path; ``whole``: for integers too."""
        groups: dict[float, list[Path]] = {}
        for leaf in number_paths(get_value(self.values, path), path):
            value = get_value(self.values, leaf)
            if value and (whole or isinstance(value, float)):
                groups.setdefault(float(f"{value:.12g}"), []).append(leaf)
        if len(groups) >= fewest:
            yield from (Coordinate(tuple(result), how(value)) for value, result in groups.items())
