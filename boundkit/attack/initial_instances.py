"""Initial plans of every search: default instances, instances near equality, and isolated error sources."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import product, zip_longest

import numpy as np

from boundkit.algebra import BoundkitError, Theorem
from boundkit.algebra.notation import walk1_i
from boundkit.attack.candidate import TYPICAL_COST, make_candidate_run, shorten_plan
from boundkit.attack.random_instances import allows_local_steps
from boundkit.simulation.algorithms import algorithm
from boundkit.simulation.fixed_point import fixed_point
from boundkit.simulation.problems import Quadratic
from boundkit.simulation.problems.huber import Huber
from boundkit.verification.default_instances import default_instances
from boundkit.verification.families import FAMILIES
from boundkit.verification.instance import Instance

_SHORT, _ROUNDS, _TAU = 100, 10_000, 1000
_CLIENTS, _OLD = 12, 4000
_BASES, _SMALLEST, _APART, _SHORT_STEP = 3, (1.0, 0.075), 0.02, 0.02
"""One short step: settings of a theorem, smallest curvatures, minimisers, and part of the largest step."""


def initial_plans(theorem: Theorem) -> Iterator[tuple[str, Instance]]:
    """Yield plans with the names of their families, which alternate, so that a short search covers each."""
    for some, other, single in zip_longest(
        default_instances(theorem), nearly_tight_plans(theorem), single_cause_plans(theorem)
    ):
        if some is not None:
            yield "default", shorten_plan(theorem, some, 3 * TYPICAL_COST)
        if other is not None:
            yield "tight", shorten_plan(theorem, other)
        if single is not None:
            yield "one cause", shorten_plan(theorem, single)


def assumption_plans(theorem: Theorem) -> list[Instance]:
    """Return the plans that the theorem's assumptions define in place of the usual ones, if any."""
    return [] if FAMILIES.instances(theorem) is None else list(default_instances(theorem))


def nearly_tight_plans(theorem: Theorem) -> Iterator[Instance]:
    """Yield plans that nearly attain bounds, each with a single error source."""
    names = {q.name for q in theorem.quantities}
    most = 1000 if theorem.solvers else 10_000  # whose coefficients are counted step by step
    if theorem.assumes("decaying-step") or not algorithm(theorem.algorithm).stateless:
        most = 200
    taus, present = (1, 16, most) if allows_local_steps(theorem) else (1,), 0.5 if "C" in names else 1.0
    one, many = np.ones(1), 300
    bowl = Quadratic([1.0, 1.0], np.zeros((2, 1)))
    noisy = Quadratic([1.0, 1.0], np.zeros((2, 1)), noise=1.0)
    line = Quadratic([1.0, 0.2], [[1.0], [-1.0]])
    opposite = Quadratic([1.0, 1.0], [[1.0], [-1.0]])
    yield Instance("homogeneous clients, the largest step", bowl, rounds=1, x0=one)
    yield Instance("homogeneous clients, many rounds", bowl, rounds=many, x0=one, step=0.5)
    for tau in taus:
        yield Instance(f"noise alone, tau = {tau}", noisy, tau, rounds=many, x0=0 * one)
        yield Instance(f"heterogeneous clients, tau = {tau}", line, tau, rounds=many, x0=line.centre)
        if tau > 1:
            name = f"heterogeneous clients, tau = {tau}, small steps"
            unlike = shorten_plan(theorem, Instance(name, line, tau, rounds=many))
            yield replace(unlike, x0=line.centre, step=min(1.0, 8 / float(np.max(unlike.local_steps))))
        yield Instance(f"one client a round, tau = {tau}", opposite, tau, present, rounds=many, x0=0 * one)
    yield from first_step_plans(theorem)
    yield from straight_line_plans(theorem)
    if theorem.solvers:
        yield Instance("unequal work", opposite, [1, 2], rounds=many, x0=0 * one)
        yield Instance("unequal work, heterogeneous clients", line, [1, 1000], rounds=many, x0=line.centre)
        yield from last_gradient_plans(theorem)


def first_step_plans(theorem: Theorem) -> Iterator[Instance]:
    """Yield plans of one short step along the largest curvature, from far away, with the theorem's settings.

    So little is gained that the bound of the initial point alone is attained.
    """
    bases = assumption_plans(theorem) or [Instance("", Quadratic([1.0, 1.0], np.zeros((2, 1))))]
    for base, smallest in product(bases[:_BASES], _SMALLEST):
        ends = np.where(np.arange(base.problem.m) % 2, -_APART, _APART)
        line = Quadratic([[smallest, 1.0]] * base.problem.m, np.column_stack([0 * ends, ends]))
        plan = replace(base, name="one short step", problem=line, x0=np.array([0.0, 1.0]), rounds=1)
        yield plan if isinstance(plan.eta, dict) else replace(plan, eta=None, step=_SHORT_STEP)


def straight_line_plans(theorem: Theorem) -> Iterator[Instance]:
    """Yield a plan on a Huber loss that reaches the end of its straight part in the last round.

    No convex loss falls more slowly. There is none where rounds follow from step sizes, or where the class
    has no straight parts.
    """
    if theorem.rules or any(theorem.assumes(each) for each in ("strongly-convex", "polyak-lojasiewicz")):
        return
    line = Huber(np.ones((2, 1)), np.inf * np.ones((2, 1)), np.ones((2, 1)), np.zeros((2, 1)))
    try:
        plan = Instance("along a straight line", line, rounds=_ROUNDS, x0=np.ones(1))
        plan = shorten_plan(theorem, plan, 3 * TYPICAL_COST)
        run = make_candidate_run(theorem, plan)
    except (BoundkitError, ArithmeticError):
        return
    length = float(np.max(run.eta)) * plan.eta_s * run.rounds
    yield replace(plan, x0=np.array([1 + length]))


def last_gradient_plans(theorem: Theorem) -> Iterator[Instance]:
    """Yield plans with proximal steps of size 1: a client's update is its last gradient, at x - eta g.

    No other local solver is as far from the server's model where it evaluates the gradients that count. The
    server step is 1/(2 L). Curvatures of both signs begin at the fixed point, where one step of a client
    would nearly cancel the mean curvature. There are none where rounds follow from step sizes, or where a
    theorem does not measure the drift of proximal solvers.
    """
    proximal = theorem.solvers.get("proximal", {})
    if theorem.rules or theorem.algorithm != "fednova" or walk1_i not in proximal:
        return
    bowl, noisy = (Quadratic([1.0], [[0.0]], noise=noise) for noise in (0.0, 1.0))
    both = Quadratic([1.0, -1.0], [[1.0], [-1.0]], [0.65, 0.35])
    at = Instance("last gradients", bowl, 2, rounds=_SHORT, x0=np.ones(1))
    for cause, problem, step, rounds in (
        ("", bowl, 1 / 4, _SHORT),
        (", noise alone", noisy, 1 / 32, _ROUNDS),
        (", heterogeneous clients", both, 1 / 4, _ROUNDS),
    ):
        options = {"mu": 1 / step, "tau_eff": 1 / (2 * step)}
        plan = replace(at, name=f"last gradients{cause}", problem=problem, rounds=rounds)
        plan = replace(plan, eta=step, options=options, x0=0 * at.x0 if problem is noisy else at.x0)
        settled = _at_fixed_point(theorem, plan) if problem is both else plan
        if settled is not None:
            yield settled


def single_cause_plans(theorem: Theorem) -> Iterator[Instance]:
    """Yield noise, partial participation and client drift alone, for many rounds at the largest step size.

    Client drift starts at its fixed point. Stored updates are oldest where one client participates, and their
    start-up costs most at large steps of the server, with most clients. There are none where rounds follow
    from step sizes, where step sizes decrease, or where the bound has one term.
    """
    if theorem.rules or theorem.assumes("decaying-step") or len(theorem.bound.terms) == 1:
        return
    noisy = Quadratic([1.0, 1.0], np.zeros((2, 1)), noise=1.0)
    opposite = Quadratic([1.0, 1.0], [[1.0], [-1.0]])
    plan = Instance("noise alone, settled", noisy, rounds=_ROUNDS, x0=np.zeros(1))
    yield plan
    if "C" in {q.name for q in theorem.quantities}:
        yield replace(plan, name="absence alone, settled", problem=opposite, present=0.5)
        if not algorithm(theorem.algorithm).stateless:
            quiet = Quadratic([1.0] * _CLIENTS, np.zeros((_CLIENTS, 1)), noise=1.0)
            alike = Quadratic([1.0] * _CLIENTS, np.tile([[1.0], [-1.0]], (_CLIENTS // 2, 1)))
            old = replace(plan, name="noise of stored updates, settled", problem=quiet, rounds=_OLD)
            yield replace(old, present=1 / _CLIENTS)
            start = replace(plan, name="start-up of stored updates", problem=alike, rounds=_SHORT)
            yield replace(start, present=1 - 2 / _CLIENTS, eta_s=3.0)
    if allows_local_steps(theorem) and algorithm(theorem.algorithm).stateless:
        line = Quadratic([1.0, 0.2], [[1.0], [-1.0]])
        drift = replace(plan, name="drift alone, settled", problem=line, local_steps=_TAU, x0=line.centre)
        converged = _at_fixed_point(theorem, shorten_plan(theorem, drift))
        if converged is not None:
            yield converged


def _at_fixed_point(theorem: Theorem, plan: Instance) -> Instance | None:
    """Start the plan at its fixed point; None where there is none, or where the theorem does not apply."""
    try:
        return replace(plan, x0=fixed_point(make_candidate_run(theorem, plan)).points[0])
    except (BoundkitError, ArithmeticError, np.linalg.LinAlgError):
        return None
