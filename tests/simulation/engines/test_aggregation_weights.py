"""Moments of the server's weights: closed forms against lists of all outcomes."""

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


@pytest.mark.parametrize("equal", [True, False])
@pytest.mark.parametrize("aggregation", ["weighted", "mean", "all", "known", "unbiased"])
@pytest.mark.parametrize(
    "who",
    [
        {"kind": "uniform", "C": 0.5},
        {"kind": "bernoulli", "probabilities": CHANCES},
        {"kind": "with_replacement", "count": 3},
        {"kind": "cyclic", "groups": 1, "count": 4},
    ],
    ids=lambda who: str(who["kind"]),
)
def test_moments_are_those_of_all_outcomes(
    monkeypatch: pytest.MonkeyPatch, who: dict[str, Any], aggregation: str, equal: bool
) -> None:
    asked = run(6, aggregation, who, equal)
    weights = AggregationWeights(asked)
    steps, rates, law = asked.steps(0), asked.rates(0), asked.participation.distribution(0)
    listed = weights._enumerated(law, steps, rates)
    monkeypatch.setattr(aggregation_weights, "LISTED", 1)
    closed = AggregationWeights(asked)
    np.testing.assert_allclose(closed.moments(0).mean, listed.mean, atol=1e-14)
    np.testing.assert_allclose(closed.mean(0), listed.mean, atol=1e-14)
    np.testing.assert_allclose(second(closed.moments(0)), second(listed), atol=1e-13)


def test_renormalised_weights_of_many_clients_are_exact() -> None:
    m = 120
    e = np.random.default_rng(0).standard_normal((m, 1))
    p = np.arange(1.0, m + 1) / np.arange(1.0, m + 1).sum()
    answer = bk.objective("fedavg", bk.Quadratic([1.0] * m, e, p), eta=0.1,
                          participation={"kind": "uniform", "C": 0.1})  # fmt: skip
    assert answer.interval is None
    drawn = AggregationWeights(make_run("fedavg", bk.Quadratic([1.0] * m, e, p), rounds=1, eta=0.1,
                              participation={"kind": "uniform", "C": 0.1}))  # fmt: skip
    rng = np.random.default_rng(1)
    sampled = np.mean([drawn.sampled_mean(0, 40_000, rng) for _ in range(10)], axis=0)
    assert answer.surrogate_weights is not None
    assert np.abs(answer.surrogate_weights - sampled).max() < 4e-4 < np.abs(p - sampled).max()
