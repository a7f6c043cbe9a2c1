"""How bounds up to constants on adaptive steps scale: each run takes the step that its source tunes.

FedAdagrad and FedAdam: eta = 1/(8 tau L sqrt T), adaptivity = G_inf/L, and a server rate of 16 sqrt(tau m)
G_inf/L, so that a run of 50 rounds arrives. The corrected local solvers: eta = sqrt(m/(tau T))/L, and a
server that takes tau steps at once. They are held with AdaGrad, with noise where clients take one step, and
without where they take many, as the remarks of the theorem say.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from boundkit.algebra import Theorem
from boundkit.simulation.problems import SmoothNonconvex
from boundkit.verification.assumed import Plan
from boundkit.verification.checks.order_level import Scaling, varied

_START = np.full(3, 2.0)
_TAU, _CLIENTS, _ROUNDS = 4, 8, 200


def _problem(noise: float = 0.0) -> SmoothNonconvex:
    return SmoothNonconvex.random(4, 3, seed=4, spread=0.5, noise=noise)


def adaptive_server(options: dict[str, Any]) -> Scaling:
    """Sweeps of T, tau and m, the steps following them."""

    def vary(plan: Plan, letter: str, value: float) -> Plan:
        asked = varied(plan, letter, value)
        problem, tau = asked.problem, float(asked.local_steps)
        assert isinstance(problem, SmoothNonconvex)
        G = float(np.abs(problem.e).max()) + 0.5
        return replace(
            asked,
            eta=1 / (8 * tau * asked.rounds**0.5),
            eta_s=16 * (tau * problem.m) ** 0.5 * G,
            options={**options, "adaptivity": G},
        )

    plan = varied(Plan("tuned", _problem(), local_steps=_TAU, rounds=_ROUNDS, x0=_START), "m", _CLIENTS)
    return Scaling(plan, {"T": (50, 100, 200, 400), "tau": (2, 4, 8, 16), "m": (4, 8, 16, 32)}, vary)


def local_solver(theorem: Theorem) -> Scaling:
    """Sweeps of T and m with noise and one step a client, and of tau without noise."""

    def vary(plan: Plan, letter: str, value: float) -> Plan:
        alone = plan if letter != "tau" else replace(plan, problem=plan.problem.quiet(), local_steps=_TAU)
        asked = varied(alone, letter, value)
        tau = float(asked.local_steps)
        return replace(asked, eta=(asked.problem.m / (tau * asked.rounds)) ** 0.5, eta_s=tau)

    options = {"solver": "adagrad", "correction": "local", "epsilon": 0.1}
    plan = varied(Plan("tuned", _problem(1.0), rounds=_ROUNDS, x0=_START, options=options), "m", _CLIENTS)
    return Scaling(plan, {"T": (50, 100, 200, 400), "tau": (2, 4, 8, 16), "m": (4, 8, 16, 32)}, vary)


SCALINGS = {
    "fedadagrad_nonconvex": lambda theorem: adaptive_server({}),
    "fedadam_nonconvex": lambda theorem: adaptive_server({"beta1": 0.0}),
    "local_adaptive_nonconvex": local_solver,
}
