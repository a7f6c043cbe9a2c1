"""Clients that pass through shuffled parts of their data, and default instances of that."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from boundkit.algebra import Theorem
from boundkit.simulation.problems import Quadratic
from boundkit.simulation.problems.base import Array
from boundkit.simulation.run import Run
from boundkit.verification.assumed.cycles_plans import apart, turns
from boundkit.verification.assumed.rule import Plan, Rule


def _one_pass(theorem: Theorem, run: Run) -> str:
    parts, tau = run.problem.parts, run.tau
    if parts is None:
        if not run.problem.draws:
            return ""  # parts that agree are exact gradients
        return "clients go over parts of their data, and the run draws gradients anew in each step"
    if tau == parts.shape[1]:
        return ""
    steps = "unlike numbers of local steps" if tau is None else f"{tau} local steps"
    return (
        f"clients pass through their parts once a round, and the run has {parts.shape[1]} parts and {steps}"
    )


def offsets(m: int, B: int, d: int, spread: float, seed: int) -> Array:
    """g_ib of parts that differ by N(0, spread^2), (m, B, d): they sum to 0 for each client."""
    g = spread * np.random.default_rng(seed).standard_normal((m, B, d))
    return np.asarray(g - g.mean(axis=1, keepdims=True))


def designs(theorem: Theorem) -> Sequence[Plan]:
    """Groups that take turns and parts that differ: whole groups, parts of groups, and exact gradients."""
    e = apart(4, 4, 1.0, 1.0, 7)
    alike = Quadratic([1.0] * 16, e, parts=offsets(16, 4, 2, 1.0, 8))
    few = Quadratic([1.0] * 16, e, parts=offsets(16, 2, 2, 2.0, 9))
    start = alike.centre + 1.0
    return [
        Plan("whole groups", alike, 4, rounds=200, participation=turns(4), x0=start),
        Plan("parts of groups", few, 2, rounds=200, participation=turns(4, 2), x0=start),
        Plan("parts that agree", alike.quiet(), 4, rounds=200, participation=turns(4), x0=start),
    ]


RULES = {"shuffled-parts": Rule(_one_pass, designs=designs)}
