"""How bounds up to constants on local steps scale, where the usual sweeps do not do."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from boundkit.algebra import Theorem
from boundkit.verify.assumed import Plan
from boundkit.verify.checks.order import Scaling, varied
from boundkit.verify.problems import Quadratic, SmoothNonconvex


def overlap(theorem: Theorem) -> Scaling:
    """Time, local steps and clients, at a step of 1/(4 L tau) for the longest rounds, with noise."""

    def vary(plan: Plan, letter: str, value: float) -> Plan:
        return varied(plan, "T" if letter == "wall" else letter, value)

    problem = SmoothNonconvex(np.zeros((4, 2)), noise=1.0)
    plan = Plan("with noise", problem, local_steps=4, eta=1 / 64, rounds=100, x0=np.full(2, 2.0))
    return Scaling(plan, {"wall": (25, 50, 100, 200), "tau": (2, 4, 8, 16), "m": (4, 8, 16)}, vary)


def rounds_to_target(theorem: Theorem) -> Scaling:
    """The target, local steps and clients, where noise is what takes time."""

    def vary(plan: Plan, letter: str, value: float) -> Plan:
        if letter == "target":
            return replace(plan, target=value)
        return varied(plan, letter, value)

    problem = Quadratic([1.0] * 4, [[1.0], [-1.0], [0.5], [-0.5]], noise=2.0)
    plan = Plan("with noise", problem, local_steps=2, rounds=400, x0=np.full(1, 3.0), target=0.2)
    return Scaling(plan, {"target": (0.4, 0.28, 0.2, 0.14), "tau": (1, 2, 4, 8), "m": (4, 8, 16)}, vary)


def forgetful(theorem: Theorem) -> Scaling:
    """Rounds, local steps, clients and their fraction, after 16 L/mu rounds and more."""
    problem = Quadratic.random(8, 2, seed=2, curvature=(0.5, 1.0), noise=1.0)
    plan = Plan("with noise", problem, local_steps=4, present=0.5, rounds=64, x0=np.full(2, 2.0))
    return Scaling(
        plan, {"T": (32, 64, 128, 256), "tau": (2, 4, 8), "m": (4, 8, 16), "C": (0.25, 0.5)}, varied
    )


SCALINGS = {
    "overlap_sgd_nonconvex_clock": overlap,
    "local_sgd_nonconvex_rounds": rounds_to_target,
    "fedavg_strongly_convex_partial_rate": forgetful,
}
