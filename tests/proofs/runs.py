"""Small runs for ledgers, each at the largest step that its theorem allows, or at a part of it."""

from typing import Any

import numpy as np

from boundkit.algebra import Theorem
from boundkit.simulation.problems import Problem, Quadratic, SmoothNonconvex
from boundkit.simulation.run import Run
from boundkit.verification.default_instances import build_run
from boundkit.verification.instance import Instance


def unlike(noise: float = 0.5, clients: int = 4) -> Quadratic:
    """Clients in the plane with Hessians of their own."""
    return Quadratic.random(clients, 2, seed=5, dense=True, noise=noise, curvature=(0.2, 1.0))


def hollow() -> SmoothNonconvex:
    """Alike clients that are concave far out, where a gradient grows as it is followed."""
    return SmoothNonconvex(np.zeros((2, 1)))


def run_of(theorem: Theorem, problem: Problem, **settings: Any) -> Run:
    """A run of a theorem's algorithm: from (2, ..., 2), 3 local steps, 5 rounds, at the largest step."""
    usual: dict[str, Any] = {"local_steps": 3, "rounds": 5, "x0": np.full(problem.d, 2.0)}
    return build_run(theorem, Instance("a run", problem, **(usual | settings)))
