"""The clipping demonstration: against the engines, and what it shows, on a small grid."""

import numpy as np
import pytest

from boundkit.simulation.engines import trajectory
from boundkit.simulation.problems.clipping_problem import ClippingProblem
from boundkit.simulation.run import make_run
from boundkit.studies.demonstrations import clipping as shown
from tests.cases import each


@pytest.fixture(scope="module")
def small() -> shown.ClippingDemonstration:
    return shown.clipping(
        largest=(8.0, 16.0, 32.0),
        steps=(0.3, 0.9999, 2.0),
        thresholds=(0.5, 1.0, 3.0),
        replicas=20,
        gap=400.0,
    )


@each("stepper", [shown.clipped_minibatch, shown.episodepp])
@each("name", ["wrong_majority", "valley", "ramp"])
def test_its_rounds_are_those_of_the_algorithm(stepper: shown.Stepper, name: str) -> None:
    problem = ClippingProblem(name, 3, 1.0, 1.0, grad_max=4.0, target=1.0, gap=30.0)
    came = np.random.default_rng(1).integers(3, size=(25, 1))
    eta, clip = np.array([0.4, 0.05]), np.array([0.7, 0.5])
    seen = stepper(problem.instance, eta, clip, came, 25)
    for k in range(2):
        run = make_run(stepper.__name__.replace("clipped_minibatch", "clipped_minibatch_sgd"), problem,
                       rounds=25, eta=float(eta[k]), x0=problem.start, schedule=came.tolist(),
                       options={"gamma": float(clip[k])})  # fmt: skip
        exact = trajectory(run, "step").observed["gradient_norm_squared"][0] ** 0.5
        assert seen[:, k] == pytest.approx(exact, rel=1e-9, abs=1e-12)


def test_no_pair_of_the_grid_beats_the_lower_bound_and_the_best_nearly_meets_it(
    small: shown.ClippingDemonstration,
) -> None:
    assert (small.best >= small.bound).all()
    assert (small.best <= 1.05 * small.bound).all()


def test_the_best_step_needs_rounds_that_grow_with_the_largest_gradient_up_to_the_logarithm(
    small: shown.ClippingDemonstration,
) -> None:
    M = small.grad_max
    slope = np.polyfit(np.log(M), np.log(small.best * np.arcsinh(M * shown.L1 / shown.L0)), 1)[0]
    assert abs(slope - 1) < 0.05


def test_episodepp_needs_the_same_rounds_whatever_the_largest_gradient(
    small: shown.ClippingDemonstration,
) -> None:
    assert np.ptp(small.episodepp) <= 0.01 * small.episodepp[0]
    assert np.isfinite(small.episodepp).all()
