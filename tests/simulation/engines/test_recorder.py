"""Looks that would tell of other rounds than they say are refused."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from boundkit.algebra import BoundkitError
from boundkit.simulation.engines.step_engine import StepEngine
from boundkit.simulation.problems import Network
from boundkit.simulation.run import Run, make_run


def a_run(name: str = "fedavg", **settings: object) -> Run:
    rng = np.random.default_rng(0)
    clients = [(rng.normal(size=(6, 2)), np.arange(6) % 2) for _ in range(4)]
    network = Network(clients, "softmax", batch=2).leaner()
    return make_run(name, network, rounds=12, eta=0.1, **settings)


def test_a_run_that_waits_is_observed_every_round() -> None:
    who = {"kind": "bernoulli", "probabilities": 0.4}
    with pytest.raises(BoundkitError, match="may lie between two observed ones: take every = 1"):
        StepEngine(a_run("mifa", participation=who, every=4))
    waiting = StepEngine(a_run("mifa", participation=who), 2).trajectory()
    start = a_run().problem.observe(a_run().x0[None])["loss"][0]
    np.testing.assert_allclose(waiting.observed["loss"][:, 0], start, rtol=1e-12)
    at_once = a_run("mifa", participation=who, every=4, options={"wait": False})
    assert StepEngine(at_once, 2).trajectory().rounds.tolist() == [0, 4, 8, 12]


def test_replicas_that_end_at_a_level_are_in_one_chunk() -> None:
    run = replace(a_run(), until=("loss", 0.69))
    with pytest.raises(BoundkitError, match=r"but there are 2: take chunk = 4\."):
        StepEngine(run, 4, chunk=2).trajectory()
    level = float(StepEngine(a_run(), 4, chunk=4).trajectory().observed["loss"][:, 6].max())
    ended = StepEngine(replace(run, until=("loss", level)), 4, chunk=4).trajectory()
    assert (ended.observed["loss"] <= level * (1 + 1e-6)).any(axis=1).all()
