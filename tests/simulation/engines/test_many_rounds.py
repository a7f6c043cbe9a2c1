"""Exact moments of millions of rounds: blocks of rounds are what the rounds are one by one."""

from __future__ import annotations

import tracemalloc
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from boundkit.algebra import BoundkitError
from boundkit.analysis import memory
from boundkit.simulation.engines import ExactEngine, ExactStateEngine, exact_moment_engine, trajectory
from boundkit.simulation.problems import Quadratic
from boundkit.simulation.run import Run, make_run
from tests.cases import each

LINE = Quadratic([1.0, 2.0, 0.5], [[0.0], [3.0], [1.0]], noise=0.4)
UNIFORM = {"kind": "uniform", "C": 2 / 3}


def run(name: str = "fedavg", problem: Quadratic = LINE, **settings: Any) -> Run:
    return make_run(
        name, problem, **{"rounds": 300, "eta": 0.05, "local_steps": 2, "x0": [4.0] * problem.d} | settings
    )


RUNS = {
    "line": run(participation=UNIFORM),
    "schedule": run(schedule=[[0], [1, 2], [], [2]]),
    "momentum": run(options={"server_momentum": 0.5}, participation=UNIFORM),
    "diagonal": run(problem=Quadratic.random(3, 6, seed=1, noise=0.2), participation=UNIFORM),
    "dense": run(problem=Quadratic.random(3, 2, seed=2, dense=True, noise=0.2), participation=UNIFORM),
    "virtual": run("local_sgd", local_steps=3),
    "virtual of a dense problem": run("local_sgd", Quadratic.random(3, 9, seed=2, dense=True), local_steps=3),
    "diverging": run(eta=1.5, rounds=3000),
}


@pytest.mark.parametrize("name", RUNS)
def test_blocks_are_the_rounds_one_by_one(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    one_by_one = ExactEngine(RUNS[name]).trajectory()
    monkeypatch.setattr(exact_moment_engine, "_MANY", 1)
    monkeypatch.setattr(exact_moment_engine, "_ROUNDS", 64)
    monkeypatch.setattr(exact_moment_engine, "_ROWS", 7)
    blocks = ExactEngine(RUNS[name]).trajectory()
    assert (blocks.outcome, blocks.diverged_at) == (one_by_one.outcome, one_by_one.diverged_at)
    assert set(blocks.observed) == set(one_by_one.observed)
    np.testing.assert_allclose(blocks.x, one_by_one.x, rtol=1e-12, atol=1e-13)
    for series, expected in zip(blocks.observed.values(), one_by_one.observed.values(), strict=True):
        np.testing.assert_allclose(series, expected, rtol=1e-11, atol=1e-13)


def test_a_million_rounds_have_the_closed_form() -> None:
    """One client on a line: E x_t = e + r^t (x_0 - e), and the variance is that of an AR(1) process."""
    alone, eta = Quadratic([1.0], [[2.0]], noise=0.3), 1e-5
    tracemalloc.start()
    seen = ExactEngine(run(problem=alone, rounds=10**6, eta=eta, local_steps=1)).trajectory()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    t, log = np.arange(10**6 + 1), np.log1p(-eta)
    mean = 2 * np.exp(t * log)
    variance = (eta * 0.3) ** 2 * np.expm1(2 * t * log) / np.expm1(2 * log)
    np.testing.assert_allclose(seen.x[:, 0] - 2, mean, rtol=1e-9, atol=1e-13)
    np.testing.assert_allclose(seen.observed["distance_squared"][0], mean**2 + variance, rtol=1e-9)
    assert peak < 4 * (seen.x.nbytes + sum(o.nbytes for o in seen.observed.values()))


def test_nothing_is_below_zero_after_many_rounds() -> None:
    alike = Quadratic.random(4, 3, seed=6, shared=True, spread=0.0)
    seen = ExactEngine(run(problem=alike, rounds=40_000, x0=[1e3] * 3)).trajectory()
    for name in ("loss_gap", "gradient_norm_squared", "distance_squared"):
        assert (seen.observed[name] >= 0).all(), name
        assert seen.observed[name][0, -1] < 1e-20


@each("rounds", [300, 301])
@each("name", ["line", "dense", "virtual of a dense problem"])
def test_the_exact_engine_observes_every_so_many_rounds(name: str, rounds: int) -> None:
    all_of_them = ExactEngine(replace(RUNS[name], rounds=rounds)).trajectory()
    some = ExactEngine(replace(RUNS[name], rounds=rounds, every=7)).trajectory()
    at = [*range(0, rounds + 1, 7), *([rounds] if rounds % 7 else [])]
    assert some.observed_at == tuple(at)
    np.testing.assert_array_equal(some.x, all_of_them.x[at])
    for series, expected in zip(some.observed.values(), all_of_them.observed.values(), strict=True):
        np.testing.assert_array_equal(series, expected[:, at])


@pytest.mark.parametrize("engine", ["exact", "step"])
def test_divergence_is_reported_at_the_next_observed_round(engine: str) -> None:
    asked = replace(RUNS["diverging"], problem=LINE.without_noise())
    first = trajectory(asked, engine).diverged_at
    assert first is not None
    some = trajectory(replace(asked, every=50), engine)
    assert some.diverged_at == -(-first // 50) * 50
    assert some.observed_at == tuple(range(0, some.diverged_at, 50))


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        (run(rounds=10**7), r"of 10,000,001 rounds \(d = 1\) needs about 534\.1 MiB .* use fewer rounds"),
        (
            run("local_sgd", local_steps=10**6),
            "the exact moments after each of 1,000,000 local steps needs about",
        ),
    ],
)
def test_what_would_not_fit_is_refused_with_the_numbers(
    asked: Run, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(memory, "free_bytes", lambda: 2**28)
    with pytest.raises(BoundkitError, match=said):
        trajectory(asked, "exact")


def test_a_rate_that_falls_for_a_hundred_thousand_rounds_keeps_few_maps(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Every round has a map of its own; those of all rounds are not kept."""
    falling = run(eta={"first": 0.1, "offset": 5.0}, rounds=60)
    expected = ExactEngine(falling).trajectory()
    monkeypatch.setattr(exact_moment_engine, "_CACHED", 0)
    monkeypatch.setattr("boundkit.simulation.engines.affine_rounds._CACHED", 0)
    monkeypatch.setattr("boundkit.simulation.engines.aggregation_weights._CACHED", 0)
    engine = ExactEngine(falling)
    np.testing.assert_array_equal(engine.trajectory().x, expected.x)
    assert len(engine.rounds._cached) == 1
    affine = engine.affine
    assert max(len(affine._own), len(affine._common), len(affine.weighing._cache)) <= 1


def test_state_moments_are_observed_every_k_rounds() -> None:
    asked = run("scaffold", rounds=40, participation=UNIFORM)
    all_of_them, some = (
        ExactStateEngine(asked).trajectory(),
        ExactStateEngine(replace(asked, every=9)).trajectory(),
    )
    at = [0, 9, 18, 27, 36, 40]
    assert some.observed_at == tuple(at)
    np.testing.assert_array_equal(some.x, all_of_them.x[at])
    diverging = ExactStateEngine(replace(asked, eta=30.0, rounds=4000)).trajectory().diverged_at
    assert diverging is not None
    some = ExactStateEngine(replace(asked, eta=30.0, rounds=4000, every=9)).trajectory()
    assert some.diverged_at == -(-diverging // 9) * 9
    with pytest.raises(BoundkitError, match="take every = 1 and not 9"):
        ExactStateEngine(run("mifa", every=9))


def test_progress_goes_up_to_the_last_round() -> None:
    for asked in (run(rounds=5000), run("scaffold", rounds=5), RUNS["virtual of a dense problem"]):
        told: list[tuple[int, int]] = []

        def note(done: int, total: int, told: list[tuple[int, int]] = told) -> None:
            told.append((done, total))

        trajectory(asked, "exact", progress=note)
        assert told[-1] == (asked.rounds, asked.rounds)
