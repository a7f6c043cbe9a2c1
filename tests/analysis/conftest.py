"""Small theorems, true of nothing, for the corners that the catalogue does not have."""

from __future__ import annotations

from typing import Any

import pytest
from sympy import Le

from boundkit.algebra import Source, Term, Theorem
from boundkit.algebra.notation import L, T, eta, eta_s, gap, sigma, sigma_g
from boundkit.algebra.vocabulary import MEAN_SQUARED_GRADIENT, SMOOTH

SOURCE = Source(
    authors=("Nobody",), year=2000, title="Nothing in particular", arxiv="0000.00000", where="nowhere"
)


def theorem_of(name: str, *terms: Term, **rest: Any) -> Theorem:
    return Theorem(
        name=name, algorithm="fedavg", claim=MEAN_SQUARED_GRADIENT, assumptions=(SMOOTH,), terms=terms,
        source=SOURCE, **rest,
    )  # fmt: skip


START = Term("initial gap", gap / (eta * T), provenance="derived", because="made up")
NOISE = Term("stochastic noise", L * eta * sigma**2, provenance="derived", because="made up")


@pytest.fixture
def free_of_conditions() -> Theorem:
    return theorem_of("free_of_conditions", START, NOISE)


@pytest.fixture
def drift_of_both_steps() -> Theorem:
    """Its drift grows as eta falls at a fixed product, so that a best pair exists."""
    return theorem_of(
        "drift_of_both_steps",
        Term("initial gap", gap / (eta * eta_s * T), provenance="derived", because="made up"),
        Term("noise drift", L**2 * eta**2 * sigma**2, provenance="derived", because="made up"),
        Term("client drift", eta_s**2 * sigma_g**2 / T, provenance="derived", because="made up"),
        step_size=(Le(eta, 1 / L),),
    )
