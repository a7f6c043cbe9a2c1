"""Clients that minimise proximal objectives, as exactly as they like: FedProx's theorem."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from boundkit.algebra import BoundkitError, Theorem
from boundkit.simulation.problems import Problem, Quadratic, SmoothNonconvex
from boundkit.simulation.run import Run
from boundkit.verification.assumed.rule import MEASURED, Plan, Rule
from boundkit.verification.quantities.proximal import inexactness


def _broken(theorem: Theorem, run: Run) -> str:
    if not run.algorithm.settings.get("mu"):
        return "it needs a proximal pull, and the mu of the run is 0"
    if run.eta_s != 1:
        return f"the server takes the mean of the drawn models, and the run has eta_s = {run.eta_s:g}"
    try:
        inexactness(run)
    except BoundkitError as reason:
        return str(reason).rstrip(".")
    return ""


def designs(theorem: Theorem) -> Sequence[Plan]:
    """Plans on which rho is above 0: pulls well above L beta^2, and more draws than 2 beta^2."""
    far = np.full(3, 2.0)
    exact: dict[str, Any] = {"exact": True}
    return [
        _plan("one minimiser, exact", _common(), {"mu": 20.0, **exact}, 200, far),
        _plan("alike clients, many draws", _alike(), {"mu": 200.0, **exact}, 1500, np.array([2.0])),
        _plan("not convex, gradient steps", SmoothNonconvex(np.zeros((16, 3))), {"mu": 8.0}, 60, far,
              local_steps=10, eta=1 / 9),
        _plan("one minimiser, inexact", _common(), {"mu": 20.0, "gamma": 0.1, **exact}, 200, far,
              present=0.5),
        _plan("clients that bend down", _bent_down(), {"mu": 20.0, **exact}, 200, far[:2]),
        _plan("unlike minimisers, far from them", _unlike(), {"mu": 20.0, **exact}, 8, np.full(3, 40.0)),
        _plan("not convex, tilted", _tilted(), {"mu": 20.0}, 10, np.ones(3), local_steps=40, eta=1 / 21),
        _plan("one round", _common(), {"mu": 10.0, **exact}, 1, far),
    ]  # fmt: skip


def _plan(
    name: str, problem: Problem, options: dict[str, Any], rounds: int, x0: Any, eta: float = 1.0, **more: Any
) -> Plan:
    return Plan(name, problem, options=options, rounds=rounds, x0=x0, eta=eta, **more)


def _common() -> Problem:
    made = Quadratic.random(16, 3, seed=5, dense=True, spread=0.0, curvature=(0.6, 1.0))
    return Quadratic(list(made.H), made.e, _weights(16))


def _alike() -> Problem:
    return Quadratic([1.0] * 100, np.zeros((100, 1)))


def _bent_down() -> Problem:
    return Quadratic([[-0.05, 1.0], *[[1.0, 1.0]] * 3] * 8, np.zeros((32, 2)))


def _unlike() -> Problem:
    return Quadratic.random(32, 3, seed=6, dense=True, curvature=(0.8, 1.0))


def _tilted() -> Problem:
    return SmoothNonconvex.random(32, 3, seed=7, spread=0.02)


def _weights(m: int) -> list[float]:
    drawn = np.random.default_rng(3).uniform(0.5, 1.5, m)
    return [float(v) for v in drawn / drawn.sum()]


RULES = {
    "bounded-negative-curvature": MEASURED,
    "local-dissimilarity": MEASURED,
    "inexact-proximal-minimisers": Rule(_broken, designs=designs),
}
