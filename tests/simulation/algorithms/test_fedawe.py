"""FedAWE: the echo by hand and its auxiliary sequence; the cycles of FedAWE and of re-weighting by gaps."""

from typing import Any

import numpy as np
import pytest

from boundkit.simulation.algorithms import State
from boundkit.simulation.engines import trajectory
from boundkit.simulation.fixed_point import fixed_point
from boundkit.simulation.problems import Quadratic
from tests.cases import each
from tests.simulation.algorithms.rounds import GAPS, E, H, line, run, states


def own_gradients(state: State) -> Any:
    """grad F_i of each client at its own stored model, (m, d)."""
    everyone = np.arange(4)
    return Quadratic(H, E).client_gradients(state["stored"][0])[everyone, everyone]


def test_with_all_clients_fedawe_is_fedavg_and_all_its_points_are_one() -> None:
    result = trajectory(run("fedawe", eta_s=0.8), "step")
    expected = trajectory(run("fedavg", eta_s=0.8, options={"aggregation": "mean"}), "step").x
    np.testing.assert_allclose(result.x, expected, rtol=1e-12)
    for prefix in ("mean_model", "auxiliary"):
        np.testing.assert_allclose(result.observed[f"{prefix}_loss"], result.observed["loss"], rtol=1e-11)


@pytest.mark.parametrize("eta_s", [1.0, 1.4])
def test_the_auxiliary_mean_descends_along_all_gradients_under_any_participation(eta_s: float) -> None:
    one = run("fedawe", local_steps=1, eta=0.1, eta_s=eta_s, schedule=GAPS, rounds=20)
    awe, before = one.algorithm, None
    for state in states(one):
        z = awe.models(state)["auxiliary"][0]
        if before is not None:
            np.testing.assert_allclose(z, before, atol=1e-13)
        before = z - 0.1 * eta_s * own_gradients(state).mean(axis=0)


def test_the_auxiliary_sequence_is_the_theorems() -> None:
    # z_i = x_i - eta eta_s s (t - t_i - 1) grad F_i(x_i), also right after rounds in which nobody came
    one = run("fedawe", local_steps=3, eta=0.05, eta_s=1.2, schedule=GAPS, rounds=17)
    last = np.full(4, -1)
    for t, state in enumerate(states(one)):
        stored = state["stored"][0]
        z = stored - 0.05 * 1.2 * 3 * (t - last - 1)[:, None] * own_gradients(state)
        np.testing.assert_allclose(one.algorithm.models(state)["auxiliary"][0], z.mean(axis=0), atol=1e-13)
        last[GAPS[t % len(GAPS)]] = t


@each("eta", [0.5, 0.1])
@each("u", [(0.0, 1.0), (-2.0, 5.0)])
def test_the_two_client_cycle_of_fedawe(u: tuple[float, float], eta: float) -> None:
    # client 0 always, client 1 in every second round: z after both, y before
    limit = fixed_point(run("fedawe", line(*u), eta=eta, schedule=[[0, 1], [0]]))
    y, z = limit.points.ravel()
    np.testing.assert_allclose(z, ((2 - eta) * u[0] + 2 * u[1]) / (4 - eta), rtol=1e-12)
    np.testing.assert_allclose(y, (1 - eta) * z + eta * u[0], rtol=1e-12, atol=1e-14)


def test_availability_leaves_no_bias_over_a_cycle() -> None:
    some = run("fedawe", line(0.0, 1.0, 10.0), rounds=800, schedule=[[0], [0, 1], [2], []])
    mean = np.mean([s["stored"][0].mean() for s in list(states(some))[-4:]])
    np.testing.assert_allclose(mean, 11 / 3, rtol=1e-12)


TURNS = [[0, 1], [0]]


@each("eta", [0.3, 0.1, 0.001])
@each("u", [(0.0, 1.0), (-2.0, 5.0), (0.0, 100.0)])
def test_the_two_client_cycle_of_gap_reweighted(u: tuple[float, float], eta: float) -> None:
    a, b = u
    ends = {
        "came": ((3 - eta) * a + 2 * (1 - eta) * b) / (5 - 3 * eta),
        "all": ((1 - eta / 2) * (a + 2 * b) + a) / (4 - 3 * eta / 2),
    }
    limits = {"came": (3 * a + 2 * b) / 5, "all": (a + b) / 2}
    for divisor, y in ends.items():
        some = run("gap_reweighted", line(*u), eta=eta, schedule=TURNS, options={"divisor": divisor})
        points = fixed_point(some).points.ravel()
        np.testing.assert_allclose(points[0], y, rtol=1e-11, atol=1e-12)
        np.testing.assert_allclose(points[1], (1 - 3 * eta / 2) * y + eta / 2 * (a + 2 * b), rtol=1e-11)
        assert abs(points[0] - limits[divisor]) < 2 * eta * abs(a - b)


def test_gaps_increase_in_an_empty_round() -> None:
    two = run("gap_reweighted", line(4.0, -4.0), eta=0.5, rounds=3, schedule=[[0], [], [0, 1]])
    *_, last, end = states(two)
    assert last["gap"].tolist() == [[2.0, 3.0]]
    assert last["x"].item() == 2.0
    assert end["x"].item() == 2.0 - (2 * -1.0 + 3 * 3.0) / 2
