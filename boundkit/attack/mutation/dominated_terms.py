"""Whether other terms always lie above one: of the formulas, over all of a theorem's domain."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from sympy.core.relational import Relational

from boundkit.algebra import Theorem
from boundkit.algebra.notation import G, distance, mu, sigma
from boundkit.analysis.evaluate import evaluate
from boundkit.attack.mutation.random_points import Array, Points, draws, near
from boundkit.attack.mutation.weaker import LEAST

LITTLE = 0.2
"""A term that is never more than this part of its bound has others far above it, wherever it speaks."""
_CLIMBS = 6
_MEANT: tuple[Relational, ...] = (sigma <= G, mu * distance <= G)
"""What the letters mean: G^2 bounds the second moment of every stochastic gradient, also at the start."""


@dataclass(frozen=True)
class Dominated:
    """The largest part of the bound that one term makes, of ``points`` points inside the conditions.

    ``by``: another term that is at least ``1/times`` of it at each of them, the one for which that is least.
    """

    part: float
    points: int
    by: str
    times: float

    @property
    def hidden(self) -> bool:
        """Whether it is never more than a little of the bound, as far as the points say."""
        return self.points >= LEAST and self.part <= LITTLE

    def __str__(self) -> str:
        others = f"at most {self.part / (1 - self.part):.3g} of the others together"
        alone = f", and at most {self.times:.3g} of {self.by} alone" if np.isfinite(self.times) else ""
        return f"at {self.points} points of the domain, random and climbing, the term is {others}{alone}"


@lru_cache(maxsize=256)
def dominated(theorem: Theorem, label: str) -> Dominated:
    """How much of the bound a term can be, wherever the conditions hold; letters move independently.

    What derives from clients is drawn as if it were free, so that no part is missed by that.
    """
    terms, meant = theorem.bound.terms, _meant(theorem)
    points = draws(theorem, more=meant)
    parts = _parts(theorem, points)
    share = parts[label]
    count = share.size
    for climb in range(_CLIMBS if count else 0):
        top = np.argsort(share)[-50:]
        closer = near(theorem, {name: values[top] for name, values in points.items()}, seed=climb, more=meant)
        again = _parts(theorem, closer)
        points = {name: np.concatenate([points[name][top], closer[name]]) for name in points}
        parts = {name: np.concatenate([parts[name][top], again[name]]) for name in terms}
        share = parts[label]
        count += again[label].size
    most = float(share.max()) if share.size else 0.0
    return Dominated(most, count, *_above(theorem, label))


def _meant(theorem: Theorem) -> tuple[Relational, ...]:
    return tuple(r for r in _MEANT if r.free_symbols <= set(theorem.quantities))


def _above(theorem: Theorem, label: str) -> tuple[str, float]:
    """The other term that the random points always have nearest to it or above, and how near."""
    parts = _parts(theorem, draws(theorem, more=_meant(theorem)))
    found = [(float(_over(parts[label], other)), name) for name, other in parts.items() if name != label]
    times, name = min(found, default=(np.inf, ""))
    return name, times


def _over(one: Array, other: Array) -> float:
    with np.errstate(all="ignore"):
        ratio = np.where(one > 0, one / other, 0.0)
    return float(ratio.max()) if ratio.size else np.inf


def _parts(theorem: Theorem, points: Points) -> dict[str, Array]:
    """Every term over the bound, where all are numbers; (N,) each."""
    size = len(next(iter(points.values()), np.zeros(0)))
    with np.errstate(all="ignore"):
        terms = theorem.bound.terms.items()
        every = {name: np.broadcast_to(evaluate(term.expr, points), (size,)) for name, term in terms}
        total = np.sum(list(every.values()), axis=0)
        parts = {name: value / total for name, value in every.items()}
    known = np.all([np.isfinite(part) for part in parts.values()], axis=0)
    return {name: np.where(known, part, 0.0) for name, part in parts.items()}
