"""Rates of groups that take turns: more cycles, and more groups of the same clients.

Of the source's rates the powers of T are what it is trusted for; those of tau are not looked at.
"""

from __future__ import annotations

from dataclasses import replace

from boundkit.algebra import BoundkitError, Theorem
from boundkit.simulation.problems import Quadratic
from boundkit.verification.assumed.cycles_plans import apart, turns
from boundkit.verification.assumed.rule import Plan
from boundkit.verification.checks.order_level import Scaling

_GROUPS, _SIZE = 4, 4
_ROUNDS = (400, 800, 1600, 3200, 6400)


def _varied(plan: Plan, letter: str, value: float) -> Plan:
    if letter == "T":
        return replace(plan, rounds=int(value))
    if letter == "groups":
        return replace(plan, participation=turns(int(value), plan.participation["count"]))
    raise BoundkitError(f"{letter} is not varied here.")


def _scaling(theorem: Theorem) -> Scaling:
    """Sixteen clients on one Hessian, two of a group a round, with noise where the theorem allows it."""
    several = theorem.assumes("common-local-steps")
    noise = 0.0 if theorem.assumes("no-noise") else 0.3
    problem = Quadratic([1.0] * (_GROUPS * _SIZE), apart(_GROUPS, _SIZE, 1.0, 1.0, 7), noise=noise)
    plan = Plan(
        "groups that take turns", problem, local_steps=4 if several else 1, rounds=_ROUNDS[1],
        participation=turns(_GROUPS, 2), x0=problem.centre + 1.0,
    )  # fmt: skip
    values: dict[str, tuple[float, ...]] = {"T": _ROUNDS}
    return Scaling(plan, values if several else values | {"groups": (1, 2, 4, 8)}, _varied)


SCALINGS = {"cyclic_pl_gd_rate": _scaling, "cyclic_pl_local_sgd_rate": _scaling}
