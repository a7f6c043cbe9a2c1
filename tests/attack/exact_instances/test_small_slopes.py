"""The chain on a Huber loss: as simulated, and below a lower bound with a quarter of a lost part."""

import numpy as np
import pytest

from boundkit.attack.exact_instances.small_slopes import mean_loss_gap, measure_small_slopes
from boundkit.attack.mutation.generation import generate_mutants
from boundkit.attack.mutation.measurements import Measurements
from boundkit.theorems import theorem

NAME = "fedavg_convex_piecewise_floor_lower"


def test_the_gap_is_that_of_many_simulated_paths() -> None:
    s, slope, doublings = 0.2, 0.5, 5
    rng = np.random.default_rng(0)
    x, total = np.zeros(200_000), 0.0
    for _ in range(2**doublings + 1):
        size = np.abs(x)
        total += np.where(size < slope, x * x / 2, slope * (size - slope / 2)).mean()
        x -= s * (np.clip(x, -slope, slope) + rng.standard_normal(len(x)))
    assert mean_loss_gap(s, slope, doublings) == pytest.approx(total / (2**doublings + 1), rel=0.01)


def test_it_refutes_a_quarter_of_what_slope_and_start_cost_and_no_true_bound() -> None:
    pieces = Measurements(theorem(NAME), tuple(measure_small_slopes(theorem(NAME))))
    assert pieces.inside.all()
    assert pieces.above() is None
    killed = [
        pieces.killer(mutant) is not None
        for mutant in generate_mutants(theorem(NAME))
        if mutant.what.startswith("stochastic noise: -")
    ]
    assert killed == [False, True, True]


def test_others_have_none() -> None:
    assert not list(measure_small_slopes(theorem("fedavg_convex_floor_lower")))
