"""Measurements on which mutants are tested: values of all quantities, and sweeps of order-level bounds."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from sympy import Expr

from boundkit.algebra import BoundkitError, Theorem
from boundkit.analysis.evaluate import evaluate, satisfied
from boundkit.attack.measurement import Array, Measurement
from boundkit.attack.mutation.mutant import Mutant
from boundkit.verification.applicability import reasons_unsupported
from boundkit.verification.checks import Outcome
from boundkit.verification.checks.bound_comparison import ROUNDING
from boundkit.verification.checks.order_level import OrderSweepPoint, points_at_all_steps, sweeps_of
from boundkit.verification.checks.slopes import UNBOUNDED, check_exponent, fit
from boundkit.verification.engine_options import DEFAULT_OPTIONS, EngineOptions


@dataclass(frozen=True)
class Measurements:
    """All measurements for one theorem, concatenated."""

    theorem: Theorem
    pieces: tuple[Measurement, ...]
    cache: dict[Expr, Array] = field(default_factory=dict, compare=False, repr=False)

    @cached_property
    def sizes(self) -> list[int]:
        """Number of horizons of each measurement."""
        return [len(piece.low) for piece in self.pieces]

    @cached_property
    def piece(self) -> NDArray[np.int64]:
        """Index of the measurement to which each value belongs, (N,)."""
        return np.repeat(np.arange(len(self.pieces)), self.sizes)

    @cached_property
    def values(self) -> dict[str, Array]:
        """Every quantity of the theorem, (N,)."""
        names = [q.name for q in self.theorem.quantities]
        return {name: self._joined(piece.values[name] for piece in self.pieces) for name in names}

    @cached_property
    def low(self) -> Array:
        """Low ends of the measurements, less their rounding error, (N,)."""
        return self._joined(np.where(h.low <= h.zero, 0.0, h.low - h.zero) for h in self.pieces)

    @cached_property
    def high(self) -> Array:
        """High ends of the measurements, plus their rounding error, (N,)."""
        return self._joined(h.high + h.zero for h in self.pieces)

    @cached_property
    def total(self) -> Array:
        """The original bound, (N,)."""
        with np.errstate(invalid="ignore"):  # beyond the conditions a term may be infinite
            return np.asarray(np.sum([self.at(t.expr) for t in self.theorem.terms], axis=0))

    @cached_property
    def conditions(self) -> list[NDArray[np.bool_]]:
        """Where each condition holds; those on step sizes first."""
        every = (*self.theorem.step_size, *self.theorem.requires)
        return [np.broadcast_to(satisfied(c, self.values), self.low.shape) for c in every]

    @cached_property
    def inside(self) -> NDArray[np.bool_]:
        """Where all conditions hold."""
        return np.asarray(np.all([np.ones(self.low.shape, dtype=bool), *self.conditions], axis=0))

    @cached_property
    def original_ratios(self) -> Array:
        """The ratios of the original, (N,)."""
        return self.ratios()

    def at(self, expr: Expr) -> Array:
        """Evaluate an expression at every measurement, (N,)."""
        if expr not in self.cache:
            self.cache[expr] = np.broadcast_to(evaluate(expr, self.values), self.low.shape)
        return self.cache[expr]

    def bound(self, mutant: Mutant) -> Array:
        """Evaluate the mutant's bound, (N,)."""
        if mutant.expr is None:
            return self.total
        others = [self.at(t.expr) for t in self.theorem.terms if t.label != mutant.label]
        changed = np.broadcast_to(evaluate(mutant.expr, self.values), self.low.shape)
        with np.errstate(invalid="ignore"):
            return np.asarray(np.sum([*others, changed], axis=0))

    def ratios(self, mutant: Mutant | None = None) -> Array:
        """Compute measured/bound (bound/measured of a lower bound); nan outside the conditions, (N,)."""
        bound, inside = self.total if mutant is None else self.bound(mutant), self.inside
        if mutant is not None and mutant.condition is not None:
            conditions = list(self.conditions)
            conditions[mutant.place] = np.broadcast_to(
                satisfied(mutant.condition, self.values), self.low.shape
            )
            inside = np.all(conditions, axis=0)
        with np.errstate(all="ignore"):
            if self.theorem.kind == "lower":
                result = bound / self.high
            else:
                above = np.where(bound > 0, self.low / bound, np.inf)
                result = np.where(self.low <= 0, 0.0, above)
        return np.where(inside & ~np.isnan(bound), result, np.nan)

    def shares(self, label: str) -> Array:
        """Compute the necessary share of one term; nan without one, (N,)."""
        term = self.at(self.theorem.bound.terms[label].expr)
        with np.errstate(all="ignore"):
            result = (self.low - (self.total - term)) / term
        return np.where(self.inside & (term > 0) & np.isfinite(result), result, np.nan)

    def killer(self, mutant: Mutant) -> tuple[float, Measurement, int] | None:
        """Return the largest ratio above 1 with its measurement and horizon, where the original holds."""
        ratios = np.where(self.original_ratios > 1 + ROUNDING, np.nan, self.ratios(mutant))
        place = _largest(ratios)
        if place is None or not ratios[place] > 1 + ROUNDING:
            return None
        piece, horizon = self._of(place)
        return float(ratios[place]), piece, horizon

    def nearest(self, mutant: Mutant) -> tuple[float, Measurement, int] | None:
        """Return the mutant's ratio where it is nearest to being refuted, with measurement and horizon.

        That is where most of its term is needed; of a condition, beyond the original condition, and of a
        lower bound, where its ratio is largest. None where there is no such measurement.
        """
        ratios = self.ratios(mutant)
        if mutant.condition is not None:
            scores = np.where(self.inside, np.nan, ratios)
        elif self.theorem.kind == "lower":
            scores = ratios
        else:
            others = self.total - self.at(self.theorem.bound.terms[mutant.label].expr)
            with np.errstate(all="ignore"):
                scores = (self.low - others) / (self.bound(mutant) - others)
        usable = np.isfinite(scores) & np.isfinite(ratios)
        place = _largest(np.where(usable, scores, np.nan))
        return None if place is None else (float(ratios[place]), *self._of(place))

    def worst(self) -> float:
        """Return the largest ratio of the original; -inf without one."""
        place = _largest(self.original_ratios)
        return -np.inf if place is None else float(self.original_ratios[place])

    def above(self) -> tuple[float, Measurement, int] | None:
        """Return the largest ratio of the original with its measurement and horizon, where it is above 1."""
        place = _largest(self.original_ratios)
        if place is None or not self.original_ratios[place] > 1 + ROUNDING:
            return None
        return (float(self.original_ratios[place]), *self._of(place))

    def _of(self, place: int) -> tuple[Measurement, int]:
        ends = np.cumsum(self.sizes)
        which = int(np.searchsorted(ends, place, side="right"))
        return self.pieces[which], place - int(ends[which] - self.sizes[which])

    def _joined(self, parts: Iterable[Array]) -> Array:
        result = [np.broadcast_to(p, (n,)) for p, n in zip(parts, self.sizes, strict=True)]
        return np.concatenate(result) if result else np.zeros(0)


def _largest(scores: Array) -> int | None:
    return None if not scores.size or np.isnan(scores).all() else int(np.nanargmax(scores))


@dataclass(frozen=True)
class OrderSweep:
    """One quantity at several values, with the measurements at each, on a grid of step sizes."""

    quantity: str
    at: Array
    points: Sequence[Sequence[OrderSweepPoint]]

    def compare(self, theorem: Theorem) -> tuple[Outcome, float, float]:
        """Test whether the measurement grows faster than a bound; return the outcome and both slopes."""
        measured, bound = np.array([_best(theorem, each) for each in self.points]).T
        if not (bound > 0).all() or not np.isfinite(bound).all():
            return ("violated" if not (bound > 0).any() else "not tested"), np.nan, np.nan
        x = np.log(self.at)
        off, margin = fit(x, np.log(measured / bound))
        return (
            check_exponent(off, margin, UNBOUNDED[self.quantity])[0],
            fit(x, np.log(measured))[0],
            fit(x, np.log(bound))[0],
        )


def order_sweeps(theorem: Theorem, engine_options: EngineOptions | None = None) -> list[OrderSweep]:
    """Return the sweeps of the theorem's own scaling whose values all have a measurement."""
    if theorem.kind != "order" or reasons_unsupported(theorem):
        return []
    try:
        sweeps = sweeps_of(theorem)
    except BoundkitError:
        return []
    names = {q.name for q in theorem.quantities} | {"target"}
    result = []
    for quantity, values in sweeps.values.items():
        if quantity not in names:
            continue
        try:
            every = [
                points_at_all_steps(
                    theorem, sweeps.vary(sweeps.instance, quantity, v), engine_options or DEFAULT_OPTIONS
                )
                for v in values
            ]
        except BoundkitError:
            continue
        successful = [[p for p in points if not p.failure] for points in every]
        if all(successful):
            result.append(OrderSweep(quantity, np.array(values, dtype=np.float64), successful))
    return result


def slope_contradiction(mutant: Mutant, sweeps: Sequence[OrderSweep]) -> str:
    """Return how the measurement outgrows the mutant, though not the theorem; empty where it does not."""
    for one in sweeps:
        if one.compare(mutant.original)[0] == "violated":
            continue
        outcome, measured, predicted = one.compare(mutant.theorem)
        if outcome == "violated":
            return f"in {one.quantity} the measured slope is {measured:.3f}, and the bound's {predicted:.3f}"
    return ""


def _best(theorem: Theorem, points: Sequence[OrderSweepPoint]) -> tuple[float, float]:
    """Return measurement and bound at the step size with the smallest ratio."""
    bounds = [float(evaluate(theorem.bound.total, p.arguments)) for p in points]
    ratios = [p.measured / b if b > 0 else np.inf for p, b in zip(points, bounds, strict=True)]
    place = int(np.argmin(ratios))
    return points[place].measured, bounds[place]
