"""Floors of EPISODE without clipping: they are those of its definition, and refute planted mistakes."""

from itertools import product

import numpy as np
import pytest

from boundkit.attack.exact_instances.corrected_floors import (
    SLOPE,
    SPACING,
    THRESHOLD,
    UPHILL,
    measure_corrected_floors,
    rounds_on_a_slope,
    walk,
)
from boundkit.attack.mutation.generation import generate_mutants
from boundkit.attack.mutation.measurements import Measurements
from boundkit.simulation.engines import StepEngine, trajectory
from boundkit.simulation.problems import Quadratic
from boundkit.simulation.problems.clipping_problem import ClippingProblem
from boundkit.simulation.run import make_run
from boundkit.theorems import theorem

NAME, TO_TARGET = "episode_relaxed_smooth_decrease", "episode_relaxed_smooth_explicit"


def measurements(name: str = NAME) -> Measurements:
    claimed = theorem(name)
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
    assert every.inside[:-1].all()
    mutants = {one.what: one for one in generate_mutants(theorem(NAME))}
    for what in (
        "noise drift: left out", "noise drift: tau for tau^2", "noise drift: sigma for zeta",
        "noise drift: 23/100 for 23/50", "condition: clip >= 7*eta*sigma/10 for clip >= 7*eta*sigma",
    ):  # fmt: skip
        assert every.killer(mutants[what]) is not None, what
    assert every.killer(mutants["noise drift: tau - 1 for tau"]) is not None
    assert every.killer(mutants["noise drift: 1/2 for 1 in rho_zeta + 1"]) is None


def test_a_walk_on_growing_curvature_is_one_of_bounded_noise() -> None:
    L0, L1 = 2e-6, 0.01
    slopes, inwards, weights = walk(L0, L1)
    last, x = len(slopes) - 1, SPACING * np.arange(len(slopes))
    assert (L0 * np.cosh(L1 * x) <= L0 + L1 * slopes).all()
    to = np.zeros((2 * last + 1, 2 * last + 1))
    for k in range(-last, last + 1):
        odds, side, row = inwards[abs(k)], 1 if k >= 0 else -1, last + k
        targets = [(k - side, odds), (k if abs(k) == last else k + side, 1 - odds)]
        noises = [(k - target) * SPACING - side * slopes[abs(k)] for target, _ in targets]  # x+ = x - f' - n
        assert np.abs(noises).max() <= 1 + 1e-12
        assert sum(n * p for n, (_, p) in zip(noises, targets, strict=True)) == pytest.approx(0, abs=1e-12)
        for target, odds in targets:
            to[row, last + target] += odds
    stationary = np.concatenate([weights[:0:-1] / 2, weights[:1], weights[1:] / 2])
    assert stationary @ to == pytest.approx(stationary, abs=1e-15)


def test_noise_of_mean_0_clips_every_step_and_leads_uphill() -> None:
    odds, noise = np.array([4 / 9, 5 / 9]), np.array([1.0, -UPHILL])
    assert odds @ noise == pytest.approx(0)
    assert (np.abs(SLOPE + noise) > THRESHOLD).all()
    assert odds @ np.sign(SLOPE + noise) < 0


@pytest.mark.parametrize("clip", [0.15, 3.0])
def test_rounds_on_a_slope_are_those_of_the_engine(clip: float) -> None:
    eta, aim, gap = 0.01, 0.1, 1.0
    ramp = ClippingProblem("ramp", 2, 1.0, 1.0, target=aim, gap=gap)  # its slope is twice the target
    run = make_run(
        "episode", ramp, rounds=4000, eta=eta, local_steps=1, x0=ramp.start, options={"gamma": clip * eta}
    )
    steep = np.sqrt(trajectory(run).mean("gradient_norm_squared")) > 2 * aim * (1 - 1e-9)
    assert rounds_on_a_slope(gap, 2 * aim, eta, clip * eta) == pytest.approx(np.argmin(steep), rel=0.02)


def test_they_refute_mistakes_in_the_rounds_to_a_target() -> None:
    every = measurements(TO_TARGET)
    assert every.above() is None
    mutants = {one.what.split(" for ")[0]: one for one in generate_mutants(theorem(TO_TARGET))}
    for what in ("initial gap: 15/16", "condition: clip >= eta*Max(7*sigma, 9*target/4)/10"):
        assert every.killer(mutants[what]) is not None, what
    assert every.killer(mutants["condition: clip >= eta*Max(7*sigma, 9*target/4)/2"]) is None


def test_others_have_none() -> None:
    assert not list(measure_corrected_floors(theorem("episode_relaxed_smooth")))
