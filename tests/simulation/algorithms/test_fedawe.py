"""The auxiliary sequence of FedAWE; gaps between participations."""

from typing import Any

import numpy as np

from boundkit.simulation.algorithms import State
from boundkit.simulation.problems import Quadratic
from tests.simulation.algorithms.rounds import GAPS, E, H, line, run, states


def own_gradients(state: State) -> Any:
    """grad F_i of each client at its own stored model, (m, d)."""
    everyone = np.arange(4)
    return Quadratic(H, E).client_gradients(state["stored"][0])[everyone, everyone]


def test_the_auxiliary_sequence_is_the_theorems() -> None:
    # z_i = x_i - eta eta_s s (t - t_i - 1) grad F_i(x_i), also right after rounds in which nobody came
    one = run("fedawe", local_steps=3, eta=0.05, eta_s=1.2, schedule=GAPS, rounds=17)
    last = np.full(4, -1)
    for t, state in enumerate(states(one)):
        stored = state["stored"][0]
        z = stored - 0.05 * 1.2 * 3 * (t - last - 1)[:, None] * own_gradients(state)
        np.testing.assert_allclose(one.algorithm.models(state)["auxiliary"][0], z.mean(axis=0), atol=1e-13)
        last[GAPS[t % len(GAPS)]] = t


def test_gaps_increase_in_an_empty_round() -> None:
    two = run("gap_reweighted", line(4.0, -4.0), eta=0.5, rounds=3, schedule=[[0], [], [0, 1]])
    *_, last, end = states(two)
    assert last["gap"].tolist() == [[2.0, 3.0]]
    assert last["x"].item() == 2.0
    assert end["x"].item() == 2.0 - (2 * -1.0 + 3 * 3.0) / 2
