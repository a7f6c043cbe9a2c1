"""Replicas of a chunk do not feel each other, though in each other clients come."""

from typing import Any

import numpy as np
import pytest

from boundkit.simulation.engines import trajectory
from boundkit.simulation.engines.step_engine import Step
from tests.simulation.algorithms.rounds import drawn, run

KEEPING: dict[str, tuple[str, dict[str, Any]]] = {
    "scaffold I": ("scaffold", {"variant": "I", "initial_controls": "gradient"}),
    "scaffold II": ("scaffold", {}),
    "vrlsgd own": ("vrlsgd", {}),
    "vrlsgd mean": ("vrlsgd", {"divisor": "mean"}),
    "fedvarp": ("fedvarp", {}),
    "clusterfedvarp": ("clusterfedvarp", {"clusters": [[3, 0], [1, 2]]}),
    "mifa": ("mifa", {}),
    "mifa no wait": ("mifa", {"wait": False}),
    "fedau": ("fedau", {"cutoff": 3}),
    "fedawe": ("fedawe", {}),
    "gap_reweighted": ("gap_reweighted", {}),
}
RARELY = {"kind": "bernoulli", "probabilities": [0.8, 0.3, 0.5, 0.2]}


@pytest.mark.parametrize("name", KEEPING)
def test_a_replica_is_the_run_of_the_rounds_it_drew(name: str) -> None:
    algorithm, options = KEEPING[name]
    random = run(algorithm, options=options, participation=RARELY, rounds=15, seed=3)
    together = trajectory(random, "step", replicas=4).observed["loss"]
    for r in range(4):
        alone = trajectory(drawn(random, r), "step").observed["loss"][0]
        length = together.shape[1]
        assert len(alone) >= length
        np.testing.assert_allclose(together[r], alone[:length], rtol=1e-11)


@pytest.mark.parametrize("name", ["scaffold I", "fedvarp", "mifa no wait"])
def test_their_mean_is_the_exact_engines_under_noise_and_chance(name: str) -> None:
    algorithm, options = KEEPING[name]
    some = run(algorithm, noise=0.5, options=options, participation=RARELY, rounds=4, seed=2)
    exact = trajectory(some, "exact").observed["loss"][0]
    loss = trajectory(some, "step", replicas=2000).observed["loss"]
    error = loss.std(axis=0) / np.sqrt(len(loss))
    assert (np.abs(loss.mean(axis=0) - exact) <= 4.5 * error + 1e-12).all()


@pytest.mark.parametrize("participation", [
    RARELY, {"kind": "uniform", "C": 0.5}, {"kind": "with_replacement", "count": 3},
], ids=["bernoulli", "uniform", "with_replacement"])  # fmt: skip
@pytest.mark.parametrize("name", ["scaffold I", "clusterfedvarp", "mifa", "fedawe"])
def test_chunks_change_nothing_under_noise(name: str, participation: Any) -> None:
    algorithm, options = KEEPING[name]
    noisy = run(algorithm, noise=0.5, options=options, participation=participation, rounds=8, seed=1)
    whole = Step(noisy, 5).trajectory().observed["loss"]
    parts = Step(noisy, 5, chunk=2).trajectory().observed["loss"]
    np.testing.assert_allclose(whole, parts, rtol=1e-11)
