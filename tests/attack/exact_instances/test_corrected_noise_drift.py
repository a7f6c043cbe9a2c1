"""Noise drift of corrected steps: its fixed point is that of a listing of all outcomes."""

from itertools import product

import numpy as np
import pytest

from boundkit.attack.exact_instances.corrected_noise_drift import (
    CorrectedRounds,
    measure_corrected_noise_drift,
    stationary,
)
from boundkit.attack.mutation.generation import generate_mutants
from boundkit.attack.mutation.measurements import Measurements
from boundkit.theorems import theorem


def listed(rounds: CorrectedRounds, top: float, control: float) -> tuple[dict[float, float], float]:
    """The next controls with their probabilities, and the mean sum of f', by every path of a client."""
    found: dict[float, float] = {}
    total = 0.0
    eta, tau = rounds.eta, rounds.tau
    for signs in product((1.0, -1.0), repeat=tau):
        y, probability, gradients = rounds.x, 1.0, 0.0
        for sign in signs:
            slope = top + y * (rounds.left if y < 0 else rounds.right)
            probability *= (1 + sign * slope) / 2
            gradients += slope
            y -= eta * (sign - control)
        after = round(sum(signs) / tau, 9)
        found[after] = found.get(after, 0.0) + probability
        total += probability * gradients
    return found, total


CONVEX = ("scaffold_convex_partial", "scaffold_strongly_convex_partial")


@pytest.mark.parametrize(
    ("eta", "tau", "slopes"), [(0.05, 2, ()), (0.02, 5, ()), (1e-4, 4, ()), (0.05, 4, (0.02, 1.0))]
)
def test_the_fixed_point_is_that_of_all_paths(eta: float, tau: int, slopes: tuple[float, ...]) -> None:
    rounds = CorrectedRounds(eta, tau, *slopes)
    top = rounds.top()
    assert (top < 0) == (slopes != ())  # the optimum of a convex loss is above x
    controls = [round((2 * n - tau) / tau, 9) for n in range(tau + 1)]
    passed, sums = np.zeros((tau + 1, tau + 1)), np.zeros(tau + 1)
    for place, control in enumerate(controls):
        found, sums[place] = listed(rounds, top, control)
        passed[place] = [found[each] for each in controls]
    weights = stationary(passed)
    assert weights @ sums == pytest.approx(0, abs=1e-12 * eta)
    assert weights @ np.array(controls) == pytest.approx(0, abs=1e-12)  # the mean control stays 0
    np.testing.assert_allclose(weights @ passed, weights, atol=1e-12)


def test_a_server_of_many_clients_stays() -> None:
    """200,000 clients in a simulation: x moves by noise only, far less than to the optimum."""
    eta, tau, clients, rng = 0.02, 5, 200_000, np.random.default_rng(0)
    rounds = CorrectedRounds(eta, tau)
    top, x = rounds.top(), rounds.x
    passed, _ = rounds.round_of(top, x, rounds.controls)
    ups = rng.choice(tau + 1, size=clients, p=np.maximum(stationary(passed), 0))
    controls = (2 * ups - tau) / tau
    start = x
    for _ in range(20):
        y, total = np.full(clients, x), np.zeros(clients)
        for _ in range(tau):
            sign = np.where(rng.random(clients) < (1 + top - np.abs(y)) / 2, 1.0, -1.0)
            y, total = y - eta * (sign - controls + controls.mean()), total + sign
        x, controls = float(x + (y - x).mean()), total / tau
    assert abs(x - start) < 0.1 * top


@pytest.mark.slow
@pytest.mark.parametrize("name", ["vrl_sgd_nonconvex", "scaffold_nonconvex_sharp"])
def test_it_refutes_mistakes_and_no_true_bound(name: str) -> None:
    measurements = Measurements(theorem(name), tuple(measure_corrected_noise_drift(theorem(name))))
    assert measurements.above() is None
    drifts = [one for one in generate_mutants(theorem(name)) if one.what.startswith("noise drift: ")]
    divided = {one.times: measurements.killer(one) for one in drifts if one.kind == "constant"}
    assert divided[4]
    assert divided[10]
    assert not divided[2]


@pytest.mark.parametrize("name", CONVEX)
def test_long_server_steps_show_noise_drift_of_convex_losses(name: str) -> None:
    measurements = Measurements(theorem(name), tuple(measure_corrected_noise_drift(theorem(name))))
    assert measurements.above() is None
    drifts = [one for one in generate_mutants(theorem(name)) if one.what.startswith("noise drift: ")]
    refuted = {one.what.removeprefix("noise drift: ") for one in drifts if measurements.killer(one)}
    assert refuted == {"left out", "eta_s^(-2) for 1/eta_s", "eta^2 for eta"}


def test_other_theorems_have_none() -> None:
    for name in ("fedavg_nonconvex", "fedavg_convex"):
        assert not list(measure_corrected_noise_drift(theorem(name)))
