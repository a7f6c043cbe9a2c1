"""Noise that is never longer than sigma: its length, its covariance, its place in a RUN.json."""

from dataclasses import replace

import numpy as np
import pytest

from boundkit.algebra import BoundkitError
from boundkit.simulation.engines import trajectory
from boundkit.simulation.problems import Quadratic, problem_from_spec
from boundkit.simulation.run import Run, make_run
from boundkit.simulation.run_file import run_from_spec

SIGMA = 0.7


def noisy(d: int, algorithm: str = "fedavg", rounds: int = 3) -> Run:
    problem = Quadratic([1.0] * 2, np.zeros((2, d)), noise=SIGMA).with_bounded_noise()
    return make_run(algorithm, problem, rounds=rounds, eta=0.1, local_steps=2, x0=np.ones(d))


@pytest.mark.parametrize("d", [1, 2, 5])
def test_the_gradient_of_one_client_is_never_further_than_sigma(d: int) -> None:
    alone = Quadratic([1.0], np.zeros((1, d)), noise=SIGMA).with_bounded_noise()
    run = make_run("minibatch_sgd", alone, rounds=1, eta=1.0, x0=np.zeros(d))
    far = trajectory(run, "step", 4000).observed["distance_squared"][:, 1] ** 0.5
    assert far.max() <= SIGMA * (1 + 1e-12)
    # uniform in the ball: P(||v|| <= r) = (r/sigma)^d
    for share in (0.5, 0.8, 0.95):
        probability = share**d
        seen = float((far <= share * SIGMA).mean())
        assert abs(seen - probability) <= 5 * (probability * (1 - probability) / len(far)) ** 0.5
    assert alone.deviation == pytest.approx(SIGMA / (d + 2) ** 0.5, rel=1e-15)


@pytest.mark.parametrize("algorithm", ["fedavg", "scaffold"])
def test_exact_moments_have_its_covariance(algorithm: str) -> None:
    run = noisy(3, algorithm)
    exact = trajectory(run, "exact").mean("distance_squared")
    each = trajectory(run, "step", 3000).observed["distance_squared"]
    error = each.std(axis=0, ddof=1) / len(each) ** 0.5
    assert (np.abs(each.mean(axis=0) - exact) <= 5 * error + 1e-12).all()
    normal = replace(run, problem=Quadratic([1.0] * 2, np.zeros((2, 3)), noise=SIGMA))
    assert trajectory(normal, "exact").mean("distance_squared")[-1] > exact[-1]


def test_it_is_written_and_read_again() -> None:
    written = noisy(2).to_json()
    assert written["noise"] == {"bound": SIGMA}
    again = run_from_spec("fedavg", written)
    assert (again.problem.bounded, again.problem.noise) == (True, SIGMA)
    seen = [trajectory(run, "step", 3).observed["loss"] for run in (noisy(2), again)]
    assert (seen[0] == seen[1]).all()
    assert again.problem.reweighted(np.array([0.3, 0.7])).bounded
    assert again.problem.without_noise().noise == 0


def test_mistakes_in_it_are_named() -> None:
    with pytest.raises(BoundkitError, match="bound"):
        problem_from_spec({"kind": "quadratic", "H": [1.0], "e": [[0.0]]}, {"bond": 1.0})
    with pytest.raises(BoundkitError, match="at least 0"):
        problem_from_spec({"kind": "quadratic", "H": [1.0], "e": [[0.0]]}, {"bound": -1.0})
    with pytest.raises(BoundkitError, match="normal noise only"):
        trajectory(noisy(2), "collapsed")
