"""Clients dissimilar far from the start: the first rounds are the engine's, and they refute a mistake."""

import numpy as np

from boundkit.attack.exact_instances.distant_clients import (
    ETA,
    FRESH,
    SERVER,
    TAU,
    measure_distant_clients,
    walked,
)
from boundkit.attack.mutation.generation import generate_mutants
from boundkit.attack.mutation.measurements import Measurements
from boundkit.simulation.engines import trajectory
from boundkit.simulation.problems import Quadratic
from boundkit.simulation.run import make_run
from boundkit.theorems import theorem


def test_below_the_top_they_are_quadratic() -> None:
    run = make_run(
        "fedcm", Quadratic([-1.0, 1 + 1e-7], [[1.0], [-1.0]]), rounds=30, eta=ETA, eta_s=SERVER,
        local_steps=TAU, x0=[0.0], options={"fresh": FRESH},
    )  # fmt: skip
    np.testing.assert_allclose(-trajectory(run).x.ravel()[1:], walked(30, 1e6)[:-1], rtol=1e-5)


def test_above_the_top_the_server_stops() -> None:
    path = walked(900, 67.2)
    assert abs(path[-2] - path[-200]) < 1e-9 < path[-1] - path[-2] < 6


def test_they_refute_ten_times_the_rounds_and_not_twice() -> None:
    fedcm = theorem("fedcm_nonconvex")
    measurements = Measurements(fedcm, tuple(measure_distant_clients(fedcm)))
    assert measurements.above() is None
    relaxed = [each for each in generate_mutants(fedcm) if each.condition is not None and each.place == 2]
    assert [measurements.killer(each) is not None for each in relaxed] == [False, True]
    assert not list(measure_distant_clients(theorem("fedavg_nonconvex")))
