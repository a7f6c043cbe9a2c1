"""Fixed points in the plane: as the closed forms of the theory have them, and where the paths end."""

from __future__ import annotations

import numpy as np
import pytest

from boundkit.simulation.arrays import Array
from boundkit.simulation.problems import Quadratic
from boundkit.studies.demonstrations._plane import LocalStep, LossRow, local_path
from boundkit.studies.demonstrations.client_drift import ClientDrift, two_valleys
from boundkit.studies.demonstrations.surrogate_paths import OPTIONS, TAU, SurrogatePaths, three_clients
from tests.studies.demonstrations import quickly

UNIT = np.eye(2)


@pytest.fixture(scope="module")
def drift() -> ClientDrift:
    found: ClientDrift = quickly.run("client_drift")[0]
    return found


@pytest.fixture(scope="module")
def paths() -> SurrogatePaths:
    found: SurrogatePaths = quickly.run("surrogate_paths")[0]
    return found


def rest(problem: Quadratic, parts: list[Array]) -> Array:
    """Where sum_i p_i P_i H_i (x - e_i) = 0: clients that cover P_i H_i of their way."""
    pulls = [p * P @ H for p, P, H in zip(problem.p, parts, problem.H, strict=True)]
    linear = np.sum([A @ e for A, e in zip(pulls, problem.e, strict=True)], axis=0)
    return np.asarray(np.linalg.solve(np.sum(pulls, axis=0), linear))


def walked(H: Array, eta: float, tau: int, mu: float = 0.0) -> Array:
    """[I - (I - eta (H + mu I))^tau] (H + mu I)^-1."""
    bent = H + mu * UNIT
    return np.asarray((UNIT - np.linalg.matrix_power(UNIT - eta * bent, tau)) @ np.linalg.inv(bent))


def points(rows: list[LocalStep], who: str) -> Array:
    return np.array([(row.x1, row.x2) for row in rows if row.who == who])


def minimum(rows: list[LossRow], loss: str) -> Array:
    (found,) = (np.array([row.c1, row.c2]) for row in rows if row.loss == loss)
    return found


def test_fedavgs_fixed_points_are_the_closed_form_at_every_tau(drift: ClientDrift) -> None:
    problem = two_valleys()
    for one in drift.settled:
        known = rest(problem, [walked(H, drift.eta, one.tau) for H in problem.H])
        finer = rest(problem, [walked(H, drift.eta / one.tau, one.tau) for H in problem.H])
        assert [one.x1, one.x2] == pytest.approx(known.tolist(), abs=1e-11)
        assert one.distance == pytest.approx(np.linalg.norm(known - problem.centre), abs=1e-11)
        assert one.same_product == pytest.approx(np.linalg.norm(finer - problem.centre), abs=1e-11)


def test_at_the_fixed_point_the_clients_walks_cancel_and_at_the_start_they_make_the_round(
    drift: ClientDrift,
) -> None:
    for rows, tau in ((drift.few, drift.tau_few), (drift.many, drift.tau_many)):
        server = points(rows, "server")
        assert len(server) == drift.gradients // tau + 1
        for where, after in (("start", server[1]), ("rest", None)):
            walks = [points(rows, f"client {i} from {where}") for i in (1, 2)]
            assert all(len(walk) == tau + 1 for walk in walks)
            assert walks[0][0] == pytest.approx(walks[1][0])
            middle = (walks[0][-1] + walks[1][-1]) / 2
            assert middle == pytest.approx(walks[0][0] if after is None else after, abs=1e-12)
        settled = next(np.array([s.x1, s.x2]) for s in drift.settled if s.tau == tau)
        assert np.linalg.norm(server[-1] - settled) < 1e-3 * np.linalg.norm(server[0] - settled)


def test_a_local_path_is_gradient_descent() -> None:
    problem = two_valleys()
    x = np.array([0.3, -1.0])
    path = local_path(problem, 1, x, 0.2, 3)
    for k in range(4):
        assert path[k] == pytest.approx(x, abs=1e-14)
        x = x - 0.2 * problem.H[1] @ (x - problem.e[1])


def test_each_algorithm_settles_where_theory_says(paths: SurrogatePaths) -> None:
    problem, eta = three_clients(), paths.eta
    steps = list(zip(problem.H, TAU, strict=True))
    surrogate = rest(problem, [tau * UNIT for _, tau in steps])
    known = {
        "fedavg": rest(problem, [walked(H, eta, tau) for H, tau in steps]),
        "fedprox": rest(problem, [walked(H, eta, tau, paths.mu) for H, tau in steps]),
        "vrlsgd": surrogate,
        "fednova": rest(problem, [walked(H, eta, tau) / tau for H, tau in steps]),
    }
    assert [end.algorithm for end in paths.ends] == list(OPTIONS) == list(known)
    for end in paths.ends:
        assert [end.x1, end.x2] == pytest.approx(known[end.algorithm].tolist(), abs=1e-11)
        assert end.distance == pytest.approx(np.linalg.norm(known[end.algorithm] - problem.centre), abs=1e-11)
        assert points(paths.paths, end.algorithm)[-1] == pytest.approx(known[end.algorithm], abs=1e-3)
    assert minimum(paths.losses, "surrogate") == pytest.approx(surrogate, abs=1e-11)
    assert minimum(paths.losses, "F") == pytest.approx(problem.centre, abs=1e-12)
    assert paths.weights == pytest.approx([tau / sum(TAU) for tau in TAU], abs=1e-12)
