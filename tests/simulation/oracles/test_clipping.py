"""Clipping in closed form: who wins a clipped vote, what survives the valley, and EPISODE's own functions."""

import numpy as np
import pytest

from boundkit.simulation.arrays import Array
from boundkit.simulation.engines import StepEngine, trajectory
from boundkit.simulation.problems.clipping_problem import ClippingProblem
from boundkit.simulation.run import make_run
from tests.cases import each

M = 4.0
ONE_OF_THREE = {"kind": "uniform", "C": 1 / 3}


def voted(threshold: float, algorithm: str = "clipped_minibatch_sgd") -> tuple[Array, float]:
    """How far up the slope replicas are after 40 rounds, in clips, and its standard error; eta = 0.01."""
    problem = ClippingProblem("wrong_majority", 3, 1.0, 1.0, grad_max=M, gap=200.0)
    eta = 0.01
    run = make_run(algorithm, problem, rounds=40, eta=eta, x0=problem.start, participation=ONE_OF_THREE,
                   options={"gamma": eta * threshold})  # fmt: skip
    ends, _ = StepEngine(run, 60).tail_means(run.rounds - 1)
    moved = (ends[:, 0] - problem.start[0]) / (eta * threshold)
    return moved, float(moved.std(ddof=1) / len(moved) ** 0.5)


@each("threshold", [0.5 * M, 0.99 * M, 1.5 * M, 1.9 * M, 2.1 * M, 3 * M, 4.9 * M])
def test_below_twice_the_gradient_the_majority_wins(threshold: float) -> None:
    """Losses 5 F, -F, -F, one client a round, c = gamma/eta, in units of gamma a round: up by 1/3 for c <= M,
    (2 M/c - 1)/3 for M < c < 5 M, of which the sign changes at c = 2 M."""
    moved, error = voted(threshold)
    drift = (2 * min(M / threshold, 1.0) - 1) / 3
    assert abs(moved.mean() / 40 - drift) <= 5 * error / 40 + 1e-12
    if abs(drift) > 0.1:
        assert np.sign(moved.mean()) == np.sign(2 * M - threshold)


def test_episodepp_goes_down_at_every_threshold() -> None:
    for threshold in (0.25 * M, 0.99 * M, 1.5 * M):
        moved, error = voted(threshold, "episodepp")
        assert error == pytest.approx(0.0, abs=1e-12)
        assert moved.mean() / 40 == pytest.approx(-min(M / threshold, 1.0), rel=1e-12)


@each(("clipped", "part", "leaves"), [
    (False, 1.0001, True), (False, 0.98, False), (True, 1.0001, True), (True, 0.98, False),
])  # fmt: skip
def test_the_valley_is_left_by_steps_just_too_long_only(clipped: bool, part: float, leaves: bool) -> None:
    """The gradient stays at M or above for ever where clip (or eta M) is above 2 u, u = asinh(M L1/L0)/L1."""
    problem = ClippingProblem("valley", 2, 1.0, 1.0, grad_max=M)
    u = np.arcsinh(M)
    eta, gamma = (10.0, 2 * u * part) if clipped else (2 * u * part / M, 2 * u * part * 1.5)
    run = make_run("clipped_minibatch_sgd", problem, rounds=300, eta=eta, x0=problem.start,
                   options={"gamma": gamma})  # fmt: skip
    norms = trajectory(run).observed["gradient_norm_squared"][0] ** 0.5
    assert (norms.min() >= M * (1 - 1e-9)) == leaves
