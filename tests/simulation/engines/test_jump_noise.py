"""Noise of two values: its probabilities, its moments, its place in a RUN.json."""

import numpy as np
import pytest

from boundkit.algebra import BoundkitError
from boundkit.simulation.engines import trajectory
from boundkit.simulation.problems import Huber, Quadratic, problem_from_spec
from boundkit.simulation.run import Run, make_run
from boundkit.simulation.run_file import run_from_spec

SIGMA, JUMP = 0.7, 0.1
UP, DOWN = SIGMA * (JUMP / (1 - JUMP)) ** 0.5, SIGMA * ((1 - JUMP) / JUMP) ** 0.5


def noisy(d: int, algorithm: str = "fedavg") -> Run:
    problem = Quadratic([1.0] * 2, np.zeros((2, d)), noise=SIGMA).with_jumps(JUMP)
    return make_run(algorithm, problem, rounds=3, eta=0.1, local_steps=2, x0=np.ones(d))


def test_a_gradient_has_one_of_two_values() -> None:
    flat = Huber([1.0], [1e-6], [1e-6], [[0.0]], noise=SIGMA).with_jumps(JUMP)
    run = make_run("minibatch_sgd", flat, rounds=1, eta=1.0, x0=[0.0])
    moved = trajectory(run, "step", 4000).observed["distance_squared"][:, 1] ** 0.5
    jumped = np.isclose(moved, DOWN)
    assert (jumped | np.isclose(moved, UP)).all()
    assert abs(jumped.mean() - JUMP) <= 5 * (JUMP * (1 - JUMP) / len(moved)) ** 0.5


def test_steps_jump_downhill() -> None:
    """From far on the right of a Huber loss with tail 1, a jump is a step to the left by more than 1."""
    tail = Huber([1.0], [1.0], [1.0], [[0.0]], noise=SIGMA).with_jumps(JUMP)
    run = make_run("minibatch_sgd", tail, rounds=1, eta=1.0, x0=[9.0])
    reached = trajectory(run, "step", 400).observed["distance_squared"][:, 1] ** 0.5
    assert set(np.round(reached, 9)) == {round(8 + DOWN, 9), round(8 - UP, 9)}


@pytest.mark.parametrize("algorithm", ["fedavg", "scaffold"])
def test_exact_moments_are_those_of_normal_noise(algorithm: str) -> None:
    run = noisy(3, algorithm)
    exact = trajectory(run, "exact").mean("distance_squared")
    each = trajectory(run, "step", 3000).observed["distance_squared"]
    error = each.std(axis=0, ddof=1) / len(each) ** 0.5
    assert (np.abs(each.mean(axis=0) - exact) <= 5 * error + 1e-12).all()


def test_it_is_written_and_read_again() -> None:
    written = noisy(2).to_json()
    assert written["noise"] == {"sigma": SIGMA, "jump": JUMP}
    again = run_from_spec("fedavg", written)
    losses = [trajectory(run, "step", 3).observed["loss"] for run in (noisy(2), again)]
    assert (losses[0] == losses[1]).all()
    assert again.problem.reweighted(np.array([0.3, 0.7])).jump == JUMP
    assert again.problem.without_noise().noise_json == 0
    assert again.problem.with_bounded_noise().noise_json == {"bound": SIGMA}


def test_mistakes_in_it_are_named() -> None:
    spec = {"kind": "quadratic", "H": [1.0], "e": [[0.0]]}
    with pytest.raises(BoundkitError, match="sigma"):
        problem_from_spec(spec, {"jump": 0.1})
    with pytest.raises(BoundkitError, match="jump must be from"):
        problem_from_spec(spec, {"sigma": 1.0, "jump": 1.0})
    with pytest.raises(BoundkitError, match="normal noise only"):
        trajectory(noisy(2), "collapsed")
