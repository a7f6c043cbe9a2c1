"""FedAWE's clients at a kink: the closed form against all ages, and the noise drift that it shows."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from boundkit.analysis.evaluate import evaluate
from boundkit.attack.exact_instances.absent_at_a_kink import (
    consensus_error,
    drift,
    measure_absent_at_a_kink,
    settings,
)
from boundkit.attack.mutation import generate_mutants
from boundkit.attack.mutation.measurements import Measurements
from boundkit.theorems import theorem


def mean_direction(x: float, eta: float, tau: int) -> float:
    """The mean of the direction of tau local steps from x, over all signs of the noise."""
    total = 0.0
    for signs in product((-1.0, 1.0), repeat=tau):
        y = x
        for sign in signs:
            y -= eta * (max(y, 0.0) + sign)
        total += (x - y) / (eta * tau)
    return total / float(2**tau)


@pytest.mark.parametrize(("q", "tau"), [(0.5, 2), (0.9, 3), (0.2, 4)])
def test_the_closed_form_is_that_of_clients_of_all_ages(q: float, tau: int) -> None:
    eta, eta_s, rounds = 1e-7, 1e-3, 5
    stored = {1: (1.0, 0.0)}  # the share of the clients that are as old, and their model
    total = 0.0
    for _ in range(rounds):
        shares, models = np.array(list(stored.values())).T
        total += float(shares @ (models - shares @ models) ** 2) / rounds
        sent = [
            x - eta_s * eta * tau * age * mean_direction(x, eta, tau)
            for age, x in zip(stored, models, strict=True)
        ]
        older = {age + 1: ((1 - q) * share, x) for age, (share, x) in stored.items()}
        stored = {1: (q, float(shares @ sent)), **older}
    at = {"availability": q, "tau": tau, "T": rounds, "eta": eta, "eta_s": eta_s}
    found = consensus_error({name: np.array([float(v)]) for name, v in at.items()})
    assert float(found[0]) == pytest.approx(total, rel=1e-5)


def test_the_drift_of_many_steps_is_that_of_normal_walks() -> None:
    assert drift(10_000) / 100 == pytest.approx(2 / 3 / np.sqrt(2 * np.pi), rel=1e-3)


def test_steps_are_short_beside_the_noise() -> None:
    at = settings()
    assert (at["eta"] * at["tau"] <= 1e-9).all()
    assert (at["eta_s"] * at["eta"] * at["tau"] * at["T"] <= 1.001e-9).all()


def test_the_theorem_holds_and_needs_its_noise_drift() -> None:
    own = theorem("fedawe_consensus")
    (found,) = measure_absent_at_a_kink(own)
    without = sum(term.expr for term in own.terms if term.label != "noise drift")
    for bound, least, most in ((own.bound.total, 0.005, 1.0), (without, 100.0, np.inf)):
        ratio = float(np.max(found.high / evaluate(bound, found.values)))
        assert least < ratio < most


@pytest.mark.parametrize(
    "change",
    ["1/(1 - sqrt(mixing)) for (1 - sqrt(mixing))^(-2)", "mixing^2 for mixing", "eta_s for eta_s^2",
     "eta_s^3 for eta_s^2", "tau for tau^2", "1/10 for 1 in 1 - sqrt(mixing)"],
)  # fmt: skip
def test_the_factors_of_the_noise_drift_are_needed(change: str) -> None:
    own = theorem("fedawe_consensus")
    mutants = {each.what: each for each in generate_mutants(own)}
    found = Measurements(own, tuple(measure_absent_at_a_kink(own)))
    assert found.killer(mutants[f"noise drift: {change}"]) is not None
