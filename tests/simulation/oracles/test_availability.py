"""Clients that come and go: exact weights, the two-client example, what FedAWE conserves, FedAU's cut-off."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from boundkit import objective
from boundkit.simulation.fixed_point import fixed_point
from boundkit.simulation.problems import Quadratic
from boundkit.simulation.run import make_run
from tests.cases import each, thinned
from tests.simulation.algorithms.rounds import line, states

FOUR = [0.9, 0.5, 0.2, 0.05]


def subsets(q: Any) -> Any:
    """Each set of clients with its chance, by enumeration."""
    m = len(q)
    for code in range(2**m):
        here = np.array([bool(code >> i & 1) for i in range(m)])
        yield float(np.prod(np.where(here, q, 1 - np.array(q)))), here


def coming(q: Any) -> dict[str, Any]:
    return {"kind": "bernoulli", "probabilities": list(q)}


OPTIONS: dict[str, dict[str, Any]] = {
    "mean": {"aggregation": "mean"},
    "all": {"aggregation": "all"},
    "known": {"aggregation": "known", "probabilities": FOUR},
}


def weights(kind: str) -> Any:
    """E w_i by hand."""
    q = np.array(FOUR)
    if kind == "mean":
        return sum((chance * here / here.sum() for chance, here in subsets(FOUR) if here.any()), 0 * q)
    return q / 4 if kind == "all" else np.full(4, 0.25)


@each("kind", OPTIONS)
@each(("tau", "eta"), [(1, 0.3), (3, 0.1)])
def test_fedavg_converges_to_the_fixed_point_of_the_mean_map(kind: str, tau: int, eta: float) -> None:
    """E x = (sum w_i K_i)^-1 sum w_i K_i c_i with K_i = I - (I - eta H_i)^tau."""
    problem = Quadratic.random(4, 2, seed=3, dense=True)
    found = objective("fedavg", problem, eta=eta, local_steps=tau, participation=coming(FOUR),
                      options=OPTIONS[kind])  # fmt: skip
    w = weights(kind)
    K = np.eye(2) - np.linalg.matrix_power(np.eye(2) - eta * problem.H, tau)
    expected = np.linalg.solve(np.einsum("i,ijk->jk", w, K), np.einsum("i,ijk,ik->j", w, K, problem.e))
    assert found.interval is None
    assert found.surrogate_weights is not None
    assert found.surrogate_optimum is not None
    np.testing.assert_allclose(found.limit.points[0], expected, rtol=0, atol=1e-10)
    np.testing.assert_allclose(found.surrogate_weights, w / w.sum(), rtol=0, atol=1e-10)
    least = np.linalg.solve(np.einsum("i,ijk->jk", w, problem.H), w @ problem.apply(problem.e))
    np.testing.assert_allclose(found.surrogate_optimum, least, rtol=0, atol=1e-10)
    if kind == "known" and tau == 1:
        assert found.distance_to_optimum < 1e-10


def odd_rounds(name: str, u1: float, u2: float, e: float) -> tuple[float, float]:
    """The model that enters an odd round, in which both clients come, and the one after it."""
    both = e * (u1 + u2) / 2
    if name == "active":
        y = ((1 - e) * (u1 + u2) / 2 + u1) / (2 - e)
        return y, (1 - e) * y + both
    if name == "all":
        y = ((1 - e / 2) * (u1 + u2) + u1) / (3 - e)
        return y, (1 - e) * y + both
    if name == "came":
        y = ((3 - e) * u1 + 2 * (1 - e) * u2) / (5 - 3 * e)
    else:
        y = ((1 - e / 2) * (u1 + 2 * u2) + u1) / (4 - 1.5 * e)
    return y, (1 - 1.5 * e) * y + e / 2 * (u1 + 2 * u2)


CASES: dict[str, tuple[str, dict[str, Any]]] = {
    "active": ("fedavg", {"aggregation": "mean"}),
    "all": ("fedavg", {"aggregation": "all"}),
    "came": ("gap_reweighted", {"divisor": "came"}),
    "reweighted all": ("gap_reweighted", {"divisor": "all"}),
    "fedau": ("fedau", {}),
}
SETTINGS = [(0.0, 1.0), (-2.0, 5.0), (0.0, 100.0)]


def example(algorithm: str, options: dict[str, Any], u: tuple[float, float], eta: float) -> Any:
    return make_run(algorithm, line(*u), rounds=4, eta=eta, schedule=[[0, 1], [0]], options=options)


@each("eta", thinned([0.1, 0.3, 0.01], 1))
@each("u", SETTINGS)
@each("name", CASES)
def test_a_client_that_participates_every_second_round(name: str, u: tuple[float, float], eta: float) -> None:
    limit = fixed_point(example(*CASES[name], u, eta))
    y, z = limit.points[:, 0]
    np.testing.assert_allclose([y, z], odd_rounds(name, *u, eta), rtol=0, atol=1e-10 * max(map(abs, u)))


@each("eta", [0.3, 0.1, 0.01])
@each("u", SETTINGS)
def test_fedawe_on_it(u: tuple[float, float], eta: float) -> None:
    """After an odd round both have z; the first then takes a step; the mean over the cycle is the optimum."""
    u1, u2 = u
    limit = fixed_point(example("fedawe", {}, u, eta))
    z = ((2 - eta) * u1 + 2 * u2) / (4 - eta)
    y = (1 - eta) * z + eta * u1
    size = 1e-10 * max(map(abs, u))
    np.testing.assert_allclose(limit.points[:, 0], [y, z], rtol=0, atol=size)  # the last aggregate
    means = limit.models["mean_model"][:, 0]
    np.testing.assert_allclose(means, [(y + z) / 2, z], rtol=0, atol=size)
    assert means.mean() == pytest.approx((u1 + u2) / 2, abs=size)


def random_rounds(seed: int, rounds: int, m: int = 5) -> list[list[int]]:
    rng = np.random.default_rng(seed)
    return [[], *(np.flatnonzero(rng.random(m) < 0.35).tolist() for _ in range(rounds - 2)), []]


@each("seed", [0, 1])
@each(("tau", "eta_s"), [(1, 1.0), (4, 1.0), (3, 2.5)])
def test_fedawe_moves_the_mean_of_all_under_any_participation(seed: int, tau: int, eta_s: float) -> None:
    """z_i = x_i - eta_s (t - t_i - 1) G_i(x_i), tau steps taking G_i off: mean z moves by -eta_s mean G_i."""
    problem = Quadratic.random(5, 3, seed=seed, dense=True)
    eta, schedule = 0.1, random_rounds(seed, 40)
    assert sum(not s for s in schedule) >= 4
    some = make_run("fedawe", problem, rounds=40, eta=eta, eta_s=eta_s, local_steps=tau, schedule=schedule,
                    x0=[3.0, -1.0, 2.0])  # fmt: skip
    K = np.eye(3) - np.linalg.matrix_power(np.eye(3) - eta * problem.H, tau)
    mean, moved = [], []
    for state in states(some):
        x, gap = state["stored"][0], state["gap"][0]
        G = np.einsum("ijk,ik->ij", K, x - problem.e)
        mean.append((x - eta_s * (gap - 1)[:, None] * G).mean(axis=0))
        moved.append(eta_s * G.mean(axis=0))
    size = max(1.0, float(np.abs(mean).max()))
    np.testing.assert_allclose(np.diff(mean, axis=0), -np.array(moved[:-1]), rtol=0, atol=1e-12 * size)


@each("K", [1, 2, 6, 50, 2000])
def test_the_limit_of_fedau_with_a_cutoff(K: int) -> None:
    """It weighs by 1 - (1 - q)^K: by q at K = 1, and alike in the limit."""
    q = np.array([0.8, 0.3, 0.1])
    some = make_run("fedau", line(0.0, 1.0, 10.0), rounds=1, eta=0.1, participation=coming(q),
                    options={"cutoff": K})  # fmt: skip
    w = 1 - (1 - q) ** K
    found = fixed_point(some).points[0, 0]
    assert found == pytest.approx(w @ [0.0, 1.0, 10.0] / w.sum(), abs=1e-10)
    if K == 1:
        over_all = make_run("fedavg", some.problem, rounds=1, eta=0.1, participation=coming(q),
                            options={"aggregation": "all"})  # fmt: skip
        assert found == pytest.approx(fixed_point(over_all).points[0, 0], abs=1e-10)
    if K == 2000:
        endless = replace(some, algorithm=type(some.algorithm)({}))
        assert found == pytest.approx(fixed_point(endless).points[0, 0], abs=1e-10)
        assert found == pytest.approx(11 / 3, abs=1e-10)
