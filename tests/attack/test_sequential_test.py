"""The sequential test: facts at once, chance with its error spent."""

from __future__ import annotations

from dataclasses import replace

import pytest

from boundkit.algebra import Theorem
from boundkit.attack.confirmation import ERROR, LOOKS, confirm
from boundkit.simulation.problems import SmoothNonconvex
from boundkit.simulation.run import Run, make_run
from boundkit.theorems import theorem


@pytest.fixture(scope="module")
def noisy() -> Run:
    problem = SmoothNonconvex([[0.0], [0.0]], noise=0.5)
    return make_run("minibatch_sgd", problem, rounds=3, eta=0.5, x0=[1.0])


def smaller(factor: int) -> Theorem:
    bound = theorem("sgd_nonconvex")
    terms = tuple(replace(term, expr=term.expr / factor) for term in bound.terms)
    return replace(bound, terms=terms, reductions=(), limits=())


def test_a_true_bound_is_not_broken(noisy: Run) -> None:
    found = confirm(theorem("sgd_nonconvex"), noisy)
    assert found.decision == "not broken"
    assert found.low <= found.ratio <= found.high <= 1


def test_a_false_bound_is_violated_at_the_first_look(noisy: Run) -> None:
    found = confirm(smaller(20), noisy)
    assert found.decision == "violated"
    assert found.replicas == LOOKS[0]
    assert 1 < found.low < found.ratio


def test_later_candidates_have_less_to_spend(noisy: Run) -> None:
    alphas = [confirm(smaller(20), noisy, candidate=j).alpha for j in (1, 2, 3)]
    assert alphas == sorted(alphas, reverse=True)
    assert sum(ERROR / (j * (j + 1)) for j in range(1, 1000)) <= ERROR
    assert alphas[0] == pytest.approx(ERROR / 4)


def test_fresh_seeds_are_others_than_the_search_has(noisy: Run) -> None:
    assert confirm(smaller(20), noisy).evidence.run.seed > 2**19
