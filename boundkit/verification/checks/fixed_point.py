"""Fixed points: does the algorithm stay there, and is its error floor below the bound's?

The fixed point is solved from the probed map; then the algorithm itself takes a round from it, step by
step, and must not move. The claimed quantity there is the floor that many noiseless rounds leave; the
bound's floor is its limit in T.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from boundkit.algebra import BoundkitError, Theorem
from boundkit.analysis.predict import predict
from boundkit.simulation.constant import Constant
from boundkit.simulation.fixed_point import fixed_point, period_from
from boundkit.simulation.participation import Cyclic, Full
from boundkit.simulation.problems import Quadratic
from boundkit.simulation.problems.base import OBSERVABLES
from boundkit.simulation.run import Run
from boundkit.simulation.trajectory import Trajectory
from boundkit.verification.applicability import reasons_not_applicable
from boundkit.verification.checks.check import Check
from boundkit.verification.checks.rounding_error import value_near_optimum
from boundkit.verification.checks.stationary_constants import constants_at_fixed_point, observe_points
from boundkit.verification.checks.upper_bound import ROUNDING
from boundkit.verification.claims import add_observables, measure_claim
from boundkit.verification.constants import arguments_at_horizon, compute_constants, theorem_arguments
from boundkit.verification.context import objective_of_constants
from boundkit.verification.families import context_of

FOREVER = 1e18
"""Rounds that stand for the limit of many; the initial gap is gone long before."""
_ROUNDING = 1e-14
"""Of a run's lengths; a map that contracts by 1 - c is solved for to this over c."""
_STAYS = 1e-10


def noiseless(run: Run) -> Run:
    """One period of the run without noise, everybody there whose turn it is: what is left is drift."""
    problem = run.problem
    if not isinstance(problem, Quadratic):
        raise BoundkitError("a fixed point is solved for on quadratics only.")
    quiet = Quadratic(problem.H, problem.e, problem.p, noise=0.0)
    who = run.participation
    whole = Full(problem.m) if not isinstance(who, Cyclic) else Cyclic(who.m, [list(g) for g in who.groups])
    alone = replace(run, problem=quiet, participation=whole, rounds=1)
    return replace(alone, rounds=alone.period)


def fixed_point_check(theorem: Theorem, run: Run) -> Check:
    """The check on the noiseless run with full participation."""
    name = "fixed point"
    if not isinstance(run.problem, Quadratic):
        return Check(name, "not tested", "the round map is affine on quadratics only")
    if theorem.rules:
        return Check(name, "not tested", "the steps follow T by a rule, so that no number of rounds stays")
    quiet = add_observables(theorem, replace(noiseless(run), watch={}))
    reasons = reasons_not_applicable(theorem, quiet)
    if reasons:
        return Check(name, "not tested", f"with everybody present it is not the theorem's: {reasons[0]}")
    problem, prefix = objective_of_constants(theorem, quiet)
    observable = theorem.claim.observable.removeprefix(prefix)
    if observable not in OBSERVABLES:
        return Check(name, "not tested", f"{observable.replace('_', ' ')} is not seen at a fixed point")
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
    around = np.vstack([limit.points, point])
    observed = {k: float(v.max()) for k, v in problem.observe(around).items()}
    claimed = problem if theorem.claim.observable.startswith(prefix) else quiet.problem
    series = {theorem.claim.observable: np.asarray(claimed.observe(around)[observable])[None]}
    stationary = Trajectory(quiet.algorithm.name, "exact", around, series, random=False)
    floor = measure_claim(context_of(theorem, quiet, stationary)).value
    constants.setdefault(
        "sigma_g", Constant(max(observed["dissimilarity"], 0.0) ** 0.5, "local", "at the fixed point")
    )
    # from the fixed point on, x_t stays: the claimed quantity is the floor, with no gap left to pay
    try:
        constants = constants_at_fixed_point(theorem, quiet, around, observe_points(quiet, around), constants)
        arguments = theorem_arguments(theorem, quiet, constants)
    except BoundkitError as error:
        return Check(name, "not tested", str(error))
    bound = float(predict(theorem, **arguments_at_horizon(arguments, quiet.rounds, FOREVER)).total)
    stays = residual <= _STAYS
    solved = _ROUNDING / max(1 - limit.spectral_radius, 1e-12)
    below = floor <= bound * (1 + ROUNDING) + value_near_optimum(
        context_of(theorem, quiet, stationary), solved
    )
    how = "stays" if stays else "MOVES"
    moved_by = f"the algorithm {how} at its fixed point (moved {residual:.1e})"
    floors = f"floor {floor:.4g}, the bound's {bound:.4g}"
    sentence = f"{moved_by}; {floors}"
    if stays and not below:
        times = f"{floor / bound:.4g} times the bound's" if bound > 0 else "above the bound's"
        sentence = f"the floor is {times}: {floors}"
    return Check(
        name,
        "holds" if stays and below else "violated",
        sentence,
        {"residual": residual, "floor": floor, "bound_floor": bound},
    )
