"""Exact floors of delayed gradients, and the dropped terms that they and a first round refute."""

import numpy as np
import pytest
from scipy.linalg import solve_discrete_lyapunov

from boundkit.attack.exact_instances import measure_infinite_clients
from boundkit.attack.exact_instances.stale_floors import measure_stale_floors, response_energy
from boundkit.attack.infinite_clients import drift_instances
from boundkit.attack.mutation.directed_instances import measure_directed_instances
from boundkit.attack.mutation.generation import generate_mutants
from boundkit.attack.mutation.measurements import Measurements
from boundkit.theorems import theorem


def refuted(name: str, measurements: Measurements) -> set[str]:
    """The terms without which a theorem is below a measurement; it is itself above all of them."""
    assert measurements.above() is None, name
    dropped = [each for each in generate_mutants(theorem(name)) if each.kind == "dropped"]
    return {each.label for each in dropped if measurements.killer(each) is not None}


@pytest.mark.parametrize(("rate", "delay"), [(0.3, 2), (0.9, 0), (0.05, 7)])
def test_the_floor_is_that_of_the_recursion(rate: float, delay: int) -> None:
    shift = np.eye(delay + 1, k=-1)
    shift[0, 0] = 1.0
    shift[0, delay] -= rate
    noise = np.zeros((delay + 1, delay + 1))
    noise[0, 0] = 1.0
    assert response_energy(rate, delay) == pytest.approx(
        solve_discrete_lyapunov(shift, noise)[0, 0], rel=1e-9
    )


def test_old_gradients_need_their_term() -> None:
    for name, of_noise in (
        ("async_sgd_nonconvex", {"stochastic noise"}),
        ("async_sgd_heterogeneous_nonconvex", {"stochastic noise", "partial participation"}),
    ):
        floors = Measurements(theorem(name), tuple(measure_stale_floors(theorem(name))))
        assert refuted(name, floors) == {"staleness", *of_noise}


def test_a_first_round_from_the_optimum_needs_the_noise_drift() -> None:
    claimed = theorem("accelerated_local_sgd_convex")
    piece = drift_instances(claimed)[0].evidence(claimed)
    drift = claimed.bound.terms["noise drift"].expr
    assert float(piece.shares(claimed)[0]) == pytest.approx(float(piece.ratios(claimed)[0]), rel=1e-6)
    assert piece.values["T"] == 1
    assert piece.values["distance"] == 0
    assert 0 < float(piece.ratios(claimed)[0]) < 1
    assert drift.free_symbols


def test_honest_clients_need_the_noise_of_their_mean() -> None:
    name = "byzantine_sgd_nonconvex"
    runs = Measurements(theorem(name), tuple(measure_directed_instances(theorem(name))))
    assert refuted(name, runs) == {"stochastic noise"}


def test_infinitely_many_clients_need_the_noise_drift() -> None:
    for name in (
        "cyclic_pl_local_sgd_sampled",
        "gossip_local_sgd_nonconvex",
        "mifa_pl",
        "scaffold_convex_partial",
    ):
        claimed = theorem(name)
        assert refuted(name, Measurements(claimed, tuple(measure_infinite_clients(claimed)))) == {
            "noise drift"
        }
