"""Random points at which a theorem applies."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from sympy import Rational
from sympy.core.relational import Relational

from boundkit.algebra import Quantity, Theorem
from boundkit.algebra.notation import C, eta, m

Point = dict[Quantity, Rational]


def admissible(theorem: Theorem, seed: int) -> Point:
    """A point of exact fractions inside all domains and conditions; eta is halved until it is."""
    rng = np.random.default_rng(seed)
    for _ in range(200):
        point = {q: _draw(q, rng) for q in theorem.quantities}
        if C in point:
            point[C] = Rational(int(rng.integers(1, int(point[m]) + 1)), int(point[m]))
        if all(satisfied(c, point) for c in theorem.requires):
            break
    else:
        raise AssertionError(f"no admissible point of {theorem.name} found")
    while not all(satisfied(c, point) for c in theorem.step_size):
        point[eta] = point[eta] / 2
    return point


def satisfied(condition: Relational, point: Mapping[Quantity, Rational]) -> bool:
    """Whether a condition holds, in exact arithmetic."""
    return bool(condition.xreplace(dict(point)))


def _draw(quantity: Quantity, rng: np.random.Generator) -> Rational:
    domain = quantity.domain
    if domain.whole:
        return Rational(int(domain.lower) + int(rng.integers(0, 40)))
    if np.isfinite(domain.upper):
        return Rational(int(rng.integers(1, 1000)), 1000) * Rational(domain.upper)
    return Rational(domain.lower) + Rational(round(1000 * float(np.exp(rng.normal()))) + 1, 1000)
