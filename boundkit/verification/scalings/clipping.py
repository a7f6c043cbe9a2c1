"""How the orders of clipped local steps are looked at: rounds to a target, at the steps that the proofs take.

The proofs take the least of C/(K tau), target/(K tau sigma) and C m target^2/(L0 sigma^2), with
K = L0 + L1 (zeta + rho_zeta sigma), times numbers that are not known here: each makes one part of the bound.
Taken together here, eta is three times the inverse of the sum of their inverses (of the last alone for CELGC,
whose condition hides the others), which has one shape with the bound. The clip is 11 sigma + L0/(L1 rho_zeta)
times eta for EPISODE, and 5 sigma times eta for CELGC; the noise is bounded. Letters of the clients and of
their work are varied on hyperbolic cosines, from where steps are clipped; the target on a ramp of twice its
slope, where every step counts.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import ceil, inf

import numpy as np

from boundkit.algebra import Theorem
from boundkit.simulation.problems import Problem
from boundkit.simulation.problems.clipping_problem import ClippingProblem
from boundkit.simulation.problems.exponential import Exponential
from boundkit.verification.assumed import Plan
from boundkit.verification.checks.order_level import Scaling

_RAMP_GAP, _FAR = 2.0, 4.0
_LARGE = 3.0
"""The number that is not known: so that a sweep takes a few hundred rounds."""
_LONG = 5.0
"""Rounds of a run on cosines, in units of 1/(eta tau): the gradient falls by exp(-1) in each."""
_TARGETS = (0.25, 0.2, 0.16, 0.125)
_NEVER = 1e3
"""11 sigma + L0/(L1 rho_zeta) where rho_zeta is 0: clipping is not needed."""


def _cosines(m: int, apart: float, sigma: float) -> Problem:
    """Half of the clients have their minimum at -apart, half at apart; of one client, at 0."""
    e = apart * np.where(np.arange(m) % 2, 1.0, -1.0)[:, None]
    return Exponential(e - e.mean(axis=0), noise=sigma).with_bounded_noise()


def _ramp(m: int, target: float, sigma: float) -> Problem:
    return ClippingProblem(
        "ramp", m, 1.0, 1.0, target=target, gap=_RAMP_GAP, noise=sigma
    ).with_bounded_noise()


def _tuned(plan: Plan, alike: bool) -> Plan:
    """The plan at the steps of the proof, and rounds enough to arrive."""
    problem, target = plan.problem, plan.target
    ramp = isinstance(problem, ClippingProblem)
    start = problem.start if isinstance(problem, ClippingProblem) else np.array([_FAR])
    assert target is not None
    found = {name: c.value for name, c in problem.constants(start).items()}
    sigma, tau, C = problem.noise, float(plan.local_steps), plan.present
    bend = found["L0"] + found["L1"] * (found["zeta"] + found["rho_zeta"] * sigma)
    drift = 0.0 if alike else bend * tau * (1 / C + sigma / target)
    eta = _LARGE / (drift + found["L0"] * sigma**2 / (C * problem.m * target**2))
    clip = 5 * sigma
    if not alike:
        rho = found["L1"] * found["rho_zeta"]
        clip = min(11 * sigma + (found["L0"] / rho if rho else inf), _NEVER)
    way = 1.5 * _RAMP_GAP / (2 * target) ** 2 if ramp else _LONG + _FAR / clip
    return replace(
        plan,
        eta=eta,
        rounds=ceil(way / (eta * tau)) + 5,
        options={"gamma": clip * eta},
        x0=start,
    )


def scaling(
    apart: float, sigma: float, target: float, m: int, present: float, values: Mapping[str, Sequence[float]]
) -> Scaling:
    """Sweeps of the target and of these letters. ``apart``: how far the clients' minima are from 0."""

    def vary(plan: Plan, letter: str, value: float) -> Plan:
        if letter == "target":
            asked = replace(plan, problem=_ramp(plan.problem.m, value, 1.0), target=value)
        elif letter == "m":
            asked = replace(plan, problem=_cosines(int(value), apart, sigma))
        elif letter == "tau":
            asked = replace(plan, local_steps=int(value))
        else:
            asked = replace(plan, present=value)
        return _tuned(asked, alike=apart == 0)

    plan = Plan("tuned", _cosines(m, apart, sigma), local_steps=2, present=present, target=target)
    return Scaling(plan, {"target": _TARGETS, **values}, vary)


def _celgc(theorem: Theorem) -> Scaling:
    return scaling(0.0, 2.0, 0.125, 2, 1.0, {"m": (1, 2, 4, 8), "tau": (1, 2, 4, 8)})


def _episode(theorem: Theorem) -> Scaling:
    return scaling(0.5, 1.0, 1 / 16, 2, 1.0, {"m": (2, 4, 8, 16), "tau": (1, 2, 4, 8)})


def _episodepp(theorem: Theorem) -> Scaling:
    letters = {"m": (4, 8, 16), "tau": (1, 2, 4, 8), "C": (0.25, 0.5, 0.75, 1.0)}
    return scaling(0.5, 1.0, 0.1, 4, 0.5, letters)


SCALINGS = {
    "celgc_relaxed_smooth": _celgc,
    "episode_relaxed_smooth": _episode,
    "episodepp_relaxed_smooth": _episodepp,
}
