"""Clients available at random, whose updates are divided by all: moments against an enumeration of runs."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from boundkit.attack.exact_instances.available_clients import (
    mean_squared_gradient,
    measure_available_clients,
    settings,
)
from boundkit.attack.mutation import generate_mutants
from boundkit.attack.mutation.measurements import Measurements
from boundkit.theorems import theorem

ROUNDS = 3
NAMES = ("fedavg_nonconvex_all", "fedau_nonconvex")


def enumerated(at: dict[str, float], rounds: int) -> float:
    """The mean over rounds of E (h x)^2 of two clients, over all availabilities and signs of noise."""
    q, h, steps = at["availability"], at["h"], int(at["tau"])
    spread = at["sigma"] / steps * sum((1 - at["eta"] * h) ** (2 * k) for k in range(steps)) ** 0.5
    length = at["eta_s"] * at["eta"] * steps * at["omega"] / 2
    states = [(at["x0"], 1.0)]
    total = 0.0
    for _ in range(rounds):
        total += sum(chance * (h * x) ** 2 for x, chance in states)
        later = []
        for x, chance in states:
            directions = []
            for e in (at["sigma_g"] / h, -at["sigma_g"] / h):
                end = x
                for _ in range(steps):
                    end -= at["eta"] * h * (end - e)
                directions.append((x - end) / (at["eta"] * steps))
            for present in product((True, False), repeat=2):
                weight = np.prod([q if each else 1 - q for each in present]) / 4
                for signs in product((1, -1), repeat=2):
                    sent = sum(
                        d + n * spread for d, n, p in zip(directions, signs, present, strict=True) if p
                    )
                    later.append((x - length * sent, chance * weight))
        states = later
    return total / rounds


@pytest.mark.parametrize("cause", ["initial gap", "noise", "dissimilarity"])
def test_moments_are_those_of_all_runs(cause: str) -> None:
    every = settings(cause, weighted=True)
    wanted = (every["m"] == 2) & (every["tau"] == 2) & (every["availability"] == 0.5) & (every["omega"] == 2)
    place = int(np.flatnonzero(wanted)[np.argmax(every["eta"][wanted])])
    at = {name: values[place : place + 1] for name, values in every.items()}
    expected = enumerated({name: float(values[0]) for name, values in at.items()}, ROUNDS)
    assert mean_squared_gradient(at, np.array([float(ROUNDS)]))[0] == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("name", NAMES)
def test_theorems_hold(name: str) -> None:
    claimed = theorem(name)
    assert 0.3 < Measurements(claimed, tuple(measure_available_clients(claimed))).worst() < 1


def test_rare_clients_refute_a_gap_without_pull() -> None:
    claimed = theorem("fedavg_nonconvex_all")
    measurements = Measurements(claimed, tuple(measure_available_clients(claimed)))
    mutants = {each.what: each for each in generate_mutants(claimed)}
    assert measurements.killer(mutants["initial gap: 1/pull left out"]) is not None
