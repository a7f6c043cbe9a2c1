"""Every counterexample that is made of losses: what it grants holds, and what it denies does not."""

from __future__ import annotations

import pytest

from boundkit.analysis.assumptions import Refutation
from boundkit.analysis.lattice import LATTICE
from tests.analysis.assumptions.measures import WINDOWS, Losses, fails, holds

EXAMPLES = [r for r in LATTICE.refutations if r.clients]
IDS = [f"{r.given[0].name}, not {r.fails.name}" for r in EXAMPLES]


def constants(refutation: Refutation) -> dict[str, float]:
    return {q.name: float(value) for q, value in refutation.constants.items()}


@pytest.mark.parametrize("refutation", EXAMPLES, ids=IDS)
@pytest.mark.parametrize("window", WINDOWS)
def test_what_is_granted_holds_with_the_constants_that_are_said(
    refutation: Refutation, window: float
) -> None:
    for assumption in refutation.given:
        assert holds(assumption.name, Losses(refutation.clients, window), constants(refutation)), assumption


@pytest.mark.parametrize("refutation", EXAMPLES, ids=IDS)
def test_what_is_denied_has_no_constant(refutation: Refutation) -> None:
    assert fails(refutation.fails.name, refutation.clients, constants(refutation))


@pytest.mark.parametrize("refutation", EXAMPLES, ids=IDS)
def test_what_is_granted_has_a_constant(refutation: Refutation) -> None:
    """The measure that finds the denied one without a constant finds none missing here."""
    for assumption in refutation.given:
        if assumption.name not in ("relaxed-smooth", "norm-dissimilarity", "beta-kappa-dissimilarity"):
            assert not fails(assumption.name, refutation.clients, {}), assumption


def test_there_are_examples_for_what_people_get_wrong() -> None:
    said = {(r.given[0].name, r.fails.name) for r in LATTICE.refutations}
    assert said >= {
        ("optimum-dissimilarity", "bounded-dissimilarity"),
        ("bounded-dissimilarity", "clientwise-dissimilarity"),
        ("beta-kappa-dissimilarity", "bounded-dissimilarity"),
        ("smooth-mean", "smooth"),
        ("polyak-lojasiewicz", "convex"),
        ("relaxed-smooth", "smooth"),
    }
