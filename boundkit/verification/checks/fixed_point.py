"""Fixed points: does the algorithm stay there, and is its error floor below the bound's?

The fixed point is that of the affine round map; then the algorithm itself takes a round from it, step by
step, and must not move. The claimed quantity there is the error floor of many noiseless rounds; the bound's
is its limit in T.

The rounding error of a claimed quantity that should be 0 is the sum of two values: 1e-9 of the quantity at
the start of the run, and its value at the optimum moved by 1e-9 of the largest of three lengths: x_0, x*, and
the distance from x* to the clients' own minimisers, which is about the root of the dissimilarity over L.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from boundkit.algebra import BoundkitError, Theorem
from boundkit.analysis.predict import predict
from boundkit.simulation.arrays import Array
from boundkit.simulation.constant import Constant
from boundkit.simulation.fixed_point import fixed_point, period_from
from boundkit.simulation.participation import Cyclic, Full, Participation
from boundkit.simulation.problems import Quadratic
from boundkit.simulation.problems.base import OBSERVABLES
from boundkit.simulation.run import Run
from boundkit.simulation.trajectory import Trajectory
from boundkit.verification.applicability import reasons_not_applicable
from boundkit.verification.checks import Check
from boundkit.verification.checks.bound_comparison import ROUNDING
from boundkit.verification.claims import add_observables, measure_claim
from boundkit.verification.constants import arguments_at_horizon, compute_constants, theorem_arguments
from boundkit.verification.context import EvaluationContext, objective_of_constants
from boundkit.verification.families import context_of


def observe_points(run: Run, points: Array) -> dict[str, Array]:
    """All observables of the run, at points (T, d): (T,) each."""
    observed: dict[str, Any] = dict(run.problem.observe(points))
    for prefix, other in run.objectives.items():
        observed |= {f"{prefix}_{name}": value for name, value in other.observe(points).items()}
    return {name: np.asarray(value, dtype=np.float64) for name, value in observed.items()}


def constants_at_fixed_point(
    theorem: Theorem,
    run: Run,
    points: Array,
    observed: Mapping[str, Array],
    available: Mapping[str, Constant],
) -> dict[str, Constant]:
    """The available constants, and those that the theorem needs besides, measured at the fixed point.

    ``points``: x before each round of a period, and after the last, (T + 1, d). ``observed``: the observables
    there, (T + 1,). Constants that cannot be measured there are left out.
    """
    stationary = Trajectory(
        run.algorithm.name, "exact", points, {name: v[None] for name, v in observed.items()}, random=False
    )
    context, constants = context_of(theorem, run, stationary), dict(available)
    for name in context.names_to_measure(available):
        if name != "sigma_g":
            try:
                constants[name] = context.families.constants[name](context)
            except BoundkitError:
                continue
    return constants


SMALL = 1e-9
_ROOTS = {"gradient_norm": "gradient_norm_squared", "distance": "distance_squared"}


def rounding_error(context: EvaluationContext) -> float:
    """The largest value of the claimed quantity that counts as 0 on this run."""
    try:
        start = float(np.abs(context.series()[:, 0]).mean())
    except BoundkitError:  # nothing of it is recorded by round
        start = 0.0
    return SMALL * start + value_near_optimum(context, SMALL)


def value_near_optimum(context: EvaluationContext, part: float) -> float:
    """The claimed quantity at x* moved by this part of the run's lengths; 0 where it is not observed."""
    run = context.run
    near = run.problem.centre + part * _length(run)
    observed = observe_points(run, near[None])
    name = context.theorem.claim.observable
    root = next((r for r in _ROOTS if name == r or name.endswith(f"_{r}")), None)
    target = name if root is None else name.removesuffix(root) + _ROOTS[root]
    key = max((k for k in observed if target == k or target.endswith(f"_{k}")), key=len, default=None)
    if key is None:
        return 0.0
    value = abs(float(observed[key][0]))
    return value if root is None else float(value**0.5)


def _length(run: Run) -> float:
    problem = run.problem
    dissimilarity = float(np.asarray(problem.observe(run.x0[None])["dissimilarity"])[0])
    distance = dissimilarity**0.5 / problem.constants(run.x0)["L"].value
    return float(max(distance, np.abs(run.x0).max(), np.abs(problem.centre).max()))


LIMIT_ROUNDS = 1e18
"""Rounds in place of the limit of many; the initial gap has vanished long before."""
_ROUNDING = 1e-14
"""Relative to a run's lengths; the fixed point of a map that contracts by 1 - c is known to this over c."""
_STAYS = 1e-10


def noiseless(run: Run) -> Run:
    """One period of the run without noise, with all clients of each round's group: drift alone."""
    problem = run.problem
    if not isinstance(problem, Quadratic):
        raise BoundkitError("a fixed point is computed for quadratics only.")
    deterministic = Quadratic(problem.H, problem.e, problem.p, noise=0.0)
    participation: Participation = Full(problem.m)
    if isinstance(run.participation, Cyclic):
        participation = Cyclic(run.participation.m, [list(g) for g in run.participation.groups])
    algorithm = run.algorithm.noiseless
    one_round = replace(
        run, algorithm=algorithm, problem=deterministic, participation=participation, rounds=1
    )
    return replace(one_round, rounds=one_round.period)


def fixed_point_check(theorem: Theorem, run: Run) -> Check:
    """The check on the noiseless run with full participation."""
    name = "fixed point"
    if not isinstance(run.problem, Quadratic):
        return Check(name, "not tested", "the round map is affine on quadratics only")
    if theorem.rules:
        return Check(name, "not tested", "the step sizes depend on T by a rule, so that T has no limit")
    quiet = add_observables(theorem, replace(noiseless(run), objectives={}))
    reasons = reasons_not_applicable(theorem, quiet)
    if reasons:
        return Check(name, "not tested", f"the theorem excludes full participation: {reasons[0]}")
    problem, prefix = objective_of_constants(theorem, quiet)
    observable = theorem.claim.observable.removeprefix(prefix)
    if observable not in OBSERVABLES:
        return Check(name, "not tested", f"{observable.replace('_', ' ')} is not observed at a fixed point")
    try:
        limit = fixed_point(quiet)
        constants = compute_constants(quiet, theorem)
    except BoundkitError as error:
        return Check(name, "not tested", str(error))
    if not limit.stable:
        return Check(name, "not tested", "the round map does not contract at this step size")
    point = limit.points[0]
    moved = period_from(quiet, limit) - point
    residual = float(np.abs(moved).max() / max(1.0, np.abs(point).max()))
    cycle = np.vstack([limit.points, point])
    observed = {k: float(v.max()) for k, v in problem.observe(cycle).items()}
    claimed = problem if theorem.claim.observable.startswith(prefix) else quiet.problem
    series = {theorem.claim.observable: np.asarray(claimed.observe(cycle)[observable])[None]}
    stationary = Trajectory(quiet.algorithm.name, "exact", cycle, series, random=False)
    error_floor = measure_claim(context_of(theorem, quiet, stationary)).value
    constants.setdefault(
        "sigma_g", Constant(max(observed["dissimilarity"], 0.0) ** 0.5, "local", "at the fixed point")
    )
    try:
        constants = constants_at_fixed_point(theorem, quiet, cycle, observe_points(quiet, cycle), constants)
        arguments = theorem_arguments(theorem, quiet, constants)
    except BoundkitError as error:
        return Check(name, "not tested", str(error))
    bound = float(predict(theorem, **arguments_at_horizon(arguments, quiet.rounds, LIMIT_ROUNDS)).total)
    stays = residual <= _STAYS
    accuracy = _ROUNDING / max(1 - limit.spectral_radius, 1e-12)
    rounding = value_near_optimum(context_of(theorem, quiet, stationary), accuracy)
    below = error_floor <= bound * (1 + ROUNDING) + rounding
    verb = "stays" if stays else "MOVES"
    floors = f"error floor {error_floor:.4g}, the bound's {bound:.4g}"
    sentence = f"the algorithm {verb} at its fixed point (moved {residual:.1e}); {floors}"
    if stays and not below:
        times = f"{error_floor / bound:.4g} times the bound's" if bound > 0 else "above the bound's"
        sentence = f"the error floor is {times}: {floors}"
    return Check(
        name,
        "holds" if stays and below else "violated",
        sentence,
        {"residual": residual, "floor": error_floor, "bound_floor": bound},
    )
