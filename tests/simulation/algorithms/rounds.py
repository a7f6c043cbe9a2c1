"""Runs taken apart: the state after each round, and the rounds that a random participation drew."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from boundkit.simulation.algorithms import State
from boundkit.simulation.arrays import to_numpy
from boundkit.simulation.engines.step_engine import StepEngine
from boundkit.simulation.participation import Schedule
from boundkit.simulation.problems import Quadratic
from boundkit.simulation.random_streams import Streams
from boundkit.simulation.run import Run, make_run

E = [[1.0, -2.0], [3.0, 1.0], [-1.5, 0.25], [2.0, 4.0]]
H = [[[2.0, 0.5], [0.5, 1.0]], 1.0, [0.5, 1.5], [[1.0, -0.25], [-0.25, 0.75]]]
STEPS = [3, 1, 6, 2]
GAPS = [[], [0, 3], [1], [0, 1, 2, 3], [], [2, 3], [0], [1, 2, 0]]


def run(
    algorithm: str, problem: Quadratic | None = None, noise: float = 0.0, weights: Any = None, **settings: Any
) -> Run:
    """A run of four clients in the plane, unless it is given otherwise."""
    if problem is None:
        problem = Quadratic(H, E, weights, noise)
        settings = {"x0": [4.0, -3.0], "local_steps": STEPS, **settings}
    return make_run(algorithm, problem, **{"rounds": 12, "eta": 0.1, **settings})


def line(*centres: float, **more: Any) -> Quadratic:
    """F_i = 1/2 (x - u_i)^2."""
    return Quadratic([1.0] * len(centres), [[u] for u in centres], **more)


def states(run: Run, replicas: int = 1) -> Iterator[State]:
    """The state before each round and after the last, in numpy arrays of its own."""
    for _, state in StepEngine(run, replicas).states():
        yield {name: np.array(to_numpy(array)) for name, array in state.items()}


def drawn(run: Run, replica: int) -> Run:
    """The run with the rounds that its participation draws for one replica, where there is no noise."""
    streams = Streams(run.seed, 1, replica)
    rounds = []
    for t in range(run.rounds):
        here = run.participation.draw(t, streams)
        came = here.clients.ravel()
        rounds.append(came.tolist() if here.counts is None else came[here.counts.ravel() > 0].tolist())
    return replace(run, participation=Schedule(run.problem.m, rounds))
