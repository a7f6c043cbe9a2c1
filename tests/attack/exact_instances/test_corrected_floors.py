"""Floors of EPISODE without clipping: they are those of its definition, and refute planted mistakes."""

from itertools import product

import numpy as np
import pytest

from boundkit.attack.exact_instances.corrected_floors import measure_corrected_floors
from boundkit.attack.mutation.generation import generate_mutants
from boundkit.attack.mutation.measurements import Measurements
from boundkit.simulation.engines import StepEngine
from boundkit.simulation.problems import Quadratic
from boundkit.simulation.run import make_run
from boundkit.theorems import theorem

NAME = "episode_relaxed_smooth_decrease"


def measurements() -> Measurements:
    claimed = theorem(NAME)
    return Measurements(claimed, tuple(measure_corrected_floors(claimed)))


@pytest.mark.parametrize("tau", [2, 4])
def test_drift_is_that_of_the_definition(tau: int) -> None:
    eta, gradients = 1e-9, np.zeros(tau)
    slope = eta * (tau - 1) / 2  # f'(x) = |x| - slope, sigma = 1, from the server's model 0
    for fresh, *noises in product((-1.0, 1.0), repeat=tau + 1):
        y = 0.0
        for k, noise in enumerate(noises):
            gradients[k] += (abs(y) - slope) / 2 ** (tau + 1)
            y -= eta * (abs(y) - slope + noise - (-slope + fresh) - slope)
    assert abs(gradients.mean()) < 1e-6 * slope  # the server stays, where its squared gradient is slope^2
    every = measurements()
    piece = next(p for p in every.pieces if p.values["tau"][0] == tau and p.values["m"][0] > 1e9)
    assert piece.low[0] <= eta * slope**2 <= piece.high[0]


def test_noise_is_that_of_the_engine() -> None:
    eta, m, tau = 0.2, 4, 3
    problem = Quadratic([1.0] * m, np.zeros((m, 1)), noise=1.0)
    run = make_run(
        "episode", problem, rounds=8_000, eta=eta, local_steps=tau, x0=[0.0], options={"gamma": 1e3}
    )
    x = StepEngine(run).trajectory().x
    assert np.mean(x[200:] ** 2) == pytest.approx(eta / (m * (2 - eta)), rel=0.05)


def test_they_refute_mistakes_and_no_true_bound() -> None:
    every = measurements()
    assert every.above() is None
    assert every.inside.all()
    mutants = {one.what: one for one in generate_mutants(theorem(NAME))}
    for what in ("noise drift: left out", "noise drift: tau for tau^2", "noise drift: sigma for zeta"):
        assert every.killer(mutants[what]) is not None, what
    assert every.killer(mutants["noise drift: 5/16 for 5/8"]) is None


def test_others_have_none() -> None:
    assert not list(measure_corrected_floors(theorem("episode_relaxed_smooth_explicit")))
