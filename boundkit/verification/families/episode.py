"""EPISODE under (L0, L1)-smoothness with every constant: instances and sweeps of its upper bounds."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial

import numpy as np
from sympy import Expr

from boundkit.algebra import BoundkitError, Term, Theorem
from boundkit.algebra.domain import sides
from boundkit.algebra.notation import clip
from boundkit.analysis.evaluate import evaluate
from boundkit.simulation.arrays import Array
from boundkit.simulation.problems import Problem
from boundkit.simulation.problems.clipping_problem import ClippingProblem
from boundkit.simulation.problems.exponential import Exponential
from boundkit.simulation.problems.polynomial import Polynomial
from boundkit.simulation.problems.quadratic import Quadratic
from boundkit.simulation.run import Run, make_run
from boundkit.verification.dissimilarity import same_at_every_point, worst_client_distance
from boundkit.verification.family import Family, TermSweep
from boundkit.verification.instance import Instance
from boundkit.verification.relaxed_smoothness import NEARLY_NONE

_ROUNDING = 1e-9
"""How far inside the conditions, relatively."""
_GAP = 1.0
_ROUNDS, _LOCAL_STEPS = (50, 100, 200, 400), (1, 2, 4, 8)
_SLOW, _NOISY_ETAS, _CLIENTS = 0.01, (0.02, 0.04, 0.08, 0.16), (1, 2, 4, 8)
_TARGETS = (0.2, 0.15, 0.1, 0.075)


def _instances() -> Iterator[Instance]:
    """Instances without steps; their targets are reached."""
    cosh = Exponential([[0.0], [0.0]])
    noisy = Exponential([[0.0]] * 4, noise=1.0)
    heterogeneous = Exponential.random(4, 2, seed=5, noise=0.1)
    ramp = ClippingProblem("ramp", 3, 1.0, 0.05, target=0.5, gap=6.0)
    double = Polynomial([[0.25, 0.0, -0.5, 0.3, 0.0], [0.25, 0.0, -0.5, -0.3, 0.0]], noise=0.05)
    published = Polynomial([[1, -3, 1, 1, 0], [1, -3, -2, 1, 0]])
    equal = Quadratic.random(4, 2, seed=1, shared=True, noise=1.0)
    for name, problem, x0, tau, rounds, target in (
        ("hyperbolic cosine, far away", cosh, [5.0], 8, 600, 0.1),
        ("hyperbolic cosine, one local step", cosh, [1.0], 1, 200, 0.1),
        ("different cosines, noise", heterogeneous, [3.0, -2.0], 4, 2000, 0.2),
        ("noise, near the optimum", noisy, [0.5], 16, 300, 0.4),
        ("two valleys, noise", double, [1.6], 2, 1500, 0.2),
        ("the quartics published with EPISODE", published, [-1.0], 4, 500, 1.0),
        ("a ramp", ramp, ramp.start, 4, 1500, 0.5),
        ("equal Hessians, at the error floor", equal, equal.optimum, 4, 2000, None),
        ("one round", heterogeneous, [3.0, -2.0], 4, 1, None),
    ):
        start = np.asarray(x0, dtype=np.float64)
        yield Instance(name, problem, local_steps=tau, rounds=rounds, x0=start, target=target)


def _constants(problem: Problem, start: Array) -> dict[str, float]:
    """The constants of the steps; BoundkitError where the problem lacks one."""
    known = {name: c.value for name, c in problem.constants(start).items()}
    if "L0" not in known:  # of smooth losses: any L1, and the threshold makes it as small as needed
        known |= {"L0": known["L"], "L1": 0.0}
    if "zeta" not in known:
        if not same_at_every_point(problem, start):
            raise BoundkitError(f"this {problem.kind} problem has no dissimilarity in norm.")
        known |= {"zeta": worst_client_distance(problem, start), "rho_zeta": 0.0}
    return known | {"sigma": problem.noise, "m": problem.m}


def _with_steps(theorem: Theorem, instance: Instance, threshold: float = 1.0) -> Instance:
    """The instance at a fraction of the longest steps that a theorem allows, for its target if it has one.

    The run may reach another target first: one of those that its steps allow is chosen afterwards.

    ``threshold``: clip/eta, where noise, dissimilarity and target need no larger one.
    Raises BoundkitError where a constant is missing, or no step is allowed.
    """
    known = _constants(instance.problem, instance.problem.initial_point(instance.x0))
    known |= {"tau": float(np.max(instance.local_steps)), "target": instance.target or np.inf}
    conditions = [sides(each) for each in theorem.step_size]
    lower = known | {"eta": 1.0, "target": instance.target or 0.0}
    least = [float(evaluate(small, lower)) for small, large in conditions if large == clip]
    threshold = max(threshold, *least, 0.0 if known["L1"] else known["zeta"]) * (1 + _ROUNDING)
    step = instance.step * (1 - 2 * _ROUNDING) * min(
        _longest(small / large, known, threshold) for small, large in conditions if large != clip
    )  # fmt: skip
    if step <= 0:
        raise BoundkitError("no step is allowed.")
    return replace(instance, eta=step, options={"gamma": step * threshold}, target=None)


def _longest(ratio: Expr, known: dict[str, float], threshold: float) -> float:
    """The step at which a ratio is 1 that is affine in the step, where the clip is a multiple of it."""
    first, second = (
        float(evaluate(ratio, known | {"eta": step, "clip": threshold * step, "L1": L1}))
        for step in (1.0, 2.0)
        for L1 in (known["L1"] or NEARLY_NONE / (threshold * step),)
    )
    return (1 - 2 * first + second) / (second - first) if second > first else np.inf


def at_largest_steps(theorem: Theorem, instance: Instance) -> Instance | None:
    """The same at EPISODE's steps where its bound has constants and none are given; None where none exist."""
    if not _is_explicit(theorem) or instance.eta is not None:
        return instance
    try:
        return _with_steps(theorem, instance)
    except BoundkitError:
        return None


def _is_explicit(theorem: Theorem) -> bool:
    return theorem.algorithm == "episode" and theorem.kind == "upper"


def default_instances(theorem: Theorem) -> list[Instance] | None:
    """Cosines, quartics and ramps from near and far; a quadratic; thresholds low and high."""
    if not _is_explicit(theorem):
        return None
    instances = list(_instances())
    if theorem.claim.summary == "first":
        return [each for each in instances if each.target is not None]
    far, *others = (replace(each, target=None) for each in instances)
    return [far, *others, _with_steps(theorem, replace(far, name=f"{far.name}, a high threshold"), 30.0)]


def _bowl(
    rounds: int = 400, tau: int = 1, step: float = 0.25, m: int = 2, noise: float = 0.0, x0: float = 1.0
) -> Run:
    """A quadratic that is never clipped."""
    problem = Quadratic([1.0] * m, np.zeros((m, 1)), noise=noise).with_bounded_noise()
    options = {"gamma": 100.0 * step}
    return make_run("episode", problem, rounds=rounds, eta=step, local_steps=tau, x0=[x0], options=options)


def _ramp(tau: int = 1, target: float = 0.1, step: float = _SLOW) -> Run:
    """A ramp of twice the target, never clipped, for as many rounds as it needs."""
    problem = ClippingProblem("ramp", 2, 1.0, 1.0, target=target, gap=_GAP)
    rounds = int(_GAP / (2 * target) ** 2 / (step * tau)) + 20
    options = {"gamma": 10.0 * step}
    run = make_run(
        "episode", problem, rounds=rounds, eta=step, local_steps=tau, x0=problem.start, options=options
    )
    return replace(run, target=target)


def term_sweeps(theorem: Theorem, term: Term) -> list[TermSweep] | None:
    """Runs that are never clipped: a descent without noise, and noise about an optimum.

    The rounds to a target are measured on a ramp F' = 2 target, on which all steps are equal.
    """
    if not _is_explicit(theorem):
        return None
    if theorem.claim.summary == "first":
        return [
            TermSweep("eta", _NOISY_ETAS, lambda value: _ramp(step=value)),
            TermSweep("tau", _LOCAL_STEPS, lambda value: _ramp(tau=int(value))),
            TermSweep("target", _TARGETS, lambda value: _ramp(target=value)),
        ]
    if term.cause == "initial gap":
        return [
            TermSweep("T", _ROUNDS, lambda value: _bowl(rounds=int(value))),
            TermSweep("tau", _LOCAL_STEPS, lambda value: _bowl(4000, tau=int(value), step=_SLOW)),
        ]
    if term.cause == "stochastic noise":
        noisy = partial(_bowl, 3000, noise=1.0, x0=0.0)
        return [
            TermSweep("eta", _NOISY_ETAS, lambda value: noisy(step=value)),
            TermSweep("m", _CLIENTS, lambda value: noisy(m=int(value), step=_NOISY_ETAS[2])),
        ]
    return None


FAMILY = Family(instances=default_instances, term_sweeps=term_sweeps)
