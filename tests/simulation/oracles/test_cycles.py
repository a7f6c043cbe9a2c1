"""Cycles in closed form, against the runs themselves and against what ``objective`` solves for."""

from itertools import combinations

import numpy as np
import pytest
from numpy.typing import NDArray

import boundkit as bk
from boundkit.simulation.engines import ExactEngine, trajectory
from boundkit.simulation.fixed_point import fixed_point
from boundkit.simulation.problems import Quadratic
from boundkit.simulation.run import Run, make_run
from tests.cases import each
from tests.simulation.hessians import matrices
from tests.simulation.selection.closed_forms import two_client_cycle

Array = NDArray[np.float64]
UNLIKE = Quadratic.random(6, 2, seed=7, dense=True, curvature=(0.3, 1.5))


def in_turn(problem: Quadratic, eta: float, tau: int, groups: object = 3, **more: object) -> Run:
    rounds = more.pop("rounds", 3)
    return make_run("fedavg", problem, rounds=rounds, eta=eta, local_steps=tau, x0=np.full(problem.d, 3.0),
                    participation={"kind": "cyclic", "groups": groups, **more})  # fmt: skip


def group_maps(
    problem: Quadratic, eta: float, tau: int, groups: list[list[int]]
) -> list[tuple[Array, Array]]:
    """x -> A_g x + b_g, A_g = mean (I - eta H_k)^tau, b_g = mean (I - (I - eta H_k)^tau) e_k."""
    one = np.eye(problem.d)
    maps = [np.linalg.matrix_power(one - eta * h, tau) for h in matrices(list(problem.H), problem.d)]
    return [
        (
            np.mean([maps[k] for k in g], axis=0),
            np.mean([(one - maps[k]) @ problem.e[k] for k in g], axis=0),
        )
        for g in groups
    ]


def closed(problem: Quadratic, eta: float, tau: int, groups: list[list[int]]) -> Array:
    """(I - A_K ... A_1)^-1 sum_g (A_K ... A_{g+1}) b_g: the model with which a cycle starts and ends."""
    A, b = np.eye(problem.d), np.zeros(problem.d)
    for A_g, b_g in group_maps(problem, eta, tau, groups):
        A, b = A_g @ A, A_g @ b + b_g
    return np.asarray(np.linalg.solve(np.eye(problem.d) - A, b))


# two clients, the larger loss works


@each(
    ("curvatures", "eta", "tau"),
    [([1.0, 1.0], 0.3, 1), ([2.0, 2.0], 0.1, 4), ([1.0, 1.2], 0.5, 2), ([4, 1], 0.1, 3)],
)
def test_the_cycle_of_two_clients_in_the_run_itself(curvatures: list[float], eta: float, tau: int) -> None:
    problem = Quadratic(curvatures, [[1.0], [-2.0]], [0.7, 0.3])
    run = make_run(
        "fedavg", problem, rounds=400, eta=eta, local_steps=tau, x0=[9.0], options={"aggregation": "mean"},
        participation={"kind": "power_of_choice", "count": 1, "d": 2},
    )  # fmt: skip
    x = trajectory(run, "step").x[:, 0]
    found = two_client_cycle(problem, eta, tau)
    low, high = found.stays_in
    assert low - 1e-12 <= x[-200:].min()
    assert x[-200:].max() <= high + 1e-12
    if found.exists:
        assert sorted(x[-2:]) == pytest.approx([found.low, found.high], abs=1e-10)
    else:
        assert abs(x[-1] - x[-3]) > 1e-6  # a longer cycle


# groups that take turns


@each("tau", [5])
@each("groups", [[[0, 1], [2, 3], [4, 5]], [[5, 0, 2], [1, 3, 4]], [[0], [1], [2], [3], [4], [5]]])
def test_the_limit_cycle(tau: int, groups: list[list[int]]) -> None:
    run = in_turn(UNLIKE, 0.2, tau, groups)
    point = closed(UNLIKE, 0.2, tau, groups)
    np.testing.assert_allclose(fixed_point(run).points[0], point, rtol=0, atol=1e-10)
    np.testing.assert_allclose(bk.objective(run).limit.points[0], point, rtol=0, atol=1e-10)
    x = point
    for (A, b), seen in zip(
        group_maps(UNLIKE, 0.2, tau, groups), np.roll(fixed_point(run).points, -1, axis=0), strict=True
    ):
        x = A @ x + b
        np.testing.assert_allclose(seen, x, rtol=0, atol=1e-10)
    many = in_turn(UNLIKE, 0.2, tau, groups, rounds=420)
    np.testing.assert_allclose(trajectory(many, "step").x[-1], point, rtol=0, atol=1e-10)


def first_order(problem: Quadratic, eta: float, tau: int, groups: list[list[int]]) -> Array:
    """(eta/K) H^-1 [tau sum_{g<g'} H_g' g_g + ((tau - 1)/2) sum_g mean_{k in g} H_k g_k], g_k at x*."""
    assert problem.optimum is not None
    H = np.stack(matrices(list(problem.H), problem.d))
    g = np.einsum("kij,kj->ki", H, problem.optimum - problem.e)
    order = sum(
        (
            H[groups[b]].mean(axis=0) @ g[groups[a]].mean(axis=0)
            for a, b in combinations(range(len(groups)), 2)
        ),
        np.zeros(problem.d),
    )
    drift = sum(np.einsum("kij,kj->ki", H[s], g[s]).mean(axis=0) for s in groups)
    return np.asarray(
        eta / len(groups) * np.linalg.solve(H.mean(axis=0), tau * order + (tau - 1) / 2 * drift)
    )


@each("tau", [1, 4])
def test_the_bias_goes_with_the_step(tau: int) -> None:
    groups = [[0, 1], [2, 3], [4, 5]]
    assert UNLIKE.optimum is not None
    off = [fixed_point(in_turn(UNLIKE, eta, tau)).points[0] - UNLIKE.optimum for eta in (1e-6, 1e-5, 1e-4)]
    sizes = np.log([float(np.linalg.norm(v)) for v in off])
    assert float(np.diff(sizes[:2])[0] / np.log(10)) == pytest.approx(1, abs=1e-4)
    gaps = np.log([float(UNLIKE.observe(v[None] + UNLIKE.optimum)["loss_gap"][0]) for v in off])
    assert float(np.diff(gaps[:2])[0] / np.log(10)) == pytest.approx(2, abs=2e-4)
    expected = first_order(UNLIKE, 1e-4, tau, groups)
    assert float(np.linalg.norm(off[2] - expected)) <= 1e-3 * float(np.linalg.norm(expected))


# who comes of a group is drawn


def test_the_mean_obeys_the_cycle_of_whole_groups() -> None:
    groups = [[0, 1, 2], [3, 4, 5]]
    run = in_turn(UNLIKE, 0.2, 3, groups, count=2, rounds=400)
    np.testing.assert_allclose(fixed_point(run).points[0], closed(UNLIKE, 0.2, 3, groups), rtol=0, atol=1e-10)
    np.testing.assert_allclose(
        ExactEngine(run).trajectory().x[-1], closed(UNLIKE, 0.2, 3, groups), rtol=0, atol=1e-10
    )


def test_moments_of_two_rounds_by_enumeration() -> None:
    groups, eta, tau = [[0, 1, 2], [3, 4, 5]], 0.3, 2
    run = in_turn(UNLIKE, eta, tau, groups, count=2, rounds=2)
    each = group_maps(UNLIKE, eta, tau, [[k] for k in range(6)])
    ends = [run.x0]
    for g in groups:
        ends = [np.mean([each[k][0] @ x + each[k][1] for k in pair], axis=0)
                for x in ends for pair in combinations(g, 2)]  # fmt: skip
    seen = ExactEngine(run).trajectory()
    found = UNLIKE.observe(np.array(ends))
    assert len(ends) == 9
    np.testing.assert_allclose(seen.x[-1], np.mean(ends, axis=0), rtol=0, atol=1e-13)
    for name in ("loss_gap", "distance_squared"):
        assert seen.mean(name)[-1] == pytest.approx(float(found[name].mean()), rel=1e-12)
