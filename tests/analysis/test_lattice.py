"""The lattice as an order: closed, free of contradictions with itself, and complete over the vocabulary."""

from __future__ import annotations

from itertools import product

import pytest
from sympy import sqrt

from boundkit.algebra import BoundkitError, DimensionError
from boundkit.algebra.claim import Assumption
from boundkit.algebra.notation import G, beta, eta, kappa, sigma_g, staleness
from boundkit.algebra.vocabulary import (
    ASSUMPTIONS,
    BETA_KAPPA_DISSIMILARITY,
    BOUNDED_COORDINATES,
    BOUNDED_DISSIMILARITY,
    BOUNDED_GRADIENTS,
    BOUNDED_NOISE,
    CLIENTWISE_DISSIMILARITY,
    COMMON_STEPS,
    CONVEX,
    EQUAL_WEIGHTS,
    FULL_PARTICIPATION,
    HOMOGENEOUS_CLIENTS,
    NORM_DISSIMILARITY,
    POLYAK_LOJASIEWICZ,
    SMOOTH,
    STRONGLY_CONVEX,
)
from boundkit.analysis.assumptions import Implication
from boundkit.analysis.lattice import LATTICE, relation
from boundkit.theorems import catalogue
from tests.cases import each

PLACED = {a.name for s in LATTICE.subjects.values() for a in s.assumptions}


def test_every_assumption_has_one_subject_and_those_that_have_none_are_named() -> None:
    used = {a.name for t in catalogue().values() for a in t.assumptions}
    nowhere = sorted((set(ASSUMPTIONS) | used) - PLACED)
    assert nowhere == [], f"place {nowhere} in a file of boundkit/analysis/assumptions"
    places = [a.name for s in LATTICE.subjects.values() for a in s.assumptions]
    assert len(places) == len(set(places))


def test_an_assumption_without_subject_is_accepted() -> None:
    stranger = Assumption("stranger", "nothing is known of it")
    assert LATTICE.subject(stranger) is None
    assert LATTICE.nature(stranger) == "supposition"
    assert set(LATTICE.closure((stranger,))) == {stranger}
    assert relation(stranger, SMOOTH)["answer"] == "not known here"


@each("name", sorted(PLACED))
def test_implication_is_an_order_without_circles(name: str) -> None:
    one = ASSUMPTIONS[name]
    assert LATTICE.implies(one, one) is not None
    for other in LATTICE.weaker_than(one):
        assert one not in LATTICE.weaker_than(other)
        assert one in LATTICE.stronger_than(other)
        assert set(LATTICE.weaker_than(other)) <= set(LATTICE.weaker_than(one))


def test_no_implication_has_a_counterexample() -> None:
    for refutation in LATTICE.refutations:
        assert refutation.fails not in LATTICE.closure(LATTICE.background(refutation)), refutation.example
    for one, other in product(ASSUMPTIONS.values(), repeat=2):
        if LATTICE.implies(one, other):
            assert LATTICE.counterexample((one,), other) is None


def test_constants_are_carried_along_the_way() -> None:
    found = LATTICE.implies((BOUNDED_GRADIENTS, BOUNDED_NOISE), BETA_KAPPA_DISSIMILARITY)
    assert found is not None
    assert found.parameters == {beta: 1, kappa: 2 * G}
    assert [r.conclusion for r in found.steps] == [CLIENTWISE_DISSIMILARITY, BETA_KAPPA_DISSIMILARITY]
    alike = LATTICE.implies(HOMOGENEOUS_CLIENTS, BETA_KAPPA_DISSIMILARITY)
    assert alike is not None
    assert alike.parameters == {beta: 1, kappa: 0}
    absence = LATTICE.implies(FULL_PARTICIPATION, ASSUMPTIONS["bounded-absence"])
    assert absence is not None
    assert absence.parameters == {staleness: 0}


def test_implications_of_several_premises() -> None:
    assert LATTICE.implies(BOUNDED_DISSIMILARITY, BETA_KAPPA_DISSIMILARITY) is None
    found = LATTICE.implies((BOUNDED_DISSIMILARITY, EQUAL_WEIGHTS, COMMON_STEPS), BETA_KAPPA_DISSIMILARITY)
    assert found is not None
    assert found.parameters == {beta: 1, kappa: sigma_g}
    norm = LATTICE.implies((NORM_DISSIMILARITY, COMMON_STEPS), BETA_KAPPA_DISSIMILARITY)
    assert norm is not None
    assert norm.parameters[kappa] == sqrt(2) * norm.parameters[kappa].args[1]


@each(
    ("one", "other", "answer"),
    [
        (CLIENTWISE_DISSIMILARITY, BOUNDED_DISSIMILARITY, "implies"),
        (BOUNDED_DISSIMILARITY, CLIENTWISE_DISSIMILARITY, "does not imply"),
        (SMOOTH, CLIENTWISE_DISSIMILARITY, "does not imply"),  # bounded dissimilarity would follow
        (NORM_DISSIMILARITY, BOUNDED_DISSIMILARITY, "does not imply"),  # D1 would follow, were it so
        (BETA_KAPPA_DISSIMILARITY, CLIENTWISE_DISSIMILARITY, "does not imply"),
        (STRONGLY_CONVEX, POLYAK_LOJASIEWICZ, "implies"),
        (POLYAK_LOJASIEWICZ, CONVEX, "does not imply"),
        (CONVEX, SMOOTH, "does not imply"),
        (STRONGLY_CONVEX, BOUNDED_GRADIENTS, "cannot hold together"),
        (STRONGLY_CONVEX, BOUNDED_COORDINATES, "cannot hold together"),
        (SMOOTH, BOUNDED_NOISE, "not known here"),
    ],
)
def test_one_against_another(one: Assumption, other: Assumption, answer: str) -> None:
    assert relation(one, other)["answer"] == answer


def test_a_parameter_of_another_dimension_is_refused() -> None:
    with pytest.raises(DimensionError, match=r"smooth cannot give sigma_g = eta"):
        Implication((SMOOTH,), BOUNDED_DISSIMILARITY, "no", {sigma_g: eta})
    with pytest.raises(BoundkitError, match="needs premises other than itself"):
        Implication((SMOOTH,), SMOOTH, "no")
