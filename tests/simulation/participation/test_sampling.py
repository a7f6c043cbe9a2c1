"""Uniform sampling without replacement, and the aggregation weights of the participants."""

from itertools import combinations
from typing import Any

import numpy as np
import pytest

from boundkit.simulation.engines.aggregation_weights import AggregationWeights
from boundkit.simulation.participation import WithoutReplacement
from boundkit.simulation.problems import Quadratic
from boundkit.simulation.random_streams import Streams
from boundkit.simulation.run import Run, make_run


def test_all_subsets_have_equal_probability() -> None:
    who, R = WithoutReplacement(5, 0.4), 20_000
    drawn = who.draw(0, Streams(1, R)).clients
    assert drawn.shape == (R, 2)
    assert (np.diff(drawn, axis=1) > 0).all()  # sorted, without repetition
    counts = [np.sum((drawn == pair).all(axis=1)) for pair in combinations(range(5), 2)]
    assert sum(counts) == R
    z = (np.array(counts) - R / 10) / np.sqrt(R * 0.1 * 0.9)
    assert np.abs(z).max() < 4


def test_rounds_are_independent() -> None:
    streams, who = Streams(1, 1), WithoutReplacement(10, 0.5)
    draws = {tuple(who.draw(t, streams).clients[0]) for t in range(50)}
    assert len(draws) > 30


def made(who: dict[str, Any], p: np.ndarray, **options: Any) -> Run:
    m = len(p)
    problem = Quadratic([1.0] * m, np.zeros((m, 1)), p)
    return make_run("fedavg", problem, rounds=1, eta=0.1, options=options, participation=who)


WHO: dict[str, dict[str, Any]] = {
    "uniform": {"kind": "uniform", "C": 0.6},
    "independent": {"kind": "bernoulli", "probabilities": [0.9, 0.1, 0.5, 1.0, 0.3]},
    "drawn": {"kind": "with_replacement", "count": 3},
    "a group": {"kind": "cyclic", "groups": [[0, 2, 4], [1, 3]], "count": 2},
}


AGGREGATIONS = ("weighted", "mean", "all", "known", "unbiased")
PAIRS = [(a, w) for a in AGGREGATIONS for w in WHO if (a, w) != ("unbiased", "a group")]


@pytest.mark.parametrize("equal", [True, False])
def test_moments_of_the_weights_are_averages_over_outcomes(equal: bool) -> None:
    for aggregation, kind in PAIRS:
        check_moments(aggregation, kind, equal)


def check_moments(aggregation: str, kind: str, equal: bool) -> None:
    m, who, case = 5, WHO[kind], f"{aggregation}, {kind}"
    p = np.full(m, 1 / m) if equal else np.random.default_rng(0).dirichlet(np.ones(m))
    known = {"probabilities": [0.2, 0.4, 0.6, 0.8, 1.0]} if aggregation == "known" else {}
    run = made(who, p, aggregation=aggregation, **known)
    weighing, distribution = AggregationWeights(run), run.participation.distribution(0)
    probabilities, rows = [], []
    for probability, outcomes in distribution.enumerate():
        for one, counts in zip(probability, outcomes, strict=True):
            here = np.flatnonzero(counts)
            row = np.zeros(m)
            if here.size:
                row[here] = weighing.weights(
                    here, counts[here].astype(np.intp), run.steps(0)[here], run.rates(0)
                )
            rows.append(row)
            probabilities.append(one)
    W, c = np.array(rows), np.array(probabilities)
    found = weighing.moments(0)
    second = np.diag(found.diagonal) + sum(s * np.outer(v, v) for s, v in found.factors)
    np.testing.assert_allclose(found.mean, c @ W, atol=1e-14, err_msg=case)
    np.testing.assert_allclose(second, (W * c[:, None]).T @ W, atol=1e-14, err_msg=case)
    np.testing.assert_allclose(found.square, c @ W**2, atol=1e-14, err_msg=case)
    if aggregation == "unbiased":
        np.testing.assert_allclose(found.mean, p, atol=1e-14, err_msg=case)


def test_participants_without_weight_have_no_share() -> None:
    run = made({"kind": "full"}, np.array([1.0, 0.0, 0.0]))
    found = AggregationWeights(run).weights(np.array([1, 2]), None, run.steps(0)[[1, 2]], run.rates(0))
    np.testing.assert_array_equal(found, [0, 0])
