"""Terms that other terms of the bound always exceed, tested over the whole domain of a theorem."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from sympy.core.relational import Relational

from boundkit.algebra import Theorem
from boundkit.algebra.notation import G, distance, mu, sigma
from boundkit.analysis.evaluate import evaluate
from boundkit.attack.mutation.random_points import Array, Points, draw_nearby_points, draw_points
from boundkit.attack.mutation.weaker_mutants import LEAST

LITTLE = 0.2
"""A term whose part of the bound never exceeds this has others far above it."""
_CLIMBS = 6
_MEANT: tuple[Relational, ...] = (sigma <= G, mu * distance <= G)
"""Relations that follow from definitions: G^2 bounds the second moment of every stochastic gradient."""


@dataclass(frozen=True)
class TermDomination:
    """The largest part of the bound that one term makes, over ``points`` points inside the conditions.

    ``by``: the other term that is at least ``1/times`` of it at each point, with the smallest ``times``.
    """

    part: float
    points: int
    by: str
    times: float

    @property
    def hidden(self) -> bool:
        """Whether it is a small part of the bound at all points."""
        return self.points >= LEAST and self.part <= LITTLE

    def __str__(self) -> str:
        others = f"at most {self.part / (1 - self.part):.3g} of the others together"
        alone = f", and at most {self.times:.3g} of {self.by} alone" if np.isfinite(self.times) else ""
        return f"at {self.points} points of the domain, random and climbing, the term is {others}{alone}"


@lru_cache(maxsize=256)
def find_domination(theorem: Theorem, label: str) -> TermDomination:
    """Maximise the part of the bound that a term makes, over random points of the domain.

    Quantities vary independently, also those that derive from clients, so that no part is missed.
    """
    terms, meant = theorem.bound.terms, _meant(theorem)
    points = draw_points(theorem, more=meant)
    parts = _parts(theorem, points)
    share = parts[label]
    count = share.size
    for climb in range(_CLIMBS if count else 0):
        top = np.argsort(share)[-50:]
        closer = draw_nearby_points(
            theorem, {name: values[top] for name, values in points.items()}, seed=climb, more=meant
        )
        again = _parts(theorem, closer)
        points = {name: np.concatenate([points[name][top], closer[name]]) for name in points}
        parts = {name: np.concatenate([parts[name][top], again[name]]) for name in terms}
        share = parts[label]
        count += again[label].size
    most = float(share.max()) if share.size else 0.0
    return TermDomination(most, count, *_above(theorem, label))


def _meant(theorem: Theorem) -> tuple[Relational, ...]:
    return tuple(r for r in _MEANT if r.free_symbols <= set(theorem.quantities))


def _above(theorem: Theorem, label: str) -> tuple[str, float]:
    """Explain a mutant of a lower bound by the largest ratio of the original."""
    parts = _parts(theorem, draw_points(theorem, more=_meant(theorem)))
    result = [(float(_over(parts[label], other)), name) for name, other in parts.items() if name != label]
    times, name = min(result, default=(np.inf, ""))
    return name, times


def _over(one: Array, other: Array) -> float:
    with np.errstate(all="ignore"):
        ratio = np.where(one > 0, one / other, 0.0)
    return float(ratio.max()) if ratio.size else np.inf


def _parts(theorem: Theorem, points: Points) -> dict[str, Array]:
    """Return every term over the bound, where all are finite; (N,) each."""
    size = len(next(iter(points.values()), np.zeros(0)))
    with np.errstate(all="ignore"):
        terms = theorem.bound.terms.items()
        every = {name: np.broadcast_to(evaluate(term.expr, points), (size,)) for name, term in terms}
        total = np.sum(list(every.values()), axis=0)
        parts = {name: value / total for name, value in every.items()}
    names = np.all([np.isfinite(part) for part in parts.values()], axis=0)
    return {name: np.where(names, part, 0.0) for name, part in parts.items()}
