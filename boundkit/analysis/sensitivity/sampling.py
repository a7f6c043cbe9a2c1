"""Random points at which a theorem applies, log-uniform over decades around the typical values."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from sympy import Expr, Symbol
from sympy.core.relational import Relational

from boundkit.algebra import Quantity
from boundkit.algebra.notation import C, m
from boundkit.analysis.evaluate import evaluate, satisfied
from boundkit.report.formatting import format_number

Array = NDArray[np.float64]

DECADES = 2.0
"""Decades of the samples on both sides of the typical value."""

ROUNDS_OF_DRAWING = 20


@dataclass(frozen=True, eq=False)
class Sample:
    """Values by keyword, one array each, of ``size`` points; ``ranges`` as text."""

    values: Mapping[str, Array]
    ranges: str

    @property
    def size(self) -> int:
        """Number of points."""
        return int(next(iter(self.values.values())).size) if self.values else 0


def sample(
    quantities: Iterable[Quantity],
    conditions: Iterable[Relational] = (),
    step: Symbol | None = None,
    limits: Iterable[Expr] = (),
    size: int = 400,
    seed: int = 0,
) -> Sample:
    """Points in the domains, log-uniform where these are unbounded, that satisfy the conditions.

    Counts are whole, C m too. A ``step`` is drawn up to four decades below the least of its limits. The
    sample may hold fewer than ``size`` points, or none, where the conditions are narrow.
    """
    quantities = tuple(q for q in quantities if q != step)
    rng = np.random.default_rng(seed)
    kept: dict[str, list[Array]] = {}
    count = 0
    for turn in range(ROUNDS_OF_DRAWING):
        # Conditions that no point has satisfied so far need a wider range.
        decades = DECADES if count or turn < 5 else 2 * DECADES if turn < 10 else 4 * DECADES
        drawn = {q.name: _drawn(q, rng, size, decades) for q in quantities}
        if {"C", "m"} <= set(drawn) and C in quantities and m in quantities:
            clients = np.ceil(rng.uniform(0, 1, size) * drawn["m"])
            drawn["C"] = np.maximum(clients, 1) / drawn["m"]
        if step is not None:
            drawn[step.name] = _steps(drawn, limits, rng, size)
        good = np.ones(size, dtype=bool)
        for condition in conditions:
            good &= met(condition, drawn, size)
        for name, values in drawn.items():
            kept.setdefault(name, []).append(values[good])
        count += int(good.sum())
        if count >= size:
            break
    joined = {name: np.concatenate(parts)[:size] for name, parts in kept.items()}
    ranges = [_range(q, joined[q.name]) for q in quantities if joined[q.name].size]
    return Sample(joined, ", ".join(ranges))


def _drawn(quantity: Quantity, rng: np.random.Generator, size: int, decades: float) -> Array:
    low, high = quantity.domain.lower, quantity.domain.upper
    typical = float(quantity.typical)
    if np.isfinite(high):
        return low + (high - low) * rng.uniform(0.001, 0.999, size)
    centre = typical if typical > 0 else 1.0
    values = centre * 10.0 ** rng.uniform(-decades, decades, size)
    if quantity.domain.whole:
        return np.maximum(np.round(values), low)
    return np.maximum(values, low * (1 + 1e-3)) if low > 0 else values


def _steps(values: Mapping[str, Array], limits: Iterable[Expr], rng: np.random.Generator, size: int) -> Array:
    least = smallest_limit(limits, values, size)
    return np.where(np.isfinite(least), least, 1.0) * 10.0 ** rng.uniform(-4, 0, size)


def smallest_limit(limits: Iterable[Expr], values: Mapping[str, Array], size: int) -> Array:
    """The smallest of the limits at every point, without those that are not a number; inf for none."""
    least = np.full(size, np.inf)
    for limit in limits:
        at = np.broadcast_to(evaluate(limit, values), (size,))
        least = np.minimum(least, np.where(np.isnan(at), np.inf, at))
    return least


def _range(quantity: Quantity, values: Array) -> str:
    least, most = (format_number(float(f"{end:.2g}")) for end in (values.min(), values.max()))
    return f"{quantity.name} {least} to {most}"


def sides(relation: Relational) -> tuple[Expr, Expr]:
    """The smaller and the larger side of an inequality."""
    return (relation.lhs, relation.rhs) if "<" in relation.rel_op else (relation.rhs, relation.lhs)


def met(relation: Relational, values: Mapping[str, Array], size: int) -> NDArray[np.bool_]:
    """At which points a relation holds, up to a relative 1e-12; inf is at most inf only."""
    holds = np.broadcast_to(satisfied(relation, values), (size,))
    # The tolerance of a comparison with inf is inf, and then everything would be true.
    small, large = (np.broadcast_to(evaluate(x, values), (size,)) for x in sides(relation))
    return np.asarray(holds & (~np.isposinf(small) | np.isposinf(large)))
