"""The reference against closed forms: what no recorded run decides, a theorem does."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.cases import each
from tests.representatives import aside
from tests.simulation.reference import mean_models, replay
from tests.simulation.reference.cases import GAPS4, PLANE, SPACE, line, plane, space
from tests.simulation.reference.setting import Array, matrices, optimum

LINE_E = [1.0, -2.0, 4.0]


def minimum(problem: dict[str, Any], weights: Array | None = None) -> Array:
    p = np.array(problem["p"]) if weights is None else weights
    return optimum(problem, p)


def last(algorithm: str, spec: dict[str, Any]) -> Array:
    return np.array(replay(algorithm, spec)[-1])


def K(problem: dict[str, Any], eta: float, tau: list[int], mu: float = 0.0) -> list[Array]:
    """I - (I - eta (H_i + mu I))^tau_i, times (H_i + mu I)^-1 H_i."""
    out = []
    for H, steps in zip(matrices(problem), tau, strict=True):
        unit = np.eye(len(H))
        M = H + mu * unit
        out.append((unit - np.linalg.matrix_power(unit - eta * M, steps)) @ np.linalg.solve(M, H))
    return out


def solution(problem: dict[str, Any], maps: list[Array]) -> Array:
    e = np.array(problem["e"])
    right = sum((maps[i] @ e[i] for i in range(len(e))), np.zeros_like(e[0]))
    return np.array(np.linalg.solve(sum(maps, np.zeros_like(maps[0])), right))


def close(x: Array, expected: Array, tolerance: float = 1e-10) -> None:
    np.testing.assert_allclose(x, expected, rtol=0, atol=tolerance)


@each(("algorithm", "mu"), [("fedavg", 0.0), ("fedprox", 1.5)])
def test_fedavg_and_fedprox_end_at_their_closed_form(algorithm: str, mu: float) -> None:
    spec = space(rounds=600) | ({"options": {"mu": mu}} if mu else {})
    p, maps = SPACE["p"], K(SPACE, spec["eta"], spec["local_steps"], mu)
    close(last(algorithm, spec), solution(SPACE, [p[i] * maps[i] for i in range(5)]))


def test_fednova_ends_at_its_closed_form() -> None:
    spec = space(rounds=900)
    p, tau, maps = SPACE["p"], spec["local_steps"], K(SPACE, spec["eta"], spec["local_steps"])
    close(last("fednova", spec), solution(SPACE, [p[i] / tau[i] * maps[i] for i in range(5)]))


@each(
    "options",
    aside(
        [{"momentum": 0.6}, {"mu": 2.0}, {"decay": 0.7}, {"momentum": 0.4, "mu": 1.0, "decay": 0.8}],
        {"momentum": 0.6}, {"mu": 2.0}, {"decay": 0.7},
    ),
    ids=str,
)  # fmt: skip
def test_fednova_removes_the_inconsistency_of_every_solver(options: dict[str, float]) -> None:
    # Its bias falls with eta (mu eta kept), which a wrong normaliser would not allow.
    bias = []
    for eta in (2e-2, 1e-2):
        given = options | ({"mu": 0.1 / eta} if "mu" in options else {})
        spec = space(rounds=round(20 / eta), eta=eta) | {"options": given}
        bias.append(float(np.abs(last("fednova", spec) - minimum(SPACE)).max()))
    assert bias[0] < 0.1
    assert bias[1] / bias[0] == pytest.approx(0.5, abs=0.05)


@each(("schedule", "momentum"), [(GAPS4, 0.5), pytest.param(None, 0.0, marks=pytest.mark.slow)])
def test_reduced_fednova_ends_at_the_optimum(schedule: Any, momentum: float) -> None:
    spec = plane(rounds=2500, eta=0.05) | {"options": {"variance_reduction": True, "momentum": momentum}}
    close(last("fednova", spec | ({"schedule": schedule} if schedule else {})), minimum(PLANE))


@each("variant", ["I", "II"])
def test_scaffold_ends_at_the_optimum(variant: str) -> None:
    close(last("scaffold", space(rounds=1500) | {"options": {"variant": variant}}), minimum(SPACE))


def test_the_limit_of_vrlsgd_follows_from_its_conserved_sum() -> None:
    p, tau = np.array(SPACE["p"]), np.array([2, 3, 3, 2, 3])
    spec = space(tau.tolist(), rounds=2000)
    close(last("vrlsgd", spec | {"eta_s": 0.7}), minimum(SPACE, p * tau / (p @ tau)))
    close(last("vrlsgd", spec | {"eta_s": 0.7, "options": {"divisor": "mean"}}), minimum(SPACE))


@each("schedule", [GAPS4, [[0, 1, 2, 3]]])
def test_the_mean_identity_of_fedawe(schedule: list[list[int]]) -> None:
    # zbar_t+1 = zbar_t - eta_s mean Gamma_i(x_i), tau = 1: with H_i = 1 it fixes the mean over a cycle.
    problem = PLANE | {"H": [1.0] * 4}
    period = len(schedule)
    spec = plane(1, rounds=1200, schedule=schedule, eta_s=0.5) | {"problem": problem}
    cycle = mean_models(spec)[-period - 1 : -1]
    close(cycle.mean(axis=0), np.mean(PLANE["e"], axis=0))


@each(
    ("algorithm", "options", "y"),
    [
        ("fedavg", {"aggregation": "mean"}, lambda h, u1, u2: ((1 - h) * (u1 + u2) / 2 + u1) / (2 - h)),
        ("fedavg", {"aggregation": "all"}, lambda h, u1, u2: ((1 - h / 2) * (u1 + u2) + u1) / (3 - h)),
        ("fedawe", {}, lambda h, u1, u2: (1 - h) * ((2 - h) * u1 + 2 * u2) / (4 - h) + h * u1),
        ("mifa", {}, lambda h, u1, u2: (u1 + u2) / 2),
        # Intervals 1 and 2, of which the first visit records a 1: omega_2 tends to 2 as 2 - 1/n.
    ],
    ids=["mean", "all", "fedawe", "mifa"],
)
def test_two_clients_of_which_one_participates_in_odd_rounds(algorithm: str, options: Any, y: Any) -> None:
    eta, u1, u2 = 0.3, -2.0, 5.0
    spec = {
        "problem": {"kind": "quadratic", "H": [1.0, 1.0], "e": [[u1], [u2]]},
        "x0": [1.0],
        "rounds": 400,
        "eta": eta,
        "local_steps": 1,
        "schedule": [[0, 1], [0]],
        "options": options,
    }
    # The model that enters an odd round; FedAWE's is client 1's, which is the server's of the round before.
    close(last(algorithm, spec), np.array([y(eta, u1, u2)]))


@each("cutoff", [None, 2, 3])
def test_fedau_weighs_by_the_mean_interval(cutoff: int | None) -> None:
    # One client at a time, period 4, so that client 1's interval is 4, cut to `cutoff` and a rest.
    eta, rounds = 0.01, 4000
    schedule = [[0], [0], [0], [0, 1]]
    spec = {
        "problem": {"kind": "quadratic", "H": [1.0, 1.0], "e": [[0.0], [1.0]]},
        "x0": [0.0],
        "rounds": rounds,
        "eta": eta,
        "local_steps": 1,
        "schedule": schedule,
        "options": {"cutoff": cutoff},
    }
    omega = {None: 4.0, 2: 2.0, 3: 2.0}[cutoff]  # 4; 2 and 2; 3 and 1
    weight = omega / 4 / (1 + omega / 4)
    assert replay("fedau", spec)[-4:].mean() == pytest.approx(weight, rel=2 * eta)


def test_fedvarp_converges_to_the_optimum_for_equal_hessians() -> None:
    problem = SPACE | {"H": [1.0] * 5}
    schedule = [[0, 1], [2, 3], [4, 0], [1, 2], [3, 4]]
    spec = space(4, rounds=600, schedule=schedule) | {"problem": problem}
    goal = np.mean(SPACE["e"], axis=0)
    close(last("fedvarp", spec), goal)
    close(last("clusterfedvarp", spec | {"options": {"clusters": [[i] for i in range(5)]}}), goal)


def test_without_clipping_episodepp_is_scaffold_and_celgc_is_fedavg() -> None:
    spec = space(schedule=[[0, 1, 2], [3, 4], [1, 3]], options={"gamma": 1e9})
    spec["problem"] = {k: v for k, v in SPACE.items() if k != "p"}
    gradient = {"initial_controls": "gradient"}
    close(replay("episodepp", spec), replay("scaffold", spec | {"options": gradient}))
    close(replay("celgc", spec), replay("fedavg", spec | {"options": {}}))


def test_a_clipped_round_of_one_step_moves_gamma() -> None:
    spec = space(1, options={"gamma": 1e-3})
    for algorithm in ("episode", "clipped_minibatch_sgd"):
        moves = np.linalg.norm(np.diff(replay(algorithm, spec), axis=0), axis=1)
        np.testing.assert_allclose(moves, 1e-3, rtol=1e-9)


@each(("algorithm", "root"), [("fedadagrad", 1.0), ("fedadam", 0.8)])
def test_great_adaptivity_is_plain_fedavg(algorithm: str, root: float) -> None:
    # sqrt(v) is then the adaptivity times root: beta2 = 0.64 forgets v_0 = adaptivity^2.
    great = 1e9
    beta2 = {"beta2": root**2} if algorithm == "fedadam" else {}
    spec = space(rounds=1, eta_s=great * (1 + root), options={"adaptivity": great, "beta1": 0.0} | beta2)
    close(replay(algorithm, spec), replay("fedavg", space(rounds=1)), 1e-6)


def test_no_delay_is_minibatch_sgd_and_a_delay_shifts() -> None:
    spec = plane(1, rounds=40)
    close(replay("async_sgd", spec), replay("minibatch_sgd", spec))
    # One client, F = x^2/2: x_{t+1} = x_t - eta x_{t-1}.
    one = {"problem": {"kind": "quadratic", "H": [1.0], "e": [[0.0]]}, "x0": [1.0], "rounds": 6, "eta": 0.5}
    x = replay("async_sgd", one | {"local_steps": 1, "options": {"delays": 1}})[:, 0]
    assert x.tolist() == [1.0, 0.5, 0.0, -0.25, -0.25, -0.125, 0.0]


def test_overlap_sgd_follows_its_recursion_for_equal_hessians() -> None:
    # H = 1, equal tau: the mean m and the anchor z obey m+ = (1-a)(c + q (m - c)) + a z, q = (1-eta)^tau.
    spec = line(3, options={"pull": 0.4, "momentum": 0.3}, rounds=30)
    spec["problem"] = spec["problem"] | {"H": [1.0] * 3}
    c, q = float(np.dot(spec["problem"]["p"], LINE_E)), 0.9**3
    m = z = 5.0
    v, expected = 0.0, [z]
    for _ in range(30):
        m = 0.6 * (c + q * (m - c)) + 0.4 * z
        v = 0.3 * v + (m - z)
        z = z + v
        expected.append(m)
    close(replay("overlap_sgd", spec)[:, 0], np.array(expected))


def test_adacomm_counts_down_with_the_loss() -> None:
    # One client, F = x^2/2 and eta = 1/2: each step halves x, and sqrt(F/F_0) = |x|.
    one = {"problem": {"kind": "quadratic", "H": [1.0], "e": [[0.0]]}, "x0": [1.0], "rounds": 4, "eta": 0.01}
    x = replay("adacomm", one | {"local_steps": 1, "options": {"tau_0": 20, "period": 1}})[:, 0]
    # tau: 20; 0.99^20 = .818 -> 17; 0.99^37 = .689 -> 14; 0.99^51 = .599 -> 12.
    np.testing.assert_allclose(x, 0.99 ** np.cumsum([0, 20, 17, 14, 12]))
    slow = one | {"local_steps": 1, "eta": 1e-6, "options": {"tau_0": 7, "period": 2}, "rounds": 8}
    # ceil leaves 7, so the rule halves: 7, 4, 2 (ceil of 7 is not smaller than 4, ...), 1.
    x = replay("adacomm", slow)[:, 0]
    np.testing.assert_allclose(x, (1 - 1e-6) ** np.cumsum([0, 7, 7, 4, 4, 2, 2, 1, 1]))


def test_local_sgd_correction_is_fednova_with_harmonic_steps() -> None:
    tau = [1, 4, 2, 5, 3]
    harmonic = 1 / float(np.sum(np.array(SPACE["p"]) / tau))
    joint = space(tau, options={"solver": "sgd", "correction": "joint"})
    close(replay("local_adaptive", joint), replay("fednova", space(tau, options={"tau_eff": harmonic})))


def test_signs_go_to_the_median_and_their_correction_to_the_mean() -> None:
    problem = {"kind": "quadratic", "H": [1.0] * 3, "e": [[0.0], [1.0], [10.0]], "p": [0.2, 0.45, 0.35]}
    spec = line(1, rounds=3000, eta=0.01) | {"problem": problem}
    signs = {"solver": "adagrad", "epsilon": 1e-9}
    median = last("local_adaptive", spec | {"options": signs | {"correction": "none"}})
    assert median[0] == pytest.approx(1.0, abs=0.02)
    spec["eta"] = 0.1
    mean = last("local_adaptive", spec | {"options": signs | {"correction": "joint"}})
    assert mean[0] == pytest.approx(3.95, abs=1e-6)


@each("solver", aside(["adagrad", "adam", "yogi"], "adam", "yogi"))
def test_correction_removes_the_bias_of_adaptive_solvers(solver: str) -> None:
    # The solver's steps are eta A_i: with beta1 = 0, A_i is exactly what each gradient was multiplied by.
    given = {"solver": solver, "epsilon": 0.5, "beta1": 0.0, "beta2": 0.9}
    bias = {}
    for correction in ("none", "joint", "local"):
        spec = space(rounds=900, eta=0.012, options=given | {"correction": correction})
        spec["eta_s"] = 3.0 if correction == "local" else 1.0
        bias[correction] = float(np.abs(last("local_adaptive", spec) - minimum(SPACE)).max())
    assert bias["none"] > 0.2
    assert max(bias["joint"], bias["local"]) < 0.1 * bias["none"]


def test_fedexp_goes_at_least_as_far_as_fedavg_and_as_its_formula_says() -> None:
    one = replay("fedavg", plane(rounds=1))
    step = one[0] - one[1]
    updates = [(one[0] - replay("fedavg", plane(rounds=1, schedule=[[i]]))[1]) for i in range(4)]
    squares = sum(p * float(u @ u) for p, u in zip(PLANE["p"], updates, strict=True))
    scale = max(1.0, squares / (2 * (float(step @ step) + 4 * 0.01)))
    x = replay("fedexp", plane(rounds=1, options={"epsilon": 0.01, "epsilon_times_clients": True}))
    close(x[1], x[0] - scale * step)
