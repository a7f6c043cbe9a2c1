"""What mutants are held against: measured values with all that a bound asks, thousands of them as arrays.

A mutant differs in one term, or in one condition. So every term of the original is evaluated once, and a
mutant costs one formula.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sympy import Expr

from boundkit.algebra import Theorem
from boundkit.analysis.evaluate import evaluate, satisfied
from boundkit.attack.evidence import Evidence
from boundkit.attack.mutation.mutant import Mutant
from boundkit.verification.checks.upper_bound import ROUNDING

Array = NDArray[np.float64]
SURE = 2.0
"""Where runs were sampled, the 99 % interval counts so many times over: many mutants are asked."""


@dataclass(frozen=True)
class Held:
    """Measured values at H horizons with what a bound asks there, (H,) each, and where they come from.

    ``zero``: what rounding leaves of a quantity that is 0. ``source``: the run as RUN.json, or the instance
    in words where no run has an end.
    """

    values: Mapping[str, Array]
    low: Array
    high: Array
    zero: float
    source: Mapping[str, Any]
    stage: str = "verification"


def of_evidence(piece: Evidence, stage: str = "verification") -> Held:
    """Evidence as it is held against mutants; a sampled value counts by an interval twice as wide."""
    low, high = piece.low, piece.high
    if piece.random:
        low = piece.measured - SURE * (piece.measured - low)
        high = piece.measured + SURE * (high - piece.measured)
    source = {"run": piece.run, "engine": piece.engine, "trust": piece.trust}
    return Held(piece.values, low, high, piece.zero, source, stage)


@dataclass(frozen=True)
class Ground:
    """All that was measured for one theorem, joined."""

    theorem: Theorem
    held: tuple[Held, ...]
    cache: dict[Expr, Array] = field(default_factory=dict, compare=False, repr=False)

    @cached_property
    def sizes(self) -> list[int]:
        """How many horizons each piece has."""
        return [len(piece.low) for piece in self.held]

    @cached_property
    def piece(self) -> NDArray[np.int64]:
        """Which piece each value is of, (N,): the horizons of one run tell nothing of another."""
        return np.repeat(np.arange(len(self.held)), self.sizes)

    @cached_property
    def values(self) -> dict[str, Array]:
        """Every quantity of the theorem, (N,)."""
        names = [q.name for q in self.theorem.quantities]
        return {name: self._joined(piece.values[name] for piece in self.held) for name in names}

    @cached_property
    def low(self) -> Array:
        """Low ends of what was measured, less what rounding leaves, (N,)."""
        return self._joined(np.where(h.low <= h.zero, 0.0, h.low - h.zero) for h in self.held)

    @cached_property
    def high(self) -> Array:
        """High ends, and what rounding leaves, (N,)."""
        return self._joined(h.high + h.zero for h in self.held)

    @cached_property
    def total(self) -> Array:
        """The original bound, (N,)."""
        return np.asarray(np.sum([self.at(t.expr) for t in self.theorem.terms], axis=0))

    @cached_property
    def met(self) -> list[NDArray[np.bool_]]:
        """Where each condition holds: those on the steps first."""
        every = (*self.theorem.step_size, *self.theorem.requires)
        return [np.broadcast_to(satisfied(c, self.values), self.low.shape) for c in every]

    @cached_property
    def inside(self) -> NDArray[np.bool_]:
        """Where all hold."""
        return np.asarray(np.all([np.ones(self.low.shape, dtype=bool), *self.met], axis=0))

    @cached_property
    def own(self) -> Array:
        """The ratios of the original, (N,)."""
        return self.ratios()

    def at(self, expr: Expr) -> Array:
        """An expression at every value, (N,)."""
        if expr not in self.cache:
            self.cache[expr] = np.broadcast_to(evaluate(expr, self.values), self.low.shape)
        return self.cache[expr]

    def bound(self, mutant: Mutant) -> Array:
        """The mutant's bound, (N,)."""
        if mutant.expr is None:
            return self.total
        others = [self.at(t.expr) for t in self.theorem.terms if t.label != mutant.label]
        changed = np.broadcast_to(evaluate(mutant.expr, self.values), self.low.shape)
        return np.asarray(np.sum([*others, changed], axis=0))

    def ratios(self, mutant: Mutant | None = None) -> Array:
        """measured/bound (bound/measured of a lower bound) in the benefit of the doubt; nan outside, (N,)."""
        bound, inside = self.total if mutant is None else self.bound(mutant), self.inside
        if mutant is not None and mutant.condition is not None:
            met = list(self.met)
            met[mutant.place] = np.broadcast_to(satisfied(mutant.condition, self.values), self.low.shape)
            inside = np.all(met, axis=0)
        with np.errstate(all="ignore"):
            if self.theorem.kind == "lower":
                found = bound / self.high
            else:
                above = np.where(bound > 0, self.low / bound, np.inf)
                found = np.where(self.low <= 0, 0.0, above)
        return np.where(inside & ~np.isnan(bound), found, np.nan)

    def shares(self, label: str) -> Array:
        """How much of one term was needed: (measured - other terms)/term; nan where there is none, (N,)."""
        term = self.at(self.theorem.bound.terms[label].expr)
        with np.errstate(all="ignore"):
            found = (self.low - (self.total - term)) / term
        return np.where(self.inside & (term > 0) & np.isfinite(found), found, np.nan)

    def killer(self, mutant: Mutant) -> tuple[float, Held, int] | None:
        """The largest ratio above 1, its piece and horizon; where the original falls short nothing counts."""
        ratios = np.where(self.own > 1 + ROUNDING, np.nan, self.ratios(mutant))
        place = _largest(ratios)
        if place is None or not ratios[place] > 1 + ROUNDING:
            return None
        piece, horizon = self._of(place)
        return float(ratios[place]), piece, horizon

    def worst(self) -> float:
        """The largest ratio of the original; -inf where nothing speaks."""
        place = _largest(self.own)
        return -np.inf if place is None else float(self.own[place])

    def above(self) -> tuple[float, Held, int] | None:
        """The largest ratio of the original where it is above 1, its piece and horizon."""
        place = _largest(self.own)
        if place is None or not self.own[place] > 1 + ROUNDING:
            return None
        return (float(self.own[place]), *self._of(place))

    def _of(self, place: int) -> tuple[Held, int]:
        ends = np.cumsum(self.sizes)
        which = int(np.searchsorted(ends, place, side="right"))
        return self.held[which], place - int(ends[which] - self.sizes[which])

    def _joined(self, parts: Iterable[Array]) -> Array:
        found = [np.broadcast_to(p, (n,)) for p, n in zip(parts, self.sizes, strict=True)]
        return np.concatenate(found) if found else np.zeros(0)


def _largest(scores: Array) -> int | None:
    return None if not scores.size or np.isnan(scores).all() else int(np.nanargmax(scores))
