"""How the orders of FedAU with its own weights and of MIFA are looked at."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from boundkit.algebra import Theorem
from boundkit.simulation.problems import Quadratic
from boundkit.verification.assumed import Plan
from boundkit.verification.assumed.availability_plans import coming
from boundkit.verification.checks.order_level import Scaling, varied

_KINDS = 4
_CHANCES = (0.9, 0.6, 0.4, 0.3)
_CUTOFF, _AGE = 6, 3


def learnt(theorem: Theorem) -> Scaling:
    """FedAU at the largest step that is allowed: rounds and local steps."""
    clients = Quadratic.random(_KINDS, 2, seed=5, shared=True, noise=0.5, curvature=(0.5, 1.0))
    plan = Plan(
        "weights that are learnt", clients, 2, rounds=100, participation=coming(_CHANCES),
        options={"cutoff": _CUTOFF}, x0=np.full(2, 3.0),
    )  # fmt: skip

    values = {"T": (25, 40, 64, 100, 160), "tau": (1, 2, 4, 8, 16)}
    return Scaling(plan, values, varied)


def remembered(theorem: Theorem) -> Scaling:
    """MIFA with steps that fall as its source lets them: rounds, local steps, clients, and longest absence.

    Clients begin near the optimum and are nearly alike, so that noise rules the bound from the first rounds
    on: what falls as 1/T^2 stands under open constants, and the bound would fall faster than any run can.
    """
    clients = Quadratic([0.8, 1.0, 0.9, 1.0], [[0.1], [-0.1], [0.05], [-0.1]], noise=1.5)
    plan = Plan("groups in turn, falling steps", clients, 4, rounds=40, x0=np.full(1, 0.2))
    plan = varied(plan, "m", 2 * _KINDS)

    def vary(plan: Plan, letter: str, value: float) -> Plan:
        age = int(value) if letter == "staleness" else _AGE
        plan = plan if letter == "staleness" else varied(plan, letter, value)
        m, tau = plan.problem.m, int(plan.local_steps)
        turns = [[i for i in range(m) if i % (age + 1) == k] for k in range(age + 1)]
        known = plan.problem.constants(np.zeros(plan.problem.d))
        L, mu = known["L"].value, known["mu"].value
        offset = (1 + age) * (L / mu) ** 1.5  # in rounds: the source's eta_t = 4/(mu tau (t + offset))
        eta = {"first": 4 / (mu * tau * offset), "offset": tau * offset}
        return replace(plan, schedule=turns, eta=eta)

    values = {
        "T": (30, 45, 65, 90, 120), "tau": (1, 2, 3, 5, 8), "m": (4, 8, 12, 16),
        "staleness": (1, 2, 3, 5, 7),
    }  # fmt: skip
    return Scaling(plan, values, vary)


SCALINGS = {"fedau_nonconvex_rate": learnt, "mifa_strongly_convex": remembered}
