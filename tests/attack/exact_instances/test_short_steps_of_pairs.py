"""FedAWE on two clients with short steps: the limits against exact moments, and the mutants they refute."""

from __future__ import annotations

import numpy as np
import pytest

from boundkit.analysis.evaluate import evaluate
from boundkit.attack.exact_instances.short_steps_of_pairs import (
    measure_short_steps_of_pairs,
    squared_gradient,
)
from boundkit.attack.exact_instances.stored_model_pairs import recursion
from boundkit.attack.mutation import generate_mutants
from boundkit.attack.mutation.measurements import Measurements
from boundkit.theorems import theorem

TUNED = "fedawe_nonconvex_tuned"


@pytest.mark.parametrize("q", [0.3, 0.5, 0.9])
@pytest.mark.parametrize("cause", ["initial gap", "noise", "dissimilarity"])
def test_limits_are_those_of_exact_moments(cause: str, q: float) -> None:
    s, h, doublings = 1e-5, 0.02, 31
    curvatures = (1.0, 2 * h - 1) if cause == "dissimilarity" else (1.0, 1.0)
    mean, apart = sum(curvatures) / 2, float(cause == "dissimilarity")
    numbers = {
        "availability": q, "tau": 1, "eta": s, "eta_s": 1, "T": 2**doublings, "sigma": cause == "noise",
        "m": 2, "h_1": curvatures[0], "h_2": curvatures[1], "e_1": apart / curvatures[0],
        "e_2": -apart / curvatures[1], "x0": cause == "initial gap", "gap": 0.5 * (cause == "initial gap"),
    }  # fmt: skip
    at = {name: np.array([float(value)]) for name, value in numbers.items()}
    step, first = recursion(at)
    total = np.eye(28)
    power = step[0]
    for _ in range(doublings):
        total, power = total + total @ power, power @ power
    moments = (total @ first[0])[:25].reshape(5, 5) / 2**doublings
    found = mean**2 * moments[:2, :2].mean()
    assert found == pytest.approx(float(squared_gradient(at, cause, h)[0]), rel=0.02)


def test_the_theorem_holds_and_needs_the_powers_of_its_availability() -> None:
    own = theorem(TUNED)
    pieces = tuple(measure_short_steps_of_pairs(own))
    assert all((each.high <= evaluate(own.bound.total, each.values)).all() for each in pieces)
    mutants, found = {each.what: each for each in generate_mutants(own)}, Measurements(own, pieces)
    for change in (
        "initial gap: sqrt(availability) for 1/sqrt(availability)",
        "stochastic noise: 1/sqrt(availability) for availability^(-3/2)",
        "stochastic noise: availability_max^2 for availability_max",
        "stale-model dissimilarity: 1/2 for 1 in 1 - sqrt(mixing)",
        "stale-model dissimilarity: 1/10 for 1 in 1 - sqrt(mixing)",
    ):
        assert found.killer(mutants[change]) is not None
