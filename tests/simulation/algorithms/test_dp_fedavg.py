"""DP-FedAvg: clipped updates over a fixed denominator, and the noise of every round."""

from __future__ import annotations

import numpy as np
import pytest

from boundkit.simulation.engines import StepEngine
from boundkit.simulation.problems import Quadratic
from boundkit.simulation.run import make_run
from boundkit.theorems import theorem
from boundkit.verification.families import context_of

PROBLEM = Quadratic([1.0] * 4, [[3.0, 4.0], [0.3, 0.4], [0.0, 0.0], [-6.0, 8.0]])


def test_updates_are_clipped_and_absent_clients_count_as_zero() -> None:
    """eta = 1/2 from 0: the updates are -e_i/2, of norms 2.5, 0.25, 0 and 5."""
    run = make_run("dp_fedavg", PROBLEM, rounds=2, eta=0.5, eta_s=2.0, x0=[0.0, 0.0],
                   schedule=[[0, 1, 3], [2]], options={"clip": 1.0, "privacy_noise": 0.0})  # fmt: skip
    result = StepEngine(run).trajectory()
    sent = np.array([[0.6, 0.8], [0.15, 0.2], [-0.6, 0.8]])
    np.testing.assert_allclose(result.x[1], 2 * sent.sum(axis=0) / 4, rtol=1e-14)
    np.testing.assert_allclose(result.observed["clipped_excess"][0, :2], [(1.5 + 0 + 4) / 3, 0.0], rtol=1e-14)


def test_the_noise_has_its_variance_in_every_round_and_every_chunk() -> None:
    """At the common minimiser only the noise moves the model, in empty rounds as in others."""
    still = Quadratic([0.0, 0.0, 1e-12], np.zeros((3, 2)))
    run = make_run("dp_fedavg", still, rounds=6, eta=0.1, eta_s=1.5, x0=[0.0, 0.0], seed=5,
                   participation={"kind": "bernoulli", "probabilities": [0.3, 0.3, 0.3]},
                   options={"clip": 0.2, "privacy_noise": 2.0})  # fmt: skip
    squares = StepEngine(run, 4000).trajectory().observed["distance_squared"]
    each = 2 * (1.5 * 2.0 * 0.2 / 3) ** 2
    error = squares.std(axis=0)[1:] / np.sqrt(4000)
    assert (np.abs(squares.mean(axis=0)[1:] - each * np.arange(1, 7)) < 4 * error).all()
    whole, parts = (StepEngine(run, 7, chunk=n).trajectory().observed["distance_squared"] for n in (7, 2))
    np.testing.assert_allclose(whole, parts, rtol=1e-12)


def test_the_excess_of_a_run_is_the_root_mean_square_over_rounds() -> None:
    run = make_run("dp_fedavg", PROBLEM, rounds=2, eta=0.5, x0=[0.0, 0.0],
                   options={"clip": 1.0, "privacy_noise": 0.0})  # fmt: skip
    after = np.array([0.15, 1.8]) / 4
    norms = [np.linalg.norm((x - PROBLEM.e) / 2, axis=1) for x in (np.zeros(2), after)]
    excess = [np.maximum(norm - 1, 0).mean() / 0.5 for norm in norms]
    context = context_of(theorem("dp_fedavg_nonconvex"), run, StepEngine(run).trajectory())
    assert context.value("clip_excess") == pytest.approx(np.sqrt(np.mean(np.square(excess))), rel=1e-12)
