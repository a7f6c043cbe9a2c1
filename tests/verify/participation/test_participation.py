"""Draws and their laws."""

from itertools import combinations
from typing import Any

import numpy as np
import pytest

from boundkit.algebra import BoundkitError
from boundkit.verify.engines.weighing import Weighing
from boundkit.verify.participation import (
    FIELDS,
    FixedSubset,
    Schedule,
    Uniform,
    UniformSubsets,
    participation,
)
from boundkit.verify.problems import Quadratic
from boundkit.verify.run import make_run
from boundkit.verify.streams import Streams


def test_uniform_draws_all_subsets_alike() -> None:
    who, R = Uniform(5, 0.4), 20_000
    drawn = who.draw(0, Streams(1, R))
    assert drawn.shape == (R, 2)
    assert (np.diff(drawn, axis=1) > 0).all()  # sorted, nobody twice
    counts = [np.sum((drawn == pair).all(axis=1)) for pair in combinations(range(5), 2)]
    assert sum(counts) == R
    z = (np.array(counts) - R / 10) / np.sqrt(R * 0.1 * 0.9)
    assert np.abs(z).max() < 4


def test_rounds_are_drawn_afresh() -> None:
    streams, who = Streams(1, 1), Uniform(10, 0.5)
    draws = {tuple(who.draw(t, streams)[0]) for t in range(50)}
    assert len(draws) > 30


def test_laws_give_the_chances_of_one_and_two() -> None:
    law = UniformSubsets(6, 4)
    subsets = list(combinations(range(6), 4))
    assert law.one == pytest.approx(np.mean([0 in s for s in subsets]))
    assert law.two == pytest.approx(np.mean([{0, 1} <= set(s) for s in subsets]))
    np.testing.assert_allclose(Uniform(6, 4 / 6).chances(), law.one)
    assert UniformSubsets(1, 1).two == 0


@pytest.mark.parametrize("aggregation", ["weighted", "mean", "all", "known", "unbiased"])
@pytest.mark.parametrize("equal", [True, False])
def test_moments_of_the_weights_are_averages_over_subsets(aggregation: str, equal: bool) -> None:
    m, size = 5, 3
    p = np.full(m, 1 / m) if equal else np.random.default_rng(0).dirichlet(np.ones(m))
    options: dict[str, Any] = {"aggregation": aggregation}
    if aggregation == "known":
        options["probabilities"] = [0.2, 0.4, 0.6, 0.8, 1.0]
    run = make_run("fedavg", Quadratic([1.0] * m, np.zeros((m, 1)), p), rounds=1, eta=0.1, options=options,
                   participation={"kind": "uniform", "C": size / m})  # fmt: skip
    weighing = Weighing(run)
    rows = []
    for subset in combinations(range(m), size):
        row = np.zeros(m)
        row[list(subset)] = weighing.of(np.array(subset))
        rows.append(row)
    W = np.array(rows)
    found = weighing.moments(run.participation.law(0))
    second = np.diag(found.diagonal) + sum(s * np.outer(v, v) for s, v in found.factors)
    np.testing.assert_allclose(found.first, W.mean(0), atol=1e-14)
    np.testing.assert_allclose(second, W.T @ W / len(W), atol=1e-14)
    np.testing.assert_allclose(found.square, (W**2).mean(0), atol=1e-14)
    if aggregation == "unbiased":
        np.testing.assert_allclose(found.first, p, atol=1e-14)


def test_clients_without_weight_that_come_together_send_nothing() -> None:
    run = make_run("fedavg", Quadratic([1.0] * 3, np.zeros((3, 1)), [1.0, 0.0, 0.0]), rounds=1, eta=0.1)
    np.testing.assert_array_equal(Weighing(run).of(np.array([1, 2])), [0, 0])


def test_schedules_cycle() -> None:
    who = Schedule(3, [[2, 0], [], [1]])
    assert [who.draw(t, Streams(0, 1)).tolist() for t in range(4)] == [[2, 0], [], [1], [2, 0]]
    assert who.law(4) == FixedSubset(())
    assert who.period == 3


@pytest.mark.parametrize("kind", FIELDS)
def test_what_is_written_is_read_again(kind: str) -> None:
    who = participation({"kind": kind} | dict.fromkeys(FIELDS[kind], 0.5), 4)
    again = participation(who.to_json(), 4)
    assert again.to_json() == who.to_json()
    assert again.law(0) == who.law(0)


@pytest.mark.parametrize("spec", [None, 3, [], {}, {"kind": 3}, {"C": 0.5}])
def test_participation_needs_a_kind(spec: Any) -> None:
    with pytest.raises(BoundkitError, match='participation must be an object with a "kind"'):
        participation(spec, 4)


def test_a_tiny_fraction_makes_nobody() -> None:
    with pytest.raises(BoundkitError, match="makes no client at all"):
        Uniform(4, 1e-12)
