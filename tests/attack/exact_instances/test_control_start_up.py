"""The start-up of control variates: it is that of the engine, and refutes planted mistakes."""

import numpy as np
import pytest

from boundkit.attack.exact_instances.control_start_up import measure_control_start_up, sums_of_squares
from boundkit.attack.mutation.generation import generate_mutants
from boundkit.attack.mutation.measurements import Measurements
from boundkit.simulation.engines import trajectory
from boundkit.simulation.problems import Quadratic
from boundkit.simulation.run import make_run
from boundkit.theorems import theorem


def test_the_sums_are_those_of_the_engine() -> None:
    h, eta, eta_s, tau = -0.7, 0.02, 1.4, 5
    settings = {"h": h, "mean": (1 + h) / 2, "eta": eta, "eta_s": eta_s, "tau": float(tau)}
    sums = sums_of_squares({name: np.array([value]) for name, value in settings.items()})
    problem = Quadratic([1.0, h], [[1.0], [-1.0]])
    run = make_run("scaffold", problem, rounds=64, eta=eta, eta_s=eta_s, local_steps=tau, x0=problem.centre)
    squares = trajectory(run).mean("distance_squared")
    for rounds in (2, 16, 64):
        np.testing.assert_allclose(sums[rounds][0], squares[:rounds].sum(), rtol=1e-9)


@pytest.mark.parametrize(
    ("name", "wrong"),
    [
        ("scaffold_nonconvex", ("start-up: T^(-2) for 1/T", "start-up: tau left out")),
        ("scaffold_nonconvex_sharp", ("start-up: T^(-2) for 1/T", "start-up: tau - 1 for (tau - 1)^2")),
    ],
)
def test_it_refutes_mistakes_and_no_true_bound(name: str, wrong: tuple[str, ...]) -> None:
    measurements = Measurements(theorem(name), tuple(measure_control_start_up(theorem(name))))
    assert measurements.above() is None
    every = {one.what: one for one in generate_mutants(theorem(name))}
    assert all(measurements.killer(every[what]) for what in wrong)


def test_other_theorems_have_none() -> None:
    for name in ("fedvarp_nonconvex", "scaffold_strongly_convex_partial"):
        assert not list(measure_control_start_up(theorem(name)))
