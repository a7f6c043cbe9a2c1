"""The rate of shuffled parts in T. Of the source, the powers of T alone are what it is trusted for.

Whole groups take turns, so that nothing in the bound falls as 1/T: noise that is drawn anew would be seen.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from boundkit.algebra import BoundkitError, Theorem
from boundkit.simulation.problems import Quadratic
from boundkit.verification.assumed.cycles_plans import apart, turns
from boundkit.verification.assumed.parts import offsets
from boundkit.verification.assumed.rule import Plan
from boundkit.verification.checks.order_level import Scaling

_GROUPS, _SIZE, _PARTS = 2, 2, 4
_ROUNDS = (32, 64, 128, 256, 512)


def at_its_step(plan: Plan, letter: str, value: float) -> Plan:
    """The plan with T rounds at a step of the source's kind, log(m T^2/groups^2)/(mu_PL tau T)."""
    if letter != "T":
        raise BoundkitError(f"{letter} is not varied here.")
    logarithm = float(np.log(plan.problem.m * (value / _GROUPS) ** 2))
    return replace(plan, rounds=int(value), eta=logarithm / (_PARTS * value))


def scaling(theorem: Theorem) -> Scaling:
    """Four clients of curvature 1 in two groups that are a little apart, and parts that are far apart."""
    m = _GROUPS * _SIZE
    problem = Quadratic([1.0] * m, apart(_GROUPS, _SIZE, 0.1, 0.1, 7), parts=offsets(m, _PARTS, 2, 5.0, 8))
    plan = Plan("whole groups that go over parts", problem, _PARTS, rounds=_ROUNDS[0],
                participation=turns(_GROUPS), x0=problem.centre + 1.0)  # fmt: skip
    return Scaling(plan, {"T": _ROUNDS}, at_its_step)


SCALINGS = {"cyclic_pl_shuffled_rate": scaling}
