"""Random points of a theorem's domain inside its conditions, spread logarithmically."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from sympy import Symbol
from sympy.core.relational import Relational

from boundkit.algebra import BoundkitError, Quantity, Theorem
from boundkit.algebra.notation import WHOLE, C, eta, m
from boundkit.analysis.evaluate import evaluate, satisfied
from boundkit.analysis.step_size import largest, limit_at

Array = NDArray[np.float64]
Points = dict[str, Array]

_TRIED, _PASSES = 20_000, 6
_MOST_WHOLE, _WIDE = 1e4, 4.0
_AT_END = 0.15
_INSIDE = 1 - 1e-12
"""Share of the largest step size, so that 1 - eta mu is no negative rounding error where it is 0."""


@lru_cache(maxsize=64)
def draw_points(
    theorem: Theorem, count: int = 4000, seed: int = 0, more: tuple[Relational, ...] = ()
) -> Points:
    """Draw at most ``count`` points at which every condition holds, by keyword, (N,) each; N may be 0.

    Quantities are drawn independently over eight decades, with extra weight on the ends of their domains; a
    quantity that a condition limits is moved until the condition holds. ``more``: further relations.
    """
    rng = np.random.default_rng(seed)
    points = {q.name: _drawn(q, rng) for q in theorem.quantities}
    if C.name in points and m.name in points:
        most = points[m.name]
        points[C.name] = np.minimum(np.ceil(most * points[C.name]), most) / most
    for _ in range(_PASSES):
        for condition in (*theorem.requires, *theorem.step_size, *more):
            _enforce(condition, points, rng)
    _shorten(theorem, points, rng)
    inside = _within_conditions(theorem, points, more)
    stored = np.flatnonzero(inside)[:count]
    return {name: values[stored] for name, values in points.items()}


def draw_nearby_points(
    theorem: Theorem, points: Points, copies: int = 40, seed: int = 0, more: tuple[Relational, ...] = ()
) -> Points:
    """Draw points inside the conditions around the given ones, by factors of up to some hundred."""
    rng = np.random.default_rng(seed)
    moved = {}
    for quantity in theorem.quantities:
        values, domain = np.repeat(points[quantity.name], copies), quantity.domain
        width = rng.choice([0.0, 0.1, 1.0, 2.0], values.size)
        factor = 10 ** (width * rng.standard_normal(values.size))
        if np.isfinite(domain.upper):
            odds = factor * (values - domain.lower) / np.maximum(domain.upper - values, 1e-300)
            changed = domain.lower + (domain.upper - domain.lower) * odds / (1 + odds)
            end = values == domain.upper
            values = np.where((width == 0) | end, values, changed)
        else:
            values = domain.lower + (values - domain.lower) * factor
            values = np.round(values) if domain.whole else values
        moved[quantity.name] = values
    if C.name in moved and m.name in moved:
        moved[C.name] = np.clip(np.round(moved[C.name] * moved[m.name]), 1, None) / moved[m.name]
    inside = _within_conditions(theorem, moved, more)
    return {name: values[inside] for name, values in moved.items()}


def _drawn(quantity: Quantity, rng: np.random.Generator) -> Array:
    domain = quantity.domain
    at_end = rng.random(_TRIED) < _AT_END
    if np.isfinite(domain.upper):
        small = 10 ** rng.uniform(-_WIDE, 0, _TRIED)
        part = np.where(rng.random(_TRIED) < 0.5, small, 1 - small)
        values = domain.lower + (domain.upper - domain.lower) * part
        end = domain.upper if domain.includes_upper else domain.lower
        return np.where(at_end, end, values)
    if domain.whole:
        values = np.floor(10 ** rng.uniform(0, np.log10(_MOST_WHOLE), _TRIED)) - 1 + domain.lower
        return np.where(at_end, domain.lower, values)
    values = domain.lower + 10 ** rng.uniform(-_WIDE, _WIDE, _TRIED)
    return np.where(at_end, domain.lower, values) if domain.includes_lower else values


def _enforce(condition: Relational, points: Points, rng: np.random.Generator) -> None:
    """Where the condition fails and one side is a quantity, move that beyond the other side."""
    fails = ~np.broadcast_to(satisfied(condition, points), (_TRIED,))
    left, right = condition.args
    upwards = ">" in condition.rel_op
    for quantity, other, up in ((left, right, upwards), (right, left, not upwards)):
        if not isinstance(quantity, Symbol) or quantity == eta or not fails.any():
            continue
        spare = 10 ** (rng.uniform(0, 2, _TRIED) * (rng.random(_TRIED) > _AT_END))
        wanted = np.broadcast_to(evaluate(other, points), (_TRIED,)) * (spare if up else 1 / spare)
        if quantity.domain.whole:
            wanted = np.ceil(wanted) if up else np.floor(wanted)
        points[quantity.name] = np.where(fails, wanted, points[quantity.name])
        return


def _shorten(theorem: Theorem, points: Points, rng: np.random.Generator) -> None:
    """Draw step sizes up to the largest one allowed, often equal to it."""
    if eta.name not in points:
        return
    try:
        top = np.broadcast_to(limit_at(largest(theorem), points), (_TRIED,))
    except (BoundkitError, NotImplementedError):
        return
    part = 10 ** (rng.uniform(-3, 0, _TRIED) * (rng.random(_TRIED) > 2 * _AT_END))
    points[eta.name] = np.where(np.isfinite(top), _INSIDE * part * top, points[eta.name])


def _within_conditions(theorem: Theorem, points: Points, more: tuple[Relational, ...]) -> NDArray[np.bool_]:
    inside = np.ones(len(next(iter(points.values()))), dtype=bool)
    for relation in (*theorem.requires, *theorem.step_size, *more):
        inside &= satisfied(relation, points)
    for quantity in theorem.quantities:
        domain, values = quantity.domain, points[quantity.name]
        inside &= np.isfinite(values)
        inside &= (values >= domain.lower) if domain.includes_lower else (values > domain.lower)
        inside &= (values <= domain.upper) if domain.includes_upper else (values < domain.upper)
    for product in WHOLE:
        if product.free_symbols <= set(theorem.quantities):
            inside &= evaluate(product, points) >= 1 - 1e-9
    return inside
