"""A good theorem, and a way to spoil it in one place."""

from __future__ import annotations

from typing import Any

from boundkit.algebra import Limit, Reduction, Source, Term, Theorem
from boundkit.algebra.domain import at_most
from boundkit.algebra.notation import L, T, eta, gap, m, sigma, sigma_g, tau
from boundkit.algebra.vocabulary import (
    BOUNDED_DISSIMILARITY,
    BOUNDED_NOISE,
    MEAN_SQUARED_GRADIENT,
    SMOOTH,
)

START = Term("initial gap", 2 * gap / (eta * tau * T), "derived", because="the descent lemma, summed")
NOISE = Term("stochastic noise", eta * L * sigma**2 / m, "derived", because="1 = 1/2 2: half a step, twice")
DRIFT = Term(
    "client drift", 3 * (eta * L) ** 2 * (tau - 1) * sigma_g**2, "derived", because="3 = 1 + 2 as above"
)

GOOD: dict[str, Any] = {
    "name": "good",
    "algorithm": "fedavg",
    "claim": MEAN_SQUARED_GRADIENT,
    "assumptions": (SMOOTH, BOUNDED_NOISE, BOUNDED_DISSIMILARITY),
    "terms": (START, NOISE, DRIFT),
    "step_size": (at_most(eta, 1 / (L * tau)),),
    "reductions": (
        Reduction(to="other", when={tau: 1}, factors={"initial gap": 2}),
        Reduction(to="other", when={tau: 1}, holds=False, because="the constants differ"),
    ),
    "limits": (
        Limit(when={tau: 1}, removes=("client drift",)),
        Limit(when={sigma: 0}, removes=("client drift",), holds=False, because="it is not made by noise"),
    ),
    "source": Source(("Nobody",), 2020, "Nothing in particular", "2001.00001", "Theorem 1"),
}


def build(**changed: Any) -> Theorem:
    return Theorem(**{**GOOD, **changed})


def other() -> Theorem:
    """What the good theorem becomes at tau = 1, with half its gap."""
    half = Term("initial gap", gap / (eta * T), "derived", because="the descent lemma, summed")
    return build(
        name="other", terms=(half, NOISE), step_size=(at_most(eta, 1 / L),), reductions=(), limits=()
    )


KNOWN = {"other": other()}


def tampered(**changed: Any) -> Theorem:
    """A theorem changed after it was built, behind the back of its own checks."""
    theorem = build()
    for name, value in changed.items():
        object.__setattr__(theorem, name, value)
    return theorem
