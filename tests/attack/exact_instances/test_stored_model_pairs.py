"""FedAWE on two clients: moments against an enumeration of all runs, and what they show of the theorems."""

from __future__ import annotations

from functools import cache
from itertools import product

import numpy as np
import pytest

from boundkit.attack.exact_instances.stored_model_pairs import measure_stored_model_pairs, recursion, settings
from boundkit.attack.mutation import generate_mutants
from boundkit.attack.mutation.measurements import Measurements
from boundkit.theorems import theorem
from tests.cases import thinned

ROUNDS = 3
NAMES = (
    "fedawe_nonconvex", "fedawe_nonconvex_sharp", "fedawe_nonconvex_auxiliary", "fedawe_consensus",
    "fedawe_nonconvex_tuned",
)  # fmt: skip


@cache
def measurements_of(name: str) -> Measurements:
    claimed = theorem(name)
    return Measurements(claimed, tuple(measure_stored_model_pairs(claimed)))


def enumerated(at: dict[str, float]) -> np.ndarray:
    """E of the products of (x_1, x_2, w_1, w_2, 1), over all availabilities and signs of the noise."""
    h, e = (at["h_1"], at["h_2"]), (at["e_1"], at["e_2"])
    steps, length = int(at["tau"]), at["eta_s"] * at["eta"] * at["tau"]
    spread = [
        at["sigma"] / steps * sum((1 - at["eta"] * c) ** (2 * k) for k in range(steps)) ** 0.5 for c in h
    ]

    def direction(i: int, x: float) -> float:
        end = x
        for _ in range(steps):
            end -= at["eta"] * h[i] * (end - e[i])
        return (x - end) / (at["eta"] * steps)

    total = np.zeros((5, 5))
    for present in product((True, False), repeat=2 * ROUNDS):
        chance = np.prod([at["availability"] if each else 1 - at["availability"] for each in present])
        for signs in product((1, -1), repeat=2 * ROUNDS):
            x, gaps = [at["x0"], at["x0"]], [1, 1]
            for t in range(ROUNDS):
                now = [i for i in (0, 1) if present[2 * t + i]]
                sent = [
                    x[i] - length * gaps[i] * (direction(i, x[i]) + signs[2 * t + i] * spread[i]) for i in now
                ]
                for i in (0, 1):
                    x[i] = sum(sent) / len(sent) if i in now else x[i]
                    gaps[i] = 1 if i in now else gaps[i] + 1
            state = np.array([*x, *((gaps[i] - 1) * direction(i, x[i]) for i in (0, 1)), 1.0])
            total += chance / 4**ROUNDS * np.outer(state, state)
    return total


@pytest.mark.parametrize("cause", ["initial gap", "noise", "dissimilarity"])
def test_moments_are_those_of_all_runs(cause: str) -> None:
    every = settings(cause)
    wanted = (
        (every["availability"] == 0.5) & (every["tau"] == 2) & (every["eta_s"] == 100) & (every["h_2"] < 0)
    )
    place = int(np.flatnonzero(wanted)[np.argmax(every["eta"][wanted])])
    at = {name: values[place : place + 1] for name, values in every.items()}
    step, first = recursion(at)
    moments = np.linalg.matrix_power(step[0], ROUNDS) @ first[0]
    expected = enumerated({name: float(values[0]) for name, values in at.items()})
    assert moments[:25].reshape(5, 5) == pytest.approx(expected, rel=1e-9, abs=1e-12)


@pytest.mark.parametrize("name", thinned(NAMES, 3))
def test_theorems_hold_and_old_models_are_seen(name: str) -> None:
    claimed, measurements = theorem(name), measurements_of(name)
    assert 0 < measurements.worst() < 1
    rest = claimed.bound.total - claimed.bound.terms["stale-model dissimilarity"].expr
    without = np.broadcast_to(measurements.at(rest), measurements.low.shape)
    assert (measurements.inside & (measurements.low > without)).any()
    assert measurements.values["mixing"].max() > 0.98


def test_step_sizes_follow_from_the_rounds() -> None:
    """Of all clients and one step: x+ = (1 - s) x + s n, s = sqrt(2/T), with noise of variance 1/2."""
    rounds = 2**18
    found = []
    for piece in measure_stored_model_pairs(theorem("fedawe_nonconvex_tuned")):
        at = piece.values
        wanted = (at["T"] == rounds) & (at["availability"] == 1) & (at["tau"] == 1) & (at["sigma"] == 1)
        found += [piece.low[k] for k in np.flatnonzero(wanted & (at["beta"] == 1))]
    s = (2 / rounds) ** 0.5
    square, total = 0.0, 0.0
    for _ in range(rounds):
        total, square = total + square, (1 - s) ** 2 * square + s**2 / 2
    assert max(found) == pytest.approx(total / rounds, rel=1e-6)


@pytest.mark.parametrize("part", ["1/4", "1/10"])
def test_mixing_just_above_a_pole_makes_a_bound_negative(part: str) -> None:
    claimed = theorem("fedawe_nonconvex_sharp")
    mutants = {each.what: each for each in generate_mutants(claimed)}
    assert (
        measurements_of(claimed.name).killer(mutants[f"stochastic noise: {part} for 1 in 1 - sqrt(mixing)"])
        is not None
    )
