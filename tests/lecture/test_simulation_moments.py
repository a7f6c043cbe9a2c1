"""The page's exact moments against those of the exact engine, on every preset and on random settings."""

from functools import cache
from typing import Any

import numpy as np
import pytest

from boundkit.algebra import BoundkitError
from boundkit.lecture.page_data import PRESETS, run_of
from boundkit.simulation.arrays import Array
from boundkit.simulation.engines import ExactEngine, exact_engine
from boundkit.simulation.fixed_point import fixed_point
from boundkit.simulation.run import Run
from boundkit.simulation.run_file import run_from_spec
from boundkit.simulation.surrogate import surrogate_weights
from tests.cases import each
from tests.lecture.simulating import Simulation

CLOSE, ROUNDING = 1e-10, 1e-13
"""Relative, beside what rounding leaves of the numbers that the run began with."""
COUNT = 50
"""Random settings: enough to meet every kind, which a test asserts."""
WITH_MEMORY = ("scaffold", "fedvarp", "vrlsgd")
ALGORITHMS = ("fedavg", "fedprox", "fednova", "minibatch_sgd", *WITH_MEMORY)
PRESET_RUNS = [(name, a) for name, s in PRESETS.items() for a in (s["algorithm"], *s.get("beside", ()))]


@cache
def page() -> Simulation:
    return Simulation()


@cache
def random_runs() -> list[tuple[str, dict[str, Any]]]:
    return [drawn(seed) for seed in range(COUNT)]


@cache
def preset_runs() -> list[tuple[str, dict[str, Any]]]:
    runs = [(algorithm, run_of(PRESETS[name])) for name, algorithm in PRESET_RUNS]
    return [(algorithm, run | {"rounds": min(run["rounds"], 30)}) for algorithm, run in runs]


@cache
def seen_random() -> list[Any]:
    return page().whole(random_runs())


@cache
def seen_presets() -> list[Any]:
    return page().whole(preset_runs())


def drawn(seed: int) -> tuple[str, dict[str, Any]]:
    """A run of few clients: any algorithm, participation, weighing and shape of H; one in ten diverges."""
    rng = np.random.default_rng(seed)
    algorithm = ALGORITHMS[seed % len(ALGORITHMS)]
    m, d = int(rng.integers(2, 5)), int(rng.integers(1, 3))
    shape = rng.choice(["number", "diagonal", "matrix"])
    H: list[Any] = []
    for _ in range(m):
        h = rng.uniform(0.1, 1.0, d)
        turn = np.linalg.qr(rng.standard_normal((d, d)))[0]
        full = (turn * h) @ turn.T
        H.append(
            {"number": float(h[0]), "diagonal": h.tolist(), "matrix": ((full + full.T) / 2).tolist()}[shape]
        )
    p, e = rng.uniform(0.2, 1.0, m), rng.normal(0, 3, (m, d))
    steps: Any = int(rng.integers(1, 6))
    if seed % 3 == 1:
        steps = rng.integers(1, 8, m).tolist()
    if seed % 6 == 5:
        steps = rng.integers(1, 5, (2, m)).tolist()
    wild = seed % 10 == 9
    run: dict[str, Any] = {
        "problem": {"kind": "quadratic", "H": H, "e": e.tolist(), "p": (p / p.sum()).tolist()},
        "x0": rng.normal(0, 4, d).tolist(),
        "rounds": 120 if wild else 20,
        "eta": float(rng.uniform(300, 500) if wild else rng.uniform(0.02, 0.4)),
        "eta_s": float(rng.choice([1.0, 0.7, 1.5])),
        "local_steps": 1 if algorithm == "minibatch_sgd" else steps,
        "noise": float(rng.choice([0.0, 1.3])),
    }  # fmt: skip
    who = rng.choice(["full", "uniform", "cyclic", "bernoulli", "schedule"])
    if who == "uniform":
        run["participation"] = {"kind": "uniform", "C": int(rng.integers(1, m + 1)) / m}
    elif who == "cyclic":
        cut = int(rng.integers(1, m))
        count = {"count": 1} if rng.random() < 0.5 else {}
        run["participation"] = {"kind": "cyclic", "groups": [[*range(cut)], [*range(cut, m)]], **count}
    elif who == "bernoulli":
        run["participation"] = {"kind": "bernoulli", "probabilities": rng.choice([0.3, 0.8, 1.0], m).tolist()}
    elif who == "schedule":
        run["schedule"] = [[*range(m)], [], rng.choice(m, 1).tolist()]
    options: dict[str, Any] = {}
    if algorithm in ("fedavg", "fedprox", "minibatch_sgd"):
        kind = str(rng.choice(["weighted", "mean", "all", "sum", "known", "unbiased"]))
        if kind != "unbiased" or who in ("full", "uniform", "bernoulli"):
            options["aggregation"] = kind
        if kind == "known":
            options["probabilities"] = rng.uniform(0.3, 1.0, m).tolist()
    if algorithm == "fedprox":
        options["mu"] = 0.6
    return algorithm, {**run, "options": options}


def covariances(run: Run, engine: Any, rounds: int) -> tuple[Array, Array]:
    """Cov x_t, (T + 1, d, d), and the size of the second moments that it comes from."""
    d, found, sizes = run.problem.d, [], []
    if isinstance(engine, ExactEngine):
        moments = engine.start
        for t in range(rounds):
            squared = moments.second
            if squared is None:  # a deterministic run
                squared = moments.mean[..., :, None] * moments.mean[..., None, :]
            mean, second = engine.affine.model(moments.mean), engine.affine.model_second(squared)
            full = np.diag(second - mean**2) if engine.affine.diagonal else second - np.outer(mean, mean)
            if engine.affine.diagonal and d == 2:
                full = np.where(np.eye(2) > 0, full, np.nan)  # axes that do not mix are followed one by one
            found.append(full)
            sizes.append(np.abs(second).max())
            moments = engine.rounds[t % run.period](moments)
        return np.stack(found), np.array(sizes)
    mean, cov = engine.maps.initial_moments()
    clocks, at = engine.maps.counters, engine.maps.model
    for t in range(rounds):
        found.append(cov[at, at])
        sizes.append(np.abs(cov[at, at]).max() + np.square(mean[at] - run.problem.optimum).max())
        mean, cov = engine.after(t, mean, cov, clocks)
    return np.stack(found), np.array(sizes)


def assert_alike(algorithm: str, spec: dict[str, Any], seen: Any) -> None:
    run = run_from_spec(algorithm, spec)
    engine = exact_engine(run, must=True)
    assert engine is not None
    expected = engine.trajectory()
    assert (seen["outcome"], seen["divergedAt"]) == (expected.outcome, expected.diverged_at)
    assert len(seen["x"]) == len(expected.x)
    size = np.abs(run.x0).max() + np.abs(run.problem.centre).max()
    away = np.abs(expected.x).max(axis=1) + size
    assert (np.abs(np.array(seen["x"]) - expected.x).max(axis=1) <= CLOSE * away).all()
    for name, series in seen["observed"].items():
        right = expected.mean(name)
        room = CLOSE * np.abs(right) + ROUNDING * (abs(right[0]) + size**2)
        assert (np.abs(np.array(series) - right) <= room).all(), name
    if expected.outcome == "done":
        cov, sizes = covariances(run, engine, len(expected.x))
        missed = np.nanmax(np.abs(np.array(seen["covariance"]) - cov), axis=(1, 2))
        assert (missed <= CLOSE * sizes + ROUNDING * size**2).all()
    assert_same_end(run, engine, seen)


def assert_same_end(run: Run, engine: Any, seen: Any) -> None:
    try:
        end = fixed_point(run)
    except BoundkitError:
        return  # no limit is determined, as where nobody ever comes
    optimum = run.problem.optimum
    assert optimum is not None
    size = np.abs(end.points).max() + np.abs(optimum).max() + 1
    assert np.allclose(seen["optimum"], optimum, rtol=CLOSE, atol=CLOSE)
    if end.spectral_radius < 100:  # a period that magnifies by 1e16 leaves no digit of where it would stay
        assert np.allclose(seen["limit"]["points"], end.points, rtol=0, atol=CLOSE * size)
    assert seen["limit"]["spectralRadius"] == pytest.approx(end.spectral_radius, rel=1e-7)
    assert seen["limit"]["stable"] == end.stable
    assert seen["limit"]["isPoint"] == end.is_point
    if seen["stationary"] is not None:
        for name, value in engine.stationary().items():
            if name in seen["stationary"]["observed"]:
                assert seen["stationary"]["observed"][name] == pytest.approx(value, rel=1e-9, abs=1e-12)


def assert_same_surrogate(algorithm: str, spec: dict[str, Any], seen: Any) -> None:
    """With memory, Python reads weights off limits at small steps, to about 1e-6."""
    run = run_from_spec(algorithm, spec)
    v, near = surrogate_weights(run), 1e-5 if algorithm in WITH_MEMORY else CLOSE
    if v is None:
        assert algorithm in WITH_MEMORY
        return
    assert np.allclose(seen["weights"], v, rtol=0, atol=near)
    other = run_from_spec("fedavg", {**spec, "options": {}, "problem": {**spec["problem"], "p": v.tolist()}})
    assert np.allclose(seen["surrogate"], other.problem.optimum, rtol=0, atol=100 * near)  # type: ignore[arg-type]


@each("k", range(len(PRESET_RUNS)), ids=["-".join(one) for one in PRESET_RUNS])
def test_presets_have_the_moments_of_the_exact_engine(k: int) -> None:
    (algorithm, run), seen = preset_runs()[k], seen_presets()[k]
    assert_alike(algorithm, run, seen)
    if algorithm not in WITH_MEMORY:  # of six clients, where Python takes two dozen limits for it
        assert_same_surrogate(algorithm, run, seen)


@each("k", range(COUNT))
def test_random_settings_have_the_moments_of_the_exact_engine(k: int) -> None:
    assert_alike(*random_runs()[k], seen_random()[k])


@each("algorithm", ALGORITHMS)
def test_surrogates_of_random_settings_are_those_of_python(algorithm: str) -> None:
    of = [k for k, (name, spec) in enumerate(random_runs()) if name == algorithm and spec["eta"] < 1]
    for k in of[: 1 if algorithm in WITH_MEMORY else 12]:
        assert_same_surrogate(*random_runs()[k], seen_random()[k])


def test_random_settings_meet_every_kind() -> None:
    runs = random_runs()
    kinds = {
        "schedule" if "schedule" in r else r.get("participation", {"kind": "full"})["kind"] for _, r in runs
    }
    weighings = {r["options"].get("aggregation") for _, r in runs}
    assert kinds == {"full", "uniform", "cyclic", "bernoulli", "schedule"}
    assert weighings == {None, "weighted", "mean", "all", "sum", "known", "unbiased"}
    assert {algorithm for algorithm, _ in runs} == set(page().ask("Object.keys(s.ALGORITHMS)"))
    assert {seen_random()[k]["outcome"] for k in range(9, COUNT, 10)} == {"diverged"}
