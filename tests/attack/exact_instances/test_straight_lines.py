"""Descent and noise on a straight line: as in runs and as of the walk, and they refute planted mistakes."""

import numpy as np
import pytest

from boundkit.attack.candidate import make_candidate_run
from boundkit.attack.evidence import collect_evidence
from boundkit.attack.exact_instances.straight_lines import (
    descent_gap,
    measure_straight_lines,
    stationary_gap,
)
from boundkit.attack.mutation.generation import generate_mutants
from boundkit.attack.mutation.measurements import Measurements
from boundkit.simulation.problems.huber import Huber
from boundkit.theorems import theorem
from boundkit.verification.instance import Instance


@pytest.mark.parametrize("step", [0.5, 0.2])
def test_floor_is_that_of_the_walk(step: float) -> None:
    size, slope = 400, step / 2
    numbers = np.arange(-size, size + 1)
    towards = np.where(numbers == 0, 0.5, (1 + slope) / 2)
    moves = np.zeros((2 * size + 1, 2 * size + 1))
    for place, (k, q) in enumerate(zip(numbers, towards, strict=True)):
        side = -1 if k > 0 else 1
        for chance, to in ((q**2, place + side), (2 * q * (1 - q), place), ((1 - q) ** 2, place - side)):
            moves[place, min(max(to, 0), 2 * size)] += chance
    stationary = np.full(2 * size + 1, 1 / (2 * size + 1))
    for _ in range(40):
        moves = moves @ moves
        moves /= moves.sum(axis=1, keepdims=True)
    stationary = stationary @ moves
    x = step * np.abs(numbers)
    gaps = np.where(x < slope, x**2 / 2, slope * x - slope**2 / 2)
    assert stationary @ gaps == pytest.approx(stationary_gap(step), rel=1e-6)


@pytest.mark.parametrize("name", ["fedavg_convex", "fedavg_convex_partial_sharp", "fedavg_convex_sampling"])
def test_they_refute_mistakes_and_no_true_bound(name: str) -> None:
    claimed = theorem(name)
    measurements = Measurements(claimed, tuple(measure_straight_lines(claimed)))
    assert measurements.above() is None
    assert measurements.inside.any()
    every = [one for one in generate_mutants(claimed) if one.times == 4 and one.path is None]
    sampled = ("partial participation",) * (name != "fedavg_convex")
    for label in ("initial gap", "stochastic noise", *sampled):
        quarters = [one for one in every if one.label == label]
        assert quarters
        assert all(measurements.killer(one) is not None for one in quarters)


@pytest.mark.parametrize("name", ["fedavg_convex", "fedavg_convex_partial"])
def test_descent_is_that_of_a_run(name: str) -> None:
    claimed, rounds, s = theorem(name), 40, 0.04
    line = Huber(np.ones((2, 1)), np.full((2, 1), np.inf), np.ones((2, 1)), np.zeros((2, 1)))
    plan = Instance("", line, eta=s, rounds=rounds, x0=np.array([1 + s * rounds]))
    piece = collect_evidence(claimed, make_candidate_run(claimed, plan))
    assert piece.measured[-1] == pytest.approx(descent_gap(s, rounds, claimed.claim.observable), rel=1e-9)


def test_floor_of_drawn_clients() -> None:
    """The identity of the docstring, where the slope is not small."""
    step, slope, rng = 0.1, 0.4, np.random.default_rng(0)
    x, gaps, squares = np.zeros(4000), [], []
    for round_ in range(600):
        h = np.clip(x, -slope, slope)
        if round_ >= 300:
            gaps.append(np.where(abs(x) < slope, x**2 / 2, slope * abs(x) - slope**2 / 2).mean())
            squares.append((h**2).mean())
        x = x - step * (h + rng.choice([-1.0, 1.0], x.size))
    assert np.mean(gaps) == pytest.approx((step - (1 - step) * np.mean(squares)) / 2, rel=0.03)
    claimed = theorem("fedavg_convex_partial_sharp")
    sampled = [one for one in measure_straight_lines(claimed) if one.values["C"] < 1]
    assert sampled
    assert all(one.low < one.values["eta"] * one.values["eta_s"] / 2 <= one.high for one in sampled)


def test_others_have_none() -> None:
    assert not list(measure_straight_lines(theorem("fedavg_nonconvex_partial")))


@pytest.mark.parametrize(("beta", "nesterov"), [(0.6, 0.0), (0.5, 1.0)])
def test_momentum_leaves_as_much(beta: float, nesterov: float) -> None:
    step, runs, rng = 0.1, 4000, np.random.default_rng(0)
    slope, gamma = step / 2, beta * (1 - nesterov * (1 - beta))
    x, momentum, gaps = np.zeros(runs), np.zeros(runs), []
    for t in range(6000):
        gradient = np.clip(x, -slope, slope)
        signs = np.where(rng.random((2, runs)) < (1 + gradient) / 2, 1.0, -1.0)
        direction = signs.mean(axis=0)
        momentum = beta * momentum + direction
        x = x - step * (1 - beta) * (nesterov * (direction + beta * momentum) + (1 - nesterov) * momentum)
        if t > 2000:
            gaps.append(np.where(np.abs(x) < slope, x**2 / 2, slope * np.abs(x) - slope**2 / 2).mean())
    assert np.mean(gaps) > stationary_gap(step, gamma / (1 - beta))
    assert np.mean(gaps) == pytest.approx(stationary_gap(step), rel=0.1)


def test_they_refute_a_weaker_momentum() -> None:
    claimed = theorem("fedavgm_convex_partial")
    measurements = Measurements(claimed, tuple(measure_straight_lines(claimed)))
    assert measurements.above() is None
    mutants = {one.what: one for one in generate_mutants(claimed)}
    for term in ("stochastic noise", "partial participation"):
        assert measurements.killer(mutants[f"{term}: beta_s^2 for beta_s in 1 - beta_s"]) is not None


def test_they_refute_a_noise_below_that_without_momentum() -> None:
    claimed = theorem("fedavgm_convex_homogeneous")
    measurements = Measurements(claimed, tuple(measure_straight_lines(claimed)))
    assert measurements.above() is None
    mutants = {one.what: one for one in generate_mutants(claimed)}
    assert (
        measurements.killer(mutants["stochastic noise: 1/2 for 1 in 1 - nesterov*(1 - beta_s)"]) is not None
    )


@pytest.mark.parametrize(("beta", "nesterov"), [(0.6, 0.0), (0.9, 1.0)])
def test_floor_of_drawn_clients_with_momentum(beta: float, nesterov: float) -> None:
    """The bound of the docstring, where the slope is not small."""
    step, slope, runs, rng = 0.1, 0.1, 4000, np.random.default_rng(0)
    gamma = beta * (1 - nesterov * (1 - beta))
    x, momentum, gaps, squares = np.zeros(runs), np.zeros(runs), [], []
    for t in range(4000):
        h = np.clip(x, -slope, slope)
        if t >= 2000:
            gaps.append(np.where(abs(x) < slope, x**2 / 2, slope * abs(x) - slope**2 / 2).mean())
            squares.append((h**2).mean())
        direction = h + rng.choice([-1.0, 1.0], runs)
        momentum = beta * momentum + direction
        x = x - step * (1 - beta) * (nesterov * (direction + beta * momentum) + (1 - nesterov) * momentum)
    plain, apart = (step - (1 - step) * np.mean(squares)) / 2, step * gamma * slope * (1 + slope) / (1 - beta)
    assert plain - apart < np.mean(gaps) < 1.1 * plain
