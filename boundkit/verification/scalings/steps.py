"""How bounds up to constants on local steps scale, each letter where a term with it rules.

The rates with sampling: rounds with noise and sampling, local steps and clients where noise is all, the
fraction that comes where sampling is all; at the best step of a grid. Under strong convexity from the
optimum, at a step of 4/(mu tau T), so that no logarithm is left. Overlapped rounds: time and local steps
without noise, clients at the optimum. Rounds to a target: at the step of the table, target^2 m/(2 L sigma^2),
on a slope of twice the target.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from boundkit.algebra import Theorem
from boundkit.simulation.problems import LogCosh, Quadratic
from boundkit.verification.assumed import Plan
from boundkit.verification.checks.order_level import Scaling, varied

_SPREAD = np.array([[1.0, 0.0], [-1.0, 0.5], [0.5, -1.0], [-0.5, 0.5]])
_LETTERS = {
    "T": (400, 800, 1600, 3200),
    "tau": (2, 4, 8, 16, 32),
    "m": (4, 8, 16, 32),
    "C": (0.125, 0.25, 0.5, 0.625),
}


def _shared(m: int, noise: float, spread: float = 1.0) -> Quadratic:
    return Quadratic([1.0] * m, spread * _SPREAD[np.arange(m) % 4], noise=noise)


def _ruled(plan: Plan, letter: str, value: float) -> Plan:
    """The plan with a letter varied, where that letter's own cause is all there is."""
    m = plan.problem.m
    if letter in ("tau", "m"):
        plan = replace(plan, problem=_shared(m, 1.0, spread=0.0))
    if letter == "C":
        plan = replace(plan, problem=_shared(m, 0.0))
    return varied(plan, letter, value)


def sampled_rate(theorem: Theorem) -> Scaling:
    """Noise and sampling, from a start away from the optimum."""
    plan = Plan("noise and sampling", _shared(8, 1.0), 2, present=0.5, rounds=1600, x0=np.full(2, 2.0))
    return Scaling(plan, _LETTERS, _ruled)


def forgetful_rate(theorem: Theorem) -> Scaling:
    """Noise and sampling, from the optimum, after 64 rounds and more."""

    def vary(plan: Plan, letter: str, value: float) -> Plan:
        asked = _ruled(plan, letter, value)
        steps = float(asked.local_steps) * asked.rounds
        optimum = np.average(asked.problem.e, axis=0) if isinstance(asked.problem, Quadratic) else None
        return replace(asked, eta=4 / steps, x0=optimum)

    plan = Plan("noise and sampling", _shared(8, 1.0), 2, present=0.5, rounds=128)
    return Scaling(plan, {**_LETTERS, "T": (64, 128, 256, 512), "tau": (1, 2, 4, 8)}, vary)


def overlapped(theorem: Theorem) -> Scaling:
    """Time and local steps without noise; clients at the optimum, with noise."""

    def vary(plan: Plan, letter: str, value: float) -> Plan:
        if letter == "m":
            plan = replace(plan, problem=_shared(4, 1.0, spread=0.0), x0=np.zeros(2))
        return varied(plan, "T" if letter == "wall" else letter, value)

    plan = Plan("alike", _shared(4, 0.0, spread=0.0), 4, eta=1 / 32, rounds=200, x0=np.full(2, 2.0))
    return Scaling(plan, {"wall": (100, 200, 400), "tau": (2, 4, 8), "m": (2, 4, 8, 16)}, vary)


def rounds_to_target(theorem: Theorem) -> Scaling:
    """The target, local steps and clients, where noise is what takes time."""

    def vary(plan: Plan, letter: str, value: float) -> Plan:
        target = value if letter == "target" else float(plan.target or 0)
        m = int(value) if letter == "m" else plan.problem.m
        tau = int(value) if letter == "tau" else int(plan.local_steps)
        eta = target * m / (4 * plan.problem.noise**2)
        walk = 1 / (2 * target)
        return replace(
            plan,
            problem=LogCosh([2 * target] * m, np.zeros((m, 1)), noise=plan.problem.noise),
            local_steps=tau,
            target=target,
            eta=eta,
            rounds=20 + int(3 * walk / (eta * tau * 2 * target)),
            x0=np.full(1, walk + np.log(2)),
        )

    start = LogCosh([1.0] * 2, np.zeros((2, 1)), noise=3.0)
    plan = Plan("a long slope, noise", start, local_steps=2, target=0.3, rounds=1)
    return Scaling(
        plan, {"target": (0.5, 0.42, 0.35, 0.3, 0.25), "tau": (1, 2, 4, 8), "m": (1, 2, 3, 4)}, vary
    )


SCALINGS = {
    "fedavg_convex_partial_rate": sampled_rate,
    "fedavg_nonconvex_partial_rate": sampled_rate,
    "fedavg_strongly_convex_partial_rate": forgetful_rate,
    "local_sgd_nonconvex_rounds": rounds_to_target,
    "overlap_sgd_nonconvex_clock": overlapped,
}
