"""Default instances of groups that take turns: parts of groups and whole ones, alike and unlike Hessians."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from boundkit.algebra import Theorem
from boundkit.simulation.problems import Problem, Quadratic, SmoothNonconvex
from boundkit.simulation.problems.base import Array
from boundkit.verification.assumed.rule import Plan


def turns(groups: int, count: int | None = None) -> dict[str, Any]:
    """Groups that take turns; of each, ``count`` clients come, or all."""
    return {"kind": "cyclic", "groups": groups} | ({} if count is None else {"count": count})


def apart(groups: int, size: int, between: float, within: float, seed: int, d: int = 2) -> Array:
    """Minimisers of clients in groups: N(0, between^2) for the group, and N(0, within^2) about it."""
    rng = np.random.default_rng(seed)
    e = between * rng.standard_normal((groups, 1, d)) + within * rng.standard_normal((groups, size, d))
    return np.asarray(e.reshape(groups * size, d))


def designs(theorem: Theorem) -> Sequence[Plan]:
    """The plans of a theorem on groups that take turns; those of whole groups where it asks for these."""
    sampled = not theorem.assumes("whole-groups")
    several = theorem.assumes("common-local-steps")
    unlike = Quadratic.random(8, 3, seed=2, dense=True, noise=0.5, curvature=(0.2, 1.0))
    bowls = [[1.0, 0.25]] * 8

    def plan(
        name: str, problem: Problem, groups: int, count: int | None = None, cycles: int = 1, **more: Any
    ) -> Plan:
        tau = more.pop("tau", 1)
        return Plan(
            name, problem, local_steps=tau if several else 1, rounds=cycles * groups,
            participation=turns(groups, count if sampled else None),
            **{"x0": np.full(problem.d, 2.0), **more},
        )  # fmt: skip

    plans = [
        plan("parts of groups, noise" if sampled else "whole groups, several steps",
             Quadratic(bowls, apart(4, 2, 0.5, 2.0, 1), noise=0.5), 4, 1, cycles=12, tau=4),
        plan("unlike Hessians", unlike, 2, 2, cycles=30, tau=8),
        plan("the first cycle, where it is flat", Quadratic([[4.0, 0.1]] * 8, np.zeros((8, 2))), 4, 1, tau=2,
             x0=np.array([0.0, 2.0])),
        plan("whole groups that differ", Quadratic(bowls, apart(4, 2, 3.0, 0.1, 2)), 4, cycles=100, tau=2),
        plan("many groups of two", Quadratic.random(16, 2, seed=5, curvature=(0.3, 1.0)), 8, 1, cycles=10),
        plan("on the floor", Quadratic([1.0] * 8, apart(2, 4, 0.0, 2.0, 3), noise=0.2), 2, 1, cycles=500,
             step=0.3, tau=16),
        plan("one group", unlike, 1, 2, cycles=40, tau=5),
    ]  # fmt: skip
    if not theorem.rules:
        tilts = apart(4, 2, 1.0, 1.0, 4)
        bent = SmoothNonconvex(tilts - tilts.mean(axis=0), noise=0.5)
        plans += [plan("not convex", bent, 4, 1, cycles=10, tau=3),
                  plan("not convex, no noise", bent.quiet(), 4, cycles=40, step=0.5, tau=2)]  # fmt: skip
    return [replace(p, eta_s=1.0) for p in plans]
