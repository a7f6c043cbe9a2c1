"""Where algorithms rest on quadratics, from their probed rounds, against closed forms that know no engine.

Five clients in two coordinates, a Hessian of its own for each, unequal weights, 1 to 20 local steps, full
gradients. With R_i = I - eta H_i and K_i = I - R_i^tau_i a client that starts from x ends in e_i + R_i^tau_i
(x - e_i).
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from boundkit.simulation.algorithms.base import Local
from boundkit.simulation.algorithms.local_adaptive import LocalAdaptive
from boundkit.simulation.fixed_point import fixed_point
from boundkit.simulation.problems import Quadratic
from boundkit.simulation.run import Run, make_run
from tests.cases import each

Array = NDArray[np.float64]
TAU = np.array([1, 3, 7, 12, 20])
P = np.array([0.1, 0.3, 0.2, 0.25, 0.15])
EYE = np.eye(2)
TOLERANCE = 1e-10


def made(weights: Array | None = P) -> Quadratic:
    plain = Quadratic.random(5, 2, seed=8, dense=True, spread=2.0, curvature=(0.3, 1.0))
    return Quadratic(list(plain.H), plain.e, None if weights is None else list(weights))


PROBLEM, EQUAL = made(), made(None)


def run_of(name: str, problem: Quadratic = PROBLEM, eta: float = 0.1, **more: Any) -> Run:
    settings = {"rounds": 1, "eta": eta, "local_steps": TAU.tolist(), "x0": np.array([3.0, -2.0])}
    return make_run(name, problem, **{**settings, **more})


def power(A: Array, n: int) -> Array:
    return np.asarray(np.linalg.matrix_power(A, int(n)))


def K(problem: Quadratic, eta: float) -> list[Array]:
    return [EYE - power(EYE - eta * H, n) for H, n in zip(problem.H, TAU, strict=True)]


def weighted(weights: Array, maps: list[Array], targets: Array) -> Array:
    """(sum w_i M_i)^-1 sum w_i M_i e_i."""
    return np.asarray(
        np.linalg.solve(
            sum(w * M for w, M in zip(weights, maps, strict=True)),
            sum(w * M @ e for w, M, e in zip(weights, maps, targets, strict=True)),
        )
    )


def optimum(problem: Quadratic, weights: Array) -> Array:
    return weighted(weights, list(problem.H), problem.e)


def assert_limit(run: Run, expected: Array) -> None:
    np.testing.assert_allclose(fixed_point(run).points[0], expected, atol=TOLERANCE)


@each(("mu", "eta"), [(0.5, 0.3), (5.0, 0.1), (20.0, 0.05)])
def test_fedprox_by_gradient_steps(mu: float, eta: float) -> None:
    Q = [
        (EYE - power(EYE - eta * (H + mu * EYE), n)) @ np.linalg.inv(H + mu * EYE) @ H
        for H, n in zip(PROBLEM.H, TAU, strict=True)
    ]
    assert_limit(run_of("fedprox", eta=eta, options={"mu": mu}), weighted(P, Q, PROBLEM.e))


def test_fedprox_with_exact_minimisers() -> None:
    Q = [np.linalg.inv(H + 2 * EYE) @ H for H in PROBLEM.H]
    run = run_of("fedprox", local_steps=1, options={"mu": 2.0, "exact": True})
    assert_limit(run, weighted(P, Q, PROBLEM.e))


@each("eta", [0.3, 0.03])
def test_fednova(eta: float) -> None:
    assert_limit(run_of("fednova", eta=eta), weighted(P / TAU, K(PROBLEM, eta), PROBLEM.e))


@each("eta", [0.3, 0.05])
def test_vrlsgd_with_own_divisors_weighs_clients_by_steps(eta: float) -> None:
    run = run_of("vrlsgd", eta=eta, options={"divisor": "own"})
    assert_limit(run, optimum(PROBLEM, P * TAU))


def test_vrlsgd_with_one_divisor_converges_to_the_optimum() -> None:
    run = run_of("vrlsgd", eta=0.3, options={"divisor": "mean"})
    assert_limit(run, optimum(PROBLEM, P))


@each("variant", ["I", "II"])
@each("eta", [0.2, 0.05, 0.005])
def test_scaffold_converges_to_the_optimum_at_any_stable_step(variant: str, eta: float) -> None:
    limit = fixed_point(run_of("scaffold", eta=eta, options={"variant": variant}))
    assert limit.stable
    np.testing.assert_allclose(limit.points[0], optimum(PROBLEM, P), atol=TOLERANCE)


def test_fednova_with_variance_reduction_converges_to_the_optimum() -> None:
    run = run_of("fednova", eta=0.05, options={"variance_reduction": True})
    assert_limit(run, optimum(PROBLEM, P))


@each("who", ["full", {"kind": "uniform", "C": 0.4}])
@each(("name", "options"), [("mifa", {"wait": False}), ("fedvarp", {})])
def test_memories_leave_the_resting_point_to_all_clients(
    name: str, options: dict[str, Any], who: Any
) -> None:
    run = run_of(name, EQUAL, options=options, participation=who)
    assert_limit(run, weighted(EQUAL.p, K(EQUAL, 0.1), EQUAL.e))


class Frozen(LocalAdaptive):
    """Local steps with a preconditioner of each client's own that never moves, (m, d)."""

    D = np.array([[1.0, 0.5], [0.3, 0.8], [0.9, 0.2], [0.6, 0.6], [0.4, 1.0]])

    def local_step(self, local: Local, gradient: Array, eta: float) -> Local:
        D = np.broadcast_to(self.D, gradient.shape)
        return {**local, "y": local["y"] - eta * D * gradient, "A": local["A"] + eta * D}


def frozen(correction: str, eta: float, rounds: int = 1) -> Run:
    run = run_of("local_adaptive", eta=eta, rounds=rounds, options={"solver": "sgd"})
    return replace(run, algorithm=Frozen({"solver": "sgd", "correction": correction}))


def adapted(eta: float, corrected: bool) -> Array:
    D = Frozen.D
    maps = [EYE - power(EYE - eta * d[:, None] * H, n) for d, H, n in zip(D, PROBLEM.H, TAU, strict=True)]
    if corrected:
        maps = [M / (n * d)[:, None] for M, n, d in zip(maps, TAU, D, strict=True)]
    return weighted(P, maps, PROBLEM.e)


@each("correction", ["none", "local", "joint"])
@each("eta", [0.3, 0.01])
def test_frozen_local_preconditioners(correction: str, eta: float) -> None:
    assert_limit(frozen(correction, eta), adapted(eta, correction != "none"))
