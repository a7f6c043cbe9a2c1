"""Unbiased sampling of clients with weights: its numbers by scheme, and runs that are biased."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sympy import sympify

from boundkit.algebra import BoundkitError, vocabulary
from boundkit.algebra.quantity import Quantity
from boundkit.analysis.assumptions import SUBJECTS
from boundkit.analysis.expansion import expand_given
from boundkit.simulation.problems import Quadratic
from boundkit.simulation.run import Run, make_run
from boundkit.theorems import theorem
from boundkit.verification.sampling import sampling_numbers
from boundkit.verification.verifier import verify

P = np.array([0.4, 0.3, 0.2, 0.1])
EQUAL = np.full(4, 0.25)
Q = np.array([0.1, 0.2, 0.3, 0.4])
CHANCES = np.array([0.9, 0.8, 0.5, 0.4])


def run_of(participation: Any, p: np.ndarray = P, aggregation: str = "unbiased", **more: Any) -> Run:
    problem = Quadratic([1.0, 0.5, 0.8, 0.2], [[1.0], [-1.0], [2.0], [0.0]], p)
    options = {"aggregation": aggregation, **more}
    settings: dict[str, Any] = {"rounds": 1, "eta": 0.01, "local_steps": 2, "x0": [3.0]}
    return make_run("fedavg", problem, participation=participation, options=options, **settings)


def draws(count: int, **more: Any) -> dict[str, Any]:
    return {"kind": "with_replacement", "count": count, **more}


SQUARES = float(P @ P)
SCHEMES: dict[str, tuple[Any, tuple[float, float, float]]] = {
    "all clients": ("full", (0.0, 0.0, SQUARES)),
    "by the weights": (draws(3), (1 / 3, 1 / 3, 1 / 3 + 2 / 3 * SQUARES)),
    "importance": (
        draws(3, probabilities=Q.tolist()),
        (max(P / Q) / 3, 1 / 3, float(sum(P**2 / Q)) / 3 + 2 / 3 * SQUARES),
    ),
    "independent": (
        {"kind": "bernoulli", "probabilities": CHANCES.tolist()},
        (max(P * (1 - CHANCES) / CHANCES), 0.0, float(sum(P**2 / CHANCES))),
    ),
    "without replacement": ({"kind": "uniform", "C": 0.5}, (4 * 0.4 / 3, 1 / 3, 2 * SQUARES)),
}


@pytest.mark.parametrize("name", SCHEMES)
def test_the_numbers_of_a_scheme_are_those_of_its_formula(name: str) -> None:
    participation, expected = SCHEMES[name]
    run = run_of(participation)
    numbers = sampling_numbers(run)
    found = [numbers.spread.value, numbers.slack.value, numbers.share_noise.value]
    assert found == pytest.approx(expected)
    chances, counts = (
        np.concatenate(parts) for parts in zip(*run.participation.distribution(0).enumerate(), strict=True)
    )
    weights = counts * P / run.participation.distribution(0).first
    away = weights - P
    covariance = np.einsum("s,si,sj->ij", chances, away, away)
    assert covariance == pytest.approx(np.diag(numbers.own) - numbers.slack.value * np.outer(P, P))


IMPLIED = {
    "full-participation": run_of("full"),
    "sampling-with-replacement": run_of(draws(2), aggregation="mean"),
    "partial-participation": run_of({"kind": "uniform", "C": 0.5}, EQUAL, "mean"),
    "known-availability": run_of(
        {"kind": "bernoulli", "probabilities": 0.4}, EQUAL, "known", probabilities=[0.4] * 4
    ),
}


@pytest.mark.parametrize("premise", IMPLIED)
def test_implied_numbers_are_those_of_the_run(premise: str) -> None:
    rules = SUBJECTS["participation"].implications
    (rule,) = (
        r for r in rules if r.conclusion is vocabulary.UNBIASED_SAMPLING and r.premises[0].name == premise
    )
    run = IMPLIED[premise]
    numbers = sampling_numbers(run)
    known = {"C": 0.5, "m": 4, "availability": 0.4}
    for quantity, given in rule.parameters.items():
        expanded = expand_given(sympify(given), {"p_i": run.problem.p[None]})
        symbols = {s: known[s.name] for s in expanded.free_symbols if isinstance(s, Quantity)}
        found = {
            "sampling_spread": numbers.spread, "sampling_slack": numbers.slack,
            "share_noise": numbers.share_noise,
        }[quantity.name]  # fmt: skip
        assert float(expanded.subs(symbols)) == pytest.approx(found.value), quantity


BIASED: dict[str, tuple[Run, str]] = {
    "equal weights for unequal p": (run_of({"kind": "uniform", "C": 0.5}, aggregation="mean"), "client 0"),
    "sums over the participants": (
        run_of({"kind": "bernoulli", "probabilities": 0.5}, aggregation="all"), "client 0",
    ),
    "groups in turn": (run_of({"kind": "cyclic", "groups": 2}, EQUAL, "mean"), "the same in all rounds"),
}  # fmt: skip


@pytest.mark.parametrize("name", BIASED)
def test_other_sampling_is_refused_with_the_reason(name: str) -> None:
    run, reason = BIASED[name]
    with pytest.raises(BoundkitError, match=reason):
        sampling_numbers(run)
    verdict = verify(theorem("fedavg_nonconvex_sampling"), run)
    assert verdict.answer == "not applicable"
    assert reason in verdict.reason


def test_the_sampling_error_is_the_variance_of_the_sampled_gradient() -> None:
    run = run_of(draws(2, probabilities=Q.tolist()))
    verdict = verify(theorem("fedavg_nonconvex_sampling_exact"), run, slopes=False)
    gradients = np.array([1.0, 0.5, 0.8, 0.2]) * (3.0 - np.array([1.0, -1.0, 2.0, 0.0]))
    variance = (sum((P * gradients) ** 2 / Q) - (P @ gradients) ** 2) / 2
    assert verdict.constants["sampling_error"].value == pytest.approx(variance**0.5)


def test_a_client_that_is_drawn_twice_is_counted_in_the_noise() -> None:
    """One gradient that is sent twice has four times the variance, which share_noise has."""
    problem = Quadratic([1.0, 1.0], [[1.0], [-1.0]], [0.9, 0.1], noise=3.0)
    run = make_run(
        "fedavg", problem, participation=draws(4), options={"aggregation": "mean"}, rounds=300, eta=0.01
    )
    verdict = verify(theorem("fedavg_nonconvex_sampling"), run, slopes=False)
    assert verdict.answer == "holds"
    assert verdict.constants["share_noise"].value == pytest.approx(0.25 + 0.75 * 0.82)
