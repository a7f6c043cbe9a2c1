"""Step sizes that fall as c/(mu (offset + t)) over the local steps t."""

from __future__ import annotations

from sympy import Integer, StrictGreaterThan

from boundkit.algebra.notation import L, mu, rho_bar
from boundkit.algebra.theorem import Theorem

PUBLISHED_OFFSET = 4 * L / mu
"""The offset of a theorem on decaying steps that leaves none free: its step is 1/(mu t + 4 L)."""


def requires_positive_skew(theorem: Theorem) -> bool:
    """Whether the theorem divides by rho_bar, so that it requires rho_bar > 0."""
    return any(isinstance(r, StrictGreaterThan) and rho_bar in r.free_symbols for r in theorem.requires)


def numerator(theorem: Theorem) -> Integer:
    """c in eta_t = c/(mu (offset + t)).

    With c = 1 the decay of the step size uses up the contraction of strong convexity, and only the multiple
    of rho_bar that a selection adds is left: those theorems require rho_bar > 0. With c = 2 half of the
    contraction is left.
    """
    return Integer(1 if requires_positive_skew(theorem) else 2)
