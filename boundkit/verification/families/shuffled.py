"""Random reshuffling: clients pass once through shuffled parts of their data in every round."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from boundkit.algebra import BoundkitError, Theorem, vocabulary
from boundkit.simulation.arrays import Array
from boundkit.simulation.problems import Quadratic
from boundkit.simulation.run import Run
from boundkit.verification.families.cyclic import cyclic_participation, group_minimisers
from boundkit.verification.family import AssumptionRule, Family, Sweeps
from boundkit.verification.instance import Instance

_GROUPS, _SIZE, _PARTS = 2, 2, 4
_ROUNDS = (32, 64, 128, 256, 512)


def _one_pass(theorem: Theorem, run: Run) -> str:
    parts, tau = run.problem.parts, run.tau
    if parts is None:
        if not run.problem.stochastic:
            return ""  # parts that agree are exact gradients
        return "it needs shuffled parts, and the run draws independent gradients in each step"
    if tau == parts.shape[1]:
        return ""
    steps = "unequal numbers of local steps" if tau is None else f"{tau} local steps"
    return f"it needs one pass over the parts in a round, and the run has {parts.shape[1]} parts and {steps}"


def part_gradients(m: int, B: int, d: int, spread: float, seed: int) -> Array:
    """Gradient offsets g_ib ~ N(0, spread^2) of the parts, (m, B, d), which sum to 0 for each client."""
    g = spread * np.random.default_rng(seed).standard_normal((m, B, d))
    return np.asarray(g - g.mean(axis=1, keepdims=True))


def default_instances(theorem: Theorem) -> list[Instance] | None:
    """Groups that take turns: whole groups, sampled groups, and parts with equal gradients."""
    if not theorem.assumes("shuffled-parts"):
        return None
    e = group_minimisers(4, 4, 1.0, 1.0, 7)
    alike = Quadratic([1.0] * 16, e, parts=part_gradients(16, 4, 2, 1.0, 8))
    few = Quadratic([1.0] * 16, e, parts=part_gradients(16, 2, 2, 2.0, 9))
    start = alike.centre + 1.0
    return [
        Instance("whole groups", alike, 4, rounds=200, participation=cyclic_participation(4), x0=start),
        Instance("parts of groups", few, 2, rounds=200, participation=cyclic_participation(4, 2), x0=start),
        Instance(
            "parts that agree",
            alike.without_noise(),
            4,
            rounds=200,
            participation=cyclic_participation(4),
            x0=start,
        ),
    ]


def with_rate_step(instance: Instance, keyword: str, value: float) -> Instance:
    """The instance with T rounds at a step of the source's kind, log(m T^2/groups^2)/(mu_PL tau T)."""
    if keyword != "T":
        raise BoundkitError(f"{keyword} is not varied here.")
    logarithm = float(np.log(instance.problem.m * (value / _GROUPS) ** 2))
    return replace(instance, rounds=int(value), eta=logarithm / (_PARTS * value))


def sweeps(theorem: Theorem) -> Sweeps | None:
    """Four clients of curvature 1 in two similar groups, whose parts have large gradient differences.

    Whole groups participate, so that no term falls as 1/T: noise drawn independently would violate the rate.
    """
    if not theorem.assumes("shuffled-parts"):
        return None
    m = _GROUPS * _SIZE
    problem = Quadratic(
        [1.0] * m, group_minimisers(_GROUPS, _SIZE, 0.1, 0.1, 7), parts=part_gradients(m, _PARTS, 2, 5.0, 8)
    )
    instance = Instance(
        "whole groups that pass over parts",
        problem,
        _PARTS,
        rounds=_ROUNDS[0],
        participation=cyclic_participation(_GROUPS),
        x0=problem.centre + 1.0,
    )
    return Sweeps(instance, {"T": _ROUNDS}, with_rate_step)


FAMILY = Family(
    assumptions={vocabulary.SHUFFLED_PARTS: AssumptionRule(_one_pass)},
    instances=default_instances,
    sweeps=sweeps,
)
