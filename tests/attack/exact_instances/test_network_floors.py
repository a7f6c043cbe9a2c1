"""Floors of local SGD on a network: they are those of runs, and refute planted mistakes."""

import numpy as np
import pytest

from boundkit.attack.exact_instances.network_floors import (
    drift_floor,
    measure_network_floors,
    noise_floor,
    turned_floor,
)
from boundkit.attack.mutation.generation import generate_mutants
from boundkit.attack.mutation.measurements import Measurements
from boundkit.theorems import theorem

NAME = "gossip_local_sgd_nonconvex"


@pytest.mark.parametrize(("gossip", "tau"), [(0.0, 3), (0.5, 1), (0.9, 4)])
def test_drift_is_that_of_the_fixed_point(gossip: float, tau: int) -> None:
    eta, flat = 1e-7, 1e-2
    curvatures, slopes = np.array([1.0, -1 + 2 * flat]), np.array([1.0, -1.0])
    mix = np.array([[1 + gossip, 1 - gossip], [1 - gossip, 1 + gossip]]) / 2
    powers = [(1 - eta * curvatures) ** k for k in range(tau + 1)]
    offsets = [sum((eta * powers[j] for j in range(k)), np.zeros(2)) * -slopes for k in range(tau + 1)]
    models = np.linalg.solve(np.eye(2) - mix * powers[tau], mix @ offsets[tau])
    means = [(powers[k] * models + offsets[k]).mean() for k in range(tau)]
    squares = np.mean([(curvatures.mean() * x) ** 2 for x in means])
    assert squares == pytest.approx(eta**2 * drift_floor(gossip, tau), rel=2e-2)


def test_noise_is_that_of_many_models() -> None:
    gossip, tau, clients = 0.6, 3, 200_000
    rng, models, spread = np.random.default_rng(0), np.zeros(clients), 0.0
    lengths: list[float] = []
    moves: list[float] = []
    for _ in range(40):
        lengths.clear()
        for _ in range(tau):
            lengths.append(np.abs(models).mean())
            farther = (spread**2 + 1) ** 0.5
            signs = np.where(rng.random(clients) < (1 + models / farther) / 2, 1, -1)
            moves.append(((signs * farther - models) ** 2).mean())
            models, spread = signs * farther, farther
        models, spread = gossip * models, gossip * spread
    assert np.mean(moves) == pytest.approx(1, rel=1e-2)
    assert np.mean(lengths) ** 2 == pytest.approx(noise_floor(gossip, tau), rel=1e-2)


def test_long_steps_leave_the_models_where_they_are() -> None:
    gossip, walk, sine = 0.7, 0.5, 0.3
    eta, cosine = walk * (1 - gossip) / gossip, np.sqrt(1 - sine**2)
    hessians = np.array([[[sine, -cosine], [-cosine, -sine]], [[sine, cosine], [cosine, -sine]]])
    models, gradients = np.array([[0.0, walk], [0.0, -walk]]), np.array([[0.0, -1.0], [0.0, 1.0]])
    moved = models - eta * gradients
    assert moved.mean(0) + gossip * (moved - moved.mean(0)) == pytest.approx(models)
    at_mean = gradients - np.einsum("ijk,ik->ij", hessians, models)
    square, spread = turned_floor(np.array(walk), np.array(sine))
    assert (at_mean.mean(0) ** 2).sum() == pytest.approx(square)
    assert at_mean.var(0).sum() == pytest.approx(spread**2)
    assert np.linalg.eigvalsh(hessians) == pytest.approx(np.array([[-1.0, 1.0]] * 2))


def test_they_refute_mistakes_and_no_true_bound() -> None:
    claimed = theorem(NAME)
    measurements = Measurements(claimed, tuple(measure_network_floors(claimed)))
    assert measurements.above() is None
    assert (~measurements.inside).sum() == 4
    assert 0.69 < np.nanmax(measurements.shares("gossip noise")) < 7 / 10
    every = {one.what: one for one in generate_mutants(claimed)}
    for what in (
        "gossip noise: tau left out",
        "gossip noise: 5/7 for 10/7",
        "client drift: 1/2 for 1 in 1 - gossip",
        next(what for what in every if what.startswith("condition") and "<= 5/4 for" in what),
    ):
        assert measurements.killer(every[what]) is not None
    assert measurements.killer(every["stochastic noise: 1/m left out"]) is None


def test_others_have_none() -> None:
    assert not list(measure_network_floors(theorem("local_sgd_nonconvex")))
