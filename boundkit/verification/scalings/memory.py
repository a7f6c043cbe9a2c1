"""SCAFFOLD's rates up to constants: each run at the step that balances gap and noise, below the source's cap.

The cap is C^(2/3)/(24 L tau eta_s). With constants open, only a term that rules alone shows its powers: those
of T, tau, m and the target are looked at under much noise, that of C without noise, at the cap.
"""

from __future__ import annotations

from dataclasses import replace
from math import sqrt

import numpy as np

from boundkit.algebra import Theorem
from boundkit.simulation.problems import Quadratic
from boundkit.verification.assumed import Plan
from boundkit.verification.checks.order_level import Scaling, varied

_FEW, _MANY = 6, (4, 6, 8)
_SHARES = (1 / 6, 1 / 3, 1 / 2)


def _plan(noise: float, start: float, rounds: int, target: float | None = None) -> Plan:
    e = np.random.default_rng(5).standard_normal((_FEW, 1))
    problem = Quadratic(np.linspace(0.25, 1.0, _FEW).tolist(), e, noise=noise)
    x0 = np.full(1, start)
    return Plan("unlike Hessians", problem, 4, 0.5, 2.0, rounds=rounds, x0=x0, target=target)


def _at(plan: Plan, wanted: float) -> Plan:
    """The plan at eta_s eta tau = wanted, or at the cap; there without noise."""
    cap = plan.present ** (2 / 3) / (24 * plan.problem.constants(plan.x0)["L"].value)
    return replace(plan, eta=min(cap, wanted) / (int(plan.local_steps) * plan.eta_s))


def _quiet(plan: Plan, letter: str) -> Plan:
    return replace(plan, problem=plan.problem.quiet()) if letter == "C" else plan


def _sharing(plan: Plan) -> float:
    """C m tau/(L sigma^2), by which the noise of a round is divided."""
    came = plan.present * plan.problem.m * int(plan.local_steps)
    return float(came / (plan.problem.constants(plan.x0)["L"].value * plan.problem.noise**2 + 1e-300))


def _tuned(plan: Plan, letter: str, value: float) -> Plan:
    """Varied, at the step s that balances gap/(s T) and s L sigma^2/(C m tau)."""
    plan = _quiet(varied(plan, letter, value), letter)
    gap = plan.problem.constants(plan.x0)["gap"].value
    return _at(plan, sqrt(gap / plan.rounds * _sharing(plan)))


def _until(plan: Plan, letter: str, value: float) -> Plan:
    """Varied, at a step whose noise leaves half of the squared target."""
    plan = replace(plan, target=value) if letter == "target" else _quiet(varied(plan, letter, value), letter)
    assert plan.target is not None
    return _at(plan, plan.target**2 * _sharing(plan))


def rates(theorem: Theorem) -> Scaling:
    """The average after T rounds."""
    letters = {"T": (800, 1600, 3200, 6400), "tau": (1, 2, 4, 8, 16), "C": _SHARES, "m": _MANY}
    return Scaling(_plan(10.0, 3.0, 1600), letters, _tuned)


def rounds(theorem: Theorem) -> Scaling:
    """The first round with a small gradient; under noise that keeps every noisy step below the cap."""
    letters = {"target": (0.4, 0.47, 0.55, 0.64, 0.75), "tau": (2, 3, 4, 6, 8), "C": _SHARES}
    return Scaling(_plan(18.0, 2.0, 400, target=0.5), letters, _until)


SCALINGS = {"scaffold_nonconvex_partial": rates, "scaffold_nonconvex_rounds": rounds}
