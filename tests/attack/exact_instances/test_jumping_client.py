"""One of two clients jumps: its paths are those of the engine, and they refute a lost factor of m."""

import numpy as np
import pytest

from boundkit.attack.exact_instances.jumping_client import gaps_of_a_path, measure_jumping_client
from boundkit.attack.mutation.generation import generate_mutants
from boundkit.attack.mutation.measurements import Measurements
from boundkit.simulation.problems import Huber
from boundkit.simulation.run import make_run
from boundkit.theorems import theorem
from boundkit.verification.engine_options import EngineOptions

NAME = "fedavgm_convex_homogeneous"


def test_after_the_jump_at_the_end_of_a_round_it_is_gradient_descent() -> None:
    """From the mean, half a jump away, without noise."""
    problem = Huber([1.0], [1.0], [1.0], np.zeros((1, 1)))
    run = make_run("fedavg", problem, rounds=60, local_steps=1, eta=0.5, x0=[3.0])
    z = EngineOptions().trajectory(theorem("fedavg_convex_sharp"), run).x[:, 0]
    gaps = np.where(np.abs(z) < 1, z * z / 2, np.abs(z) - 0.5)
    assert gaps_of_a_path(1, 0.5, 6.0, 0) == pytest.approx(gaps.sum(), rel=1e-9)


def test_they_refute_a_lost_factor_and_no_true_bound() -> None:
    pieces = Measurements(theorem(NAME), tuple(measure_jumping_client(theorem(NAME))))
    assert pieces.above() is None
    assert pieces.inside.all()
    for what, wrong in (
        ("noise drift: (1 - 1/m)^2 for 1 - 1/m", True),
        ("stochastic noise: 1/4 for 1/2", True),
        ("noise drift: 1 - 1/m left out", False),
    ):
        mutant = next(one for one in generate_mutants(theorem(NAME)) if one.what == what)
        assert (pieces.killer(mutant) is not None) == wrong, what


def test_others_have_none() -> None:
    assert not list(measure_jumping_client(theorem("fedavg_convex_sharp")))
