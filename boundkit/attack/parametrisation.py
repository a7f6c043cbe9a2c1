"""A plan's continuous numbers as one vector, so that a minimiser can walk among plans like it.

Numbers that are equal at the start stay equal, zeros stay zero: clients of one kind remain one kind. Numbers
above 0 are moved by logarithm, parts of a whole up to the whole, others by their size.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial

import numpy as np

from boundkit.algebra import Theorem
from boundkit.attack.bound_ratios import Array
from boundkit.attack.nested_numbers import Path, get, leaves, plan_of, put, sheet_of
from boundkit.attack.problem_families import works
from boundkit.verification.instance import Instance

Move = Callable[[float, float], float]
"""From the value at the start and a number, which is 0 there, to the value."""
_FAR = 60.0
_NAMES = frozenset({"kind", "instance", "clients"})


@dataclass(frozen=True)
class Handle:
    """One number of the vector: the places in the sheet that it moves, and how."""

    paths: tuple[Path, ...]
    move: Move


def by_factor(value: float, z: float) -> float:
    """A number that keeps its sign."""
    return float(value * np.exp(np.clip(z, -_FAR, _FAR)))


def part(value: float, z: float) -> float:
    """A part of a whole: at most 1."""
    return min(1.0, by_factor(value, z))


def count(value: float, z: float) -> int:
    """A whole number, at least 1."""
    return max(1, round(by_factor(value, z)))


def at_least(value: float, z: float, least: float) -> float:
    """A number above 0, and no less than that."""
    return max(least, by_factor(value, z))


def by_size(value: float, z: float, size: float) -> float:
    """A number of any sign, moved by parts of that size."""
    return float(value + size * z)


class Chart:
    """The plans like one plan: a vector of ``len(chart)`` numbers each, ``zeros`` for that plan itself."""

    def __init__(self, theorem: Theorem, plan: Instance) -> None:
        self.theorem, self.origin, self.sheet = theorem, plan, sheet_of(plan)
        self.handles = [*self._of_settings(), *self._of_problem()]

    def __len__(self) -> int:
        return len(self.handles)

    @property
    def zeros(self) -> Array:
        """The vector of the plan that the chart is about."""
        return np.zeros(len(self))

    def plan(self, vector: Array) -> Instance:
        """The plan at a vector. Raises BoundkitError where there is no such problem."""
        sheet = copy.deepcopy(self.sheet)
        for handle, z in zip(self.handles, vector, strict=True):
            for path in handle.paths:
                put(sheet, path, handle.move(get(self.sheet, path), float(z)))
        return plan_of(self.theorem, sheet, self.origin)

    def _of_settings(self) -> Iterator[Handle]:
        theorem, sheet = self.theorem, self.sheet
        known = {q.name for q in theorem.quantities}
        if sheet["eta"] is None:
            yield Handle((("step",),), part)
        elif not isinstance(sheet["eta"], dict):
            yield Handle((("eta",),), by_factor)
        if not theorem.rules and sheet["rounds"] > 1:
            yield Handle((("rounds",),), count)
        if "eta_s" in known and not theorem.assumes("server-step-one"):
            least = float(theorem.assumes("server-step-at-least-one"))
            yield Handle((("eta_s",),), partial(at_least, least=least))
        if "C" in known and sheet["participation"] is None:
            yield Handle((("present",),), count)
        if works(theorem):
            yield from self._tied(("local_steps",), lambda value: count)
        yield from self._tied(("noise",), lambda value: by_factor)
        size = float(np.abs(np.array(sheet["x0"]) - self.origin.problem.centre).max()) or 1.0
        for k in range(len(sheet["x0"])):
            yield Handle((("x0", k),), partial(by_size, size=size))
        for name in ("options", "participation"):
            yield from self._tied((name,), lambda value: part if value <= 1 else by_factor, whole=False)

    def _of_problem(self) -> Iterator[Handle]:
        problem = self.sheet["problem"]
        cancel = problem["kind"] == "smooth_nonconvex"
        for name, value in problem.items():
            path: Path = ("problem", name)
            if name in _NAMES or value is None:
                continue
            if name == "p":
                if not cancel and not self.theorem.assumes("equal-weights"):
                    yield from self._tied(path, lambda value: by_factor, fewest=2)
            elif name == "parts" or cancel:  # their sums must stay 0: by a factor a coordinate
                every = list(leaves(value, path))
                for last in sorted({leaf[-1] for leaf in every}):
                    yield Handle(tuple(leaf for leaf in every if leaf[-1] == last), by_factor)
            elif name in ("e", "coefficients"):
                size = max((abs(get(self.sheet, leaf)) for leaf in leaves(value, path)), default=0.0) or 1.0
                yield from self._tied(path, lambda value, size=size: partial(by_size, size=size))  # type: ignore[misc]
            else:
                yield from self._tied(path, lambda value: by_factor)

    def _tied(
        self, path: Path, how: Callable[[float], Move], fewest: int = 1, whole: bool = True
    ) -> Iterator[Handle]:
        """A handle for each value but 0 below a path, with all places that have it; ``whole`` numbers too."""
        groups: dict[float, list[Path]] = {}
        for leaf in leaves(get(self.sheet, path), path):
            value = get(self.sheet, leaf)
            if value and (whole or isinstance(value, float)):
                groups.setdefault(float(f"{value:.12g}"), []).append(leaf)
        if len(groups) >= fewest:
            yield from (Handle(tuple(found), how(value)) for value, found in groups.items())
