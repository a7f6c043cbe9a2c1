"""Moments of the server's weights: closed forms against lists of all outcomes."""

from itertools import product
from math import comb
from typing import Any

import numpy as np
import pytest

import boundkit as bk
from boundkit.simulation.engines import aggregation_weights
from boundkit.simulation.engines.aggregation_weights import AggregationWeights, WeightMoments
from boundkit.simulation.run import Run, make_run

CHANCES = [0.9, 0.5, 0.2, 0.05, 0.7, 1.0]


def run(m: int, aggregation: str, participation: dict[str, Any], equal: bool) -> Run:
    p = np.full(m, 1 / m) if equal else np.arange(1.0, m + 1) / np.arange(1.0, m + 1).sum()
    problem = bk.Quadratic([1.0] * m, np.zeros((m, 1)), p)
    options = {"aggregation": aggregation} | ({"probabilities": [0.5] * m} if aggregation == "known" else {})
    return make_run("fedavg", problem, rounds=1, eta=0.1, participation=participation, options=options)


def second(moments: WeightMoments) -> Any:
    return np.diag(moments.diagonal) + sum(s * np.outer(v, v) for s, v in moments.factors)


PARTICIPATIONS: list[dict[str, Any]] = [
    {"kind": "uniform", "C": 0.5},
    {"kind": "bernoulli", "probabilities": CHANCES},
    {"kind": "with_replacement", "count": 3},
    {"kind": "cyclic", "groups": 1, "count": 4},
    {"kind": "cyclic", "groups": [[0, 2, 4], [1, 3, 5]], "count": 2},
]


@pytest.mark.parametrize("limit", [None, 1], ids=["listed", "closed"])
@pytest.mark.parametrize("equal", [True, False])
def test_moments_are_averages_over_outcomes(
    monkeypatch: pytest.MonkeyPatch, equal: bool, limit: int | None
) -> None:
    if limit is not None:
        monkeypatch.setattr(aggregation_weights, "LISTED", limit)
    for participation, aggregation in product(
        PARTICIPATIONS, ("weighted", "mean", "all", "sum", "known", "unbiased")
    ):
        if aggregation != "unbiased" or participation.get("groups", 1) == 1:
            check_moments(run(6, aggregation, participation, equal), aggregation, str(participation))


def check_moments(run: Run, aggregation: str, case: str) -> None:
    case = f"{aggregation}, {case}"
    weighing, probabilities, rows = AggregationWeights(run), [], []
    for probability, outcomes in run.participation.distribution(0).enumerate():
        for one, counts in zip(probability, outcomes, strict=True):
            row, here = np.zeros(run.problem.m), np.flatnonzero(counts)
            if here.size:
                drawn = counts[here].astype(np.intp)
                row[here] = weighing.weights(here, drawn, run.steps(0)[here], run.rates(0))
            rows.append(row)
            probabilities.append(one)
    W, c, moments = np.array(rows), np.array(probabilities), weighing.moments(0)
    np.testing.assert_allclose(moments.mean, c @ W, atol=1e-14, err_msg=case)
    np.testing.assert_allclose(weighing.mean(0), c @ W, atol=1e-14, err_msg=case)
    np.testing.assert_allclose(second(moments), (W * c[:, None]).T @ W, atol=1e-13, err_msg=case)
    np.testing.assert_allclose(moments.square, c @ W**2, atol=1e-14, err_msg=case)
    if aggregation == "unbiased":
        np.testing.assert_allclose(moments.mean, run.problem.p, atol=1e-14, err_msg=case)


def test_participants_without_weight_have_no_share() -> None:
    problem = bk.Quadratic([1.0] * 3, np.zeros((3, 1)), np.array([1.0, 0.0, 0.0]))
    one = make_run("fedavg", problem, rounds=1, eta=0.1)
    result = AggregationWeights(one).weights(np.array([1, 2]), None, one.steps(0)[[1, 2]], one.rates(0))
    np.testing.assert_array_equal(result, [0, 0])


def expected_weight(client: int, weights: list[int], count: int) -> float:
    """E of w_i/(sum over the sample) for samples of equal probability, by counting subsets of every sum."""
    others = weights[:client] + weights[client + 1 :]
    subsets = np.zeros((count, count * max(weights) + 1))  # as floats: all are positive, so no digit is lost
    subsets[0, 0] = 1
    for weight in others:
        subsets[1:, weight:] += subsets[:-1, :-weight].copy()
    own = weights[client]
    sums = np.arange(subsets.shape[1])
    return float(subsets[-1] @ (own / (own + sums)) / comb(len(weights), count))


def test_renormalised_weights_of_many_clients_are_exact() -> None:
    m, integers = 120, list(range(1, 121))
    e = np.random.default_rng(0).standard_normal((m, 1))
    p = np.array(integers) / sum(integers)
    answer = bk.objective("fedavg", bk.Quadratic([1.0] * m, e, p), eta=0.1,
                          participation={"kind": "uniform", "C": 0.1})  # fmt: skip
    assert answer.interval is None
    assert answer.surrogate_weights is not None
    assert answer.surrogate_weights.sum() == pytest.approx(1, rel=1e-12)
    for client in (0, 1, 59, 119):
        exact = expected_weight(client, integers, 12)
        assert answer.surrogate_weights[client] == pytest.approx(exact, rel=1e-9), client
        assert abs(p[client] / exact - 1) > 1e-3
