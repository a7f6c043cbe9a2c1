"""Exact moments against closed forms and against every subset that can come."""

from dataclasses import replace
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from boundkit.algebra import BoundkitError
from boundkit.simulation.engines import ExactEngine, exact_engine
from boundkit.simulation.engines.aggregation_weights import TooManySubsets
from boundkit.simulation.problems import Quadratic, SmoothNonconvex
from boundkit.simulation.run import Run, make_run
from tests.cases import each
from tests.simulation.hessians import hessian, matrices

Array = NDArray[np.float64]


@each("seed", range(8))
def test_stationary_variance_is_the_closed_form(seed: int) -> None:
    """Shared unit Hessians: rho/(2 - eta_s rho) V q/M and the noise floor, with a server step."""
    rng = np.random.default_rng(seed)
    m, d, tau = int(rng.integers(2, 20)), int(rng.integers(1, 4)), int(rng.integers(1, 40))
    M = int(rng.integers(1, m + 1))
    eta, sigma = float(10 ** rng.uniform(-4, -0.5)), float(rng.uniform(0, 2))
    rho = 1 - (1 - eta) ** tau
    eta_s = float(rng.uniform(0.1, 1.9 / rho if seed % 2 else 1))
    e = 3 + rng.normal(size=(m, d))
    run = make_run(
        "fedavg", Quadratic([1.0] * m, e, noise=sigma), rounds=1, eta=eta, eta_s=eta_s, local_steps=tau,
        participation={"kind": "uniform", "C": M / m}, x0=np.ones(d),
    )  # fmt: skip
    V = ((e - e.mean(0)) ** 2).sum(1).mean()
    sampling = eta_s * rho / (2 - eta_s * rho) * (m - M) / (M * max(m - 1, 1)) * V
    noise = eta_s * eta * sigma**2 * (2 - rho) / (M * (2 - eta) * (2 - eta_s * rho))
    seen = ExactEngine(run).stationary()
    assert seen["distance_squared"] == pytest.approx(sampling + noise, rel=1e-10)
    assert seen["gradient_norm_squared"] == pytest.approx(sampling + noise, rel=1e-10)
    assert seen["loss_gap"] == pytest.approx((sampling + noise) / 2, rel=1e-10)
    assert seen["dissimilarity"] == pytest.approx(V, rel=1e-10)


@each("curvature", ["diagonal", "dense"])
@each("aggregation", ["weighted", "mean", "all", "sum", "known", "unbiased"])
@each("size", [1, 2, 4])
def test_moments_are_those_of_all_subsets(aggregation: str, curvature: str, size: int) -> None:
    """Three rounds of two to four clients with unequal weights, steps and noise, each path on its own."""
    momentum = 0.5 * (size % 2)
    run = _random_run(size, m=4, d=2, size=size, aggregation=aggregation, curvature=curvature,
                      momentum=momentum, rounds=3)  # fmt: skip
    assert isinstance(run.problem, Quadratic)
    seen, expected = ExactEngine(run).trajectory(), _enumerated(run)
    np.testing.assert_allclose(seen.x, [mean for mean, _ in expected], rtol=1e-11, atol=1e-12)
    for name in seen.observed:
        values = [_expectation(run.problem, name, mean, second) for mean, second in expected]
        np.testing.assert_allclose(seen.observed[name][0], values, rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("d", [2, 9])
def test_long_runs_stay_symmetric_and_non_negative(d: int) -> None:
    """An antisymmetric rounding error grows by 1 + rho^2 a round unless it is taken out."""
    problem = Quadratic.random(3, d, seed=5, dense=True, noise=0.3, curvature=(0.3, 1.0))
    run = make_run("fedavg", problem, rounds=5_000, eta=0.5, local_steps=4, x0=np.full(d, 5.0),
                   participation={"kind": "uniform", "C": 1 / 3})  # fmt: skip
    engine = ExactEngine(run)
    seen = engine.trajectory()
    assert seen.outcome == "done"
    for name in ("loss_gap", "gradient_norm_squared", "distance_squared", "dissimilarity"):
        assert (seen.observed[name] >= 0).all(), name
        tail = seen.observed[name][0, -100:]
        np.testing.assert_allclose(tail, tail[0], rtol=1e-9)
    moments = engine.start
    for _ in range(300):
        moments = engine.rounds[0](moments)
    assert moments.second is not None
    np.testing.assert_array_equal(moments.second, np.swapaxes(moments.second, -1, -2))
    assert np.linalg.eigvalsh(moments.second).min() >= -1e-12


@pytest.mark.parametrize("d", [1, 9])
def test_divergence_is_an_outcome_with_finite_arrays(d: int) -> None:
    problem = Quadratic.random(2, d, seed=7, dense=True, curvature=(1.0, 2.0))
    seen = ExactEngine(make_run("fedavg", problem, rounds=2000, eta=2.0, x0=np.ones(d))).trajectory()
    assert seen.outcome == "diverged"
    assert seen.diverged_at == len(seen.x) < 2001
    assert np.isfinite(seen.x).all()
    assert all(np.isfinite(o).all() and o.shape == (1, len(seen.x)) for o in seen.observed.values())


def test_a_start_beyond_all_numbers_is_refused() -> None:
    run = make_run("fedavg", Quadratic([1.0], [[0.0]]), rounds=2, eta=0.1)
    with pytest.raises(BoundkitError, match="the loss at x0 is not finite"):
        ExactEngine(replace(run, x0=np.array([1e200]))).trajectory()


def test_one_that_diverges_has_no_stationary_state() -> None:
    run = make_run("fedavg", Quadratic([1.0], [[0.0]]), rounds=2, eta=2.5)
    with pytest.raises(BoundkitError, match="do not converge"):
        ExactEngine(run).stationary()
    cycle = make_run("fedavg", Quadratic([1.0] * 2, [[0.0], [1.0]]), rounds=2, eta=0.1, schedule=[[0], [1]])
    with pytest.raises(BoundkitError, match="one distribution for all rounds"):
        ExactEngine(cycle).stationary()


def test_too_many_subsets_and_other_problems_are_refused_by_name() -> None:
    p = np.arange(1.0, 41) / np.arange(1.0, 41).sum()
    run = make_run("fednova", Quadratic([1.0] * 40, np.zeros((40, 1)), p), rounds=1, eta=0.1,
                   local_steps=list(range(1, 41)), participation={"kind": "uniform", "C": 0.5})  # fmt: skip
    with pytest.raises(TooManySubsets, match="20 of 40 clients with unequal weights"):
        ExactEngine(run)
    assert exact_engine(run) is None
    bent = make_run("fedavg", SmoothNonconvex([[1.0], [-1.0]]), rounds=1, eta=0.1)
    with pytest.raises(BoundkitError, match="need a quadratic problem, not smooth_nonconvex"):
        exact_engine(bent, must=True)
    assert exact_engine(bent) is None


def _random_run(
    seed: int, *, m: int, d: int, size: int, aggregation: str, rounds: int, curvature: str = "dense",
    momentum: float = 0.0, server_momentum: float = 0.0,
) -> Run:  # fmt: skip
    rng = np.random.default_rng(seed)
    options: dict[str, Any] = {
        "aggregation": aggregation,
        "momentum": momentum,
        "server_momentum": server_momentum,
    }
    if aggregation == "known":
        options["probabilities"] = rng.uniform(0.3, 1, m).tolist()
    problem = Quadratic(
        [hessian(rng, d, curvature) for _ in range(m)],
        rng.normal(size=(m, d)),
        rng.dirichlet(np.ones(m)),
        noise=0.4,
    )
    return make_run(
        "fedavg", problem, rounds=rounds, eta=0.15, eta_s=0.9,
        local_steps=rng.integers(1, 5, (2, m)).tolist(), x0=rng.normal(size=d),
        participation={"kind": "uniform", "C": size / m}, options=options,
    )  # fmt: skip


def _enumerated(run: Run) -> list[tuple[Array, Array]]:
    """E x and E x x' after each round, from every sequence of subsets (no server momentum)."""
    problem = run.problem
    assert isinstance(problem, Quadratic)
    m, d, H = problem.m, problem.d, matrices(list(problem.H), problem.d)
    size = round(float(run.participation.mean_counts()[0]) * m)  # type: ignore[index]
    subsets = list(combinations(range(m), size))
    settings = run.algorithm.settings
    paths = [(1.0, run.x0, np.zeros((d, d)))]  # probability, mean, covariance
    result = [(run.x0, np.outer(run.x0, run.x0))]
    for t in range(run.rounds):
        after = []
        maps = [
            _client(H[i], problem.e[i], int(run.steps(t)[i]), run.eta, settings["momentum"]) for i in range(m)
        ]
        for probability, mean, covariance in paths:
            for came in subsets:
                A, b, N = np.eye(d), np.zeros(d), np.zeros((d, d))
                for i in came:
                    w = (
                        run.eta_s
                        * {
                            "weighted": problem.p[i] / problem.p[list(came)].sum(),
                            "mean": 1 / size,
                            "all": 1 / m,
                            "sum": problem.p[i],
                            "known": 1 / (m * (settings["probabilities"] or [1] * m)[i]),
                            "unbiased": problem.p[i] * m / size,
                        }[settings["aggregation"]]
                    )
                    G, g, responses = maps[i]
                    A, b = A - w * G, b - w * g
                    N = N + w**2 * problem.noise**2 / d * sum(R @ R.T for R in responses)
                after.append((probability / len(subsets), A @ mean + b, A @ covariance @ A.T + N))
        paths = after
        first = sum(c * mean for c, mean, _ in paths)
        second = sum(c * (cov + np.outer(mean, mean)) for c, mean, cov in paths)
        result.append((np.asarray(first), np.asarray(second)))
    return result


def _client(H: Array, e: Array, tau: int, eta: float, rho: float) -> tuple[Array, Array, list[Array]]:
    """x - y after tau steps as G x + g, and its response to the noise of each step, by unit inputs."""
    d = len(e)

    def leave(x: Array, kick: int = -1, noise: Array | None = None) -> Array:
        y, v = x.copy(), np.zeros(d)
        for k in range(tau):
            gradient = H @ (y - e) + (noise if k == kick and noise is not None else 0)
            v = rho * v + gradient
            y = y - eta * v
        return x - y

    g = leave(np.zeros(d))
    G = np.stack([leave(row) - g for row in np.eye(d)], axis=1)
    return G, g, [np.stack([leave(np.zeros(d), k, row) - g for row in np.eye(d)], axis=1) for k in range(tau)]


def _expectation(problem: Quadratic, name: str, mean: Array, second: Array) -> float:
    """E of an observable, from the definition of each as a sum over clients."""
    d = problem.d
    H, e, p = matrices(list(problem.H), d), problem.e, problem.p
    mean_H = sum(w * h for w, h in zip(p, H, strict=True))
    mean_g = sum(w * h @ c for w, h, c in zip(p, H, e, strict=True))
    best = np.linalg.solve(mean_H, mean_g)

    def square(A: Any, b: Any) -> float:  # E ||A x - b||^2
        return float(np.trace(A @ second @ A.T) - 2 * b @ A @ mean + b @ b)

    if name == "gradient_norm_squared":
        return square(mean_H, mean_g)
    if name == "distance_squared":
        return square(np.eye(d), best)
    if name == "dissimilarity":
        return float(sum(w * square(h - mean_H, h @ c - mean_g) for w, h, c in zip(p, H, e, strict=True)))

    def loss(S: Array, u: Array) -> float:
        clients = zip(p, H, e, strict=True)
        return float(sum(w / 2 * (np.trace(h @ S) - 2 * c @ h @ u + c @ h @ c) for w, h, c in clients))

    least = loss(np.outer(best, best), best) if name == "loss_gap" else 0.0
    return loss(second, mean) - least
