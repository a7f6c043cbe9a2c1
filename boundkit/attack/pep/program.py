"""The semidefinite program of a worst case: function class, initial point, rounds, assumptions, claim.

Dissimilarity is bounded where the theorem states it, and nowhere else: at the server's models, or at all
points where a client evaluates a gradient. A worst case may hence have more dissimilar losses elsewhere.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from contextlib import redirect_stdout
from dataclasses import dataclass
from io import StringIO
from time import perf_counter
from typing import Any

import numpy as np

from boundkit.algebra import BoundkitError, Theorem
from boundkit.algebra.vocabulary import (
    BETA_KAPPA_DISSIMILARITY,
    BOUNDED_DISSIMILARITY,
    CLIENTWISE_DISSIMILARITY,
    CONVEX,
    OPTIMUM_DISSIMILARITY,
    STRONGLY_CONVEX,
    UNIFORM_DISSIMILARITY,
)
from boundkit.attack.pep.claims import MEASURES, PepContext
from boundkit.attack.pep.parameters import ProgramParameters
from boundkit.attack.pep.result import TOLERANCE
from boundkit.attack.pep.rounds import (
    Losses,
    Number,
    Point,
    fixed_point_round,
    mixed,
    new_number,
    new_program,
    server_displacement,
    simulate_rounds,
)

Condition = Any
"""An inequality of PEPit."""


def _deviations(context: PepContext, x: Point) -> list[Number]:
    """Return the squared distance of every client's gradient at x from that of the objective."""
    gradients = context.losses.gradients(x)
    whole = mixed(context.setting.objective, gradients)
    return [(one - whole) ** 2 for one in gradients]


def _bounded(context: PepContext) -> Iterator[Condition]:
    for x in context.run.starts():
        yield (
            mixed(context.setting.objective, _deviations(context, x))
            <= context.setting.values["sigma_g"] ** 2
        )


def _clientwise(context: PepContext) -> Iterator[Condition]:
    for x in context.run.starts():
        yield from (one <= context.setting.values["sigma_g"] ** 2 for one in _deviations(context, x))


def _uniform(context: PepContext) -> Iterator[Condition]:
    yield from _clientwise(context)
    for level in context.run.rounds:
        for x in (x for one in level for path in one.models for x in path[1:-1]):
            yield from (
                deviation <= context.setting.values["sigma_g"] ** 2 for deviation in _deviations(context, x)
            )


def _beta_kappa(context: PepContext) -> Iterator[Condition]:
    beta, kappa, w = (
        context.setting.values["beta"],
        context.setting.values["kappa"],
        context.setting.surrogate,
    )
    for x in context.run.starts():
        gradients = context.losses.gradients(x)
        squares = mixed(w, [one**2 for one in gradients])
        yield squares <= beta**2 * mixed(w, gradients) ** 2 + kappa**2


def _at_the_optimum(context: PepContext) -> Iterator[Condition]:
    squares = [one**2 for one in context.losses.gradients(context.optimum)]
    yield mixed(context.setting.objective, squares) <= context.setting.values["sigma_star"] ** 2


_CONDITIONS: dict[str, Callable[[PepContext], Iterator[Condition]]] = {
    BOUNDED_DISSIMILARITY.name: _bounded,
    CLIENTWISE_DISSIMILARITY.name: _clientwise,
    UNIFORM_DISSIMILARITY.name: _uniform,
    BETA_KAPPA_DISSIMILARITY.name: _beta_kappa,
    OPTIMUM_DISSIMILARITY.name: _at_the_optimum,
}


def dissimilarity_conditions(theorem: Theorem, context: PepContext) -> Iterator[Condition]:
    """Yield all constraints on dissimilarity that the theorem assumes; none for a single loss."""
    if context.setting.clients == 1:
        return
    for assumption in theorem.assumptions:
        yield from _CONDITIONS.get(assumption.name, _none)(context)
    if "drift_star" in context.setting.values:
        yield _drift_at_the_optimum(context)


def _drift_at_the_optimum(context: PepContext) -> Condition:
    """A round from the optimum moves the model by at most eta tau drift_star."""
    steps = len(context.setting.weights[0]) - 1
    longest = context.setting.step * steps * context.setting.values["drift_star"]
    return server_displacement(context.setting, context.losses, context.optimum) ** 2 <= longest**2


def _none(context: PepContext) -> Iterator[Condition]:
    return iter(())


MOST_CONDITIONS = 1500
"""Largest number of inequalities; 600 take about ten seconds, 1500 minutes."""


def is_convex(theorem: Theorem) -> bool:
    """Check whether the class consists of convex losses."""
    return theorem.assumes(CONVEX.name) or theorem.assumes(STRONGLY_CONVEX.name)


def is_exact(theorem: Theorem, setting: ProgramParameters) -> bool:
    """Check whether the program describes the class completely.

    The interpolation conditions of every loss are complete, and so is the constraint of ``_stay_above`` on
    the infimum of a single loss. For the infimum of the mean of several losses, without convexity, it is
    necessary but not sufficient; that matters where the gap at the start is given. At rest no gap is.
    """
    return is_convex(theorem) or setting.clients == 1 or setting.at_fixed_point


def program_of(theorem: Theorem, setting: ProgramParameters, scale: float) -> tuple[Any, int]:
    """Return the program that maximises ``scale`` times the claim, and its number of inequalities.

    Raises BoundkitError where the program would be too large, and where PEPit is not installed.
    """
    _refuse_many(setting.clients * setting.nodes * (setting.nodes - 1))
    program = new_program()
    context = _context(theorem, setting, program)
    program.set_performance_metric(scale * MEASURES[theorem.claim.name](context))
    for condition in dissimilarity_conditions(theorem, context):
        program.add_constraint(condition)
    if not is_convex(theorem) and not setting.at_fixed_point:
        _stay_above(context, program)
    conditions = context.losses.conditions()
    _refuse_many(conditions)
    return program, conditions


def _refuse_many(conditions: int) -> None:
    if conditions > MOST_CONDITIONS:
        raise BoundkitError(
            f"this setting makes a program of at least {conditions} inequalities, but at most "
            f"{MOST_CONDITIONS} are solved; take fewer clients, steps or rounds, or all clients (C = 1)."
        )


def _context(theorem: Theorem, setting: ProgramParameters, program: Any) -> PepContext:
    """Construct losses, initial point and run."""
    convex, values = is_convex(theorem), setting.values
    losses = Losses(program, setting.clients, values["L"], _strength(theorem, setting))
    weights = setting.objective if convex else setting.surrogate
    # one point rather than two at distance 0: the solver needs an interior
    at_optimum = not setting.at_fixed_point and 0 in (values.get("gap"), values.get("distance"))
    least: Point = losses.optimum(weights) if convex or at_optimum else None
    start = least if at_optimum else program.set_initial_point()
    run = (
        fixed_point_round(setting, losses, start)
        if setting.at_fixed_point
        else simulate_rounds(setting, losses, start)
    )
    lowest = new_number() if least is None else losses.value(weights, least)
    context = PepContext(setting, losses, run, least if convex else None, lowest)
    if not at_optimum and not setting.at_fixed_point:
        if "gap" in values:
            program.set_initial_condition(context.gap(start) <= values["gap"])
        if "distance" in values:
            program.set_initial_condition((start - least) ** 2 <= values["distance"] ** 2)
    return context


def _strength(theorem: Theorem, setting: ProgramParameters) -> float | None:
    """Return mu of the class: 0 where it is convex only, None where it is not convex."""
    if not theorem.assumes(STRONGLY_CONVEX.name):
        return 0.0 if is_convex(theorem) else None
    mu = setting.values.get("mu", 0.0)
    if mu >= setting.values["L"] * (1 - 1e-9):
        raise BoundkitError("mu = L leaves quadratics of one curvature; an exact worst case needs mu < L.")
    return mu


def _stay_above(context: PepContext, program: Any) -> None:
    """Constrain non-convex losses: a step of 1/L on their mean ends above the infimum.

    The largest L-smooth function through known values f and gradients g is nowhere below the least of the f -
    |g|^2/(2 L). For a single loss this constraint at every evaluated point is hence complete. For several
    losses it is necessary, since their mean is L-smooth, and a relaxation: it does not constrain models at
    which one client alone is evaluated. The final models are evaluated for that reason, which changes nothing
    for a single loss.
    """
    weights, L = context.weights, context.setting.values["L"]
    for x in context.run.ends:
        context.losses.gradients(x)
    for x in context.losses.evaluated_points():
        descent = (1 / (2 * L)) * context.losses.gradient(weights, x) ** 2
        program.add_constraint(context.gap(x) >= descent)


SOLVER = "CLARABEL"
"""An interior-point solver that comes with cvxpy, a thousand times as accurate as PEPit's default SCS."""

_SETTINGS = {"tol_gap_abs": 1e-12, "tol_gap_rel": 1e-9, "tol_feas": 1e-10}
"""Tight tolerances, since small values such as a drift must be accurate too."""

_DUST = 1e-5
"""Eigenvalues of the Gram matrix below this share of the largest are not counted as dimensions."""

_NOTHING = 1e-9
"""A worst case below this, in the program's units, is 0."""


@dataclass(frozen=True)
class Solution:
    """Solution in the program's units.

    ``guaranteed`` is the value of the dual, which nothing in the class exceeds, and ``attained`` that of the
    primal, up to rounding: the larger and the smaller of the two. ``dimension``: rank of the primal's Gram
    matrix; ``conditions``: number of inequalities.
    """

    guaranteed: float
    attained: float
    dimension: int
    conditions: int
    seconds: float

    @property
    def open(self) -> float:
        """Relative difference of the two values."""
        return abs(self.guaranteed - self.attained) / max(abs(self.guaranteed), abs(self.attained), _NOTHING)


def solve(theorem: Theorem, setting: ProgramParameters) -> Solution:
    """Solve the program.

    It is solved again where the values are too far apart, with the claim in units of the first result. Raises
    BoundkitError where the program is too large or has no finite solution.
    """
    first = _solved(theorem, setting, 1.0)
    if first is None:
        raise BoundkitError(
            f"the solver found no finite worst case of {theorem.name} here: its assumptions leave the "
            f"{theorem.claim.name} unbounded, or its constants are too far apart for the solver."
        )
    if first.open <= TOLERANCE or first.attained <= _NOTHING:
        return first
    again = _solved(theorem, setting, 100 / first.attained)
    return first if again is None or again.open > first.open else again


def _solved(theorem: Theorem, setting: ProgramParameters, scale: float) -> Solution | None:
    """The solution with the claim multiplied by ``scale`` on the way; None where there is none."""
    started = perf_counter()
    program, conditions = program_of(theorem, setting, scale)
    from cvxpy import SolverError  # after the check that it is installed

    with warnings.catch_warnings(), redirect_stdout(StringIO()):  # PEPit prints its doubts
        warnings.simplefilter("ignore")  # of accuracy, which the distance of the two values tells
        try:
            guaranteed = program.solve(verbose=0, solver=SOLVER, **_SETTINGS)
        except SolverError:
            return None
    if guaranteed is None or not np.isfinite(guaranteed):
        return None
    values = float(guaranteed) / scale, float(program.objective.eval()) / scale
    return Solution(
        guaranteed=max(values),
        attained=min(values) - _gained_by_violations(program) / scale,
        dimension=_rank(program.G_value),
        conditions=conditions,
        seconds=perf_counter() - started,
    )


def _gained_by_violations(program: Any) -> float:
    """By how much the primal may be too large, to first order, as it violates its constraints a little."""
    gained = 0.0
    for each in program._list_of_constraints_sent_to_wrapper:  # PEPit has no public list
        value = float(each.eval())
        violated = abs(value) if each.equality_or_inequality == "equality" else max(value, 0.0)
        gained += abs(float(each.eval_dual())) * violated
    values, vectors = np.linalg.eigh(program.G_value)
    weights = np.einsum("ij,ik,kj->j", vectors, program.residual, vectors)
    return gained + float(np.abs(weights) @ np.maximum(-values, 0.0))


def _rank(gram: Any) -> int:
    eigenvalues = np.linalg.eigvalsh(gram)
    return int((eigenvalues > _DUST * eigenvalues.max()).sum()) if eigenvalues.max() > 0 else 0
