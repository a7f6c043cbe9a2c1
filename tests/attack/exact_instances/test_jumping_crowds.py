"""Infinitely many clients that jump: as a run of many, and beyond the condition of a lower bound below it."""

from itertools import product

import numpy as np
import pytest

from boundkit.attack.exact_instances.jumping_crowds import crowd_errors, measure_jumping_crowds
from boundkit.attack.mutation.generation import generate_mutants
from boundkit.attack.mutation.measurements import Measurements
from boundkit.theorems import theorem

NAMES = ("fedavg_convex_noise_drift_lower", "fedavg_strongly_convex_noise_drift_lower")


@pytest.mark.parametrize(("mu", "server"), [(0.0, 30.0), (1 / 40, 10.0)])
def test_models_are_those_of_all_outcomes_of_the_noise(mu: float, server: float) -> None:
    """In three local steps of one client, from the start and by hand."""
    length, tau = 0.6, 3
    eta = length / (tau - 1)
    chance = min(2 * mu / (1 - length / 2 - 8 * mu), 0.5) / (tau - 1) if mu else eta / 8
    jump = eta * ((1 - chance) / chance) ** 0.5
    slope = (1 + mu / 2) * mu * jump / 2 if mu else (1 - 7 * length / 8) * chance * jump * (tau - 1) / 4
    optimum = jump / 2 + (slope - mu * jump / 2)
    x, models = 0.0, [0.0]
    for _ in range(4):
        mean = 0.0
        for jumps in product((False, True), repeat=tau):
            y, weight = x, 1.0
            for jumped in jumps:
                weight *= chance if jumped else 1 - chance
                gradient = -slope + mu * y + (1 - mu) * max(y - jump / 2, 0)
                y += -eta * gradient + (jump if jumped else -chance * jump / (1 - chance))
            mean += weight * y
        x += server * (mean - x)
        models.append(x)
    z = np.array(models)
    losses = -slope * z + mu * z * z / 2 + (1 - mu) * np.maximum(z - jump / 2, 0) ** 2 / 2
    least = -slope * optimum + mu * optimum**2 / 2 + (1 - mu) * (optimum - jump / 2) ** 2 / 2
    expected = (z - optimum) ** 2 if mu else losses - least
    errors, step = crowd_errors(tau, length, server, 4, mu)
    assert step == pytest.approx(eta)
    assert errors == pytest.approx(expected, rel=1e-7)


@pytest.mark.parametrize("name", NAMES)
def test_they_refute_longer_server_steps_and_no_true_bound(name: str) -> None:
    claimed = theorem(name)
    pieces = Measurements(claimed, tuple(measure_jumping_crowds(claimed)))
    assert pieces.above() is None
    assert pieces.inside.sum() >= 2
    for mutant in generate_mutants(claimed):
        if mutant.condition is not None and mutant.times > 2:
            assert pieces.killer(mutant) is not None


def test_others_have_none() -> None:
    assert not list(measure_jumping_crowds(theorem("fedavg_convex_gap_lower")))
