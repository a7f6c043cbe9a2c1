"""Scaling of each term: one error source at a time, exactly, and a slope for each quantity.

A term is isolated by an instance on which its cause is the only error source: different Hessians, no noise,
full participation (client drift); equal Hessians, no noise, partial participation; homogeneous clients with
noise (stochastic noise); homogeneous clients without noise, early rounds (initial gap). The measured quantity
is exact (fixed points, stationary moments). Its slope on a log-log scale is compared with the slope of the
term over the same sweep. A measured quantity that grows faster than its term, in a direction in which a
quantity is unbounded, exceeds any constant: that is a violation. Slower growth is slack. An interval that
also contains an exponent that is worse by 1/2 is inconclusive.

Slopes cannot detect a missing term. So every error source is isolated, also those that the theorem does not
name, and the exact limit of the claimed quantity for many rounds, its error floor, is compared with the limit
of the bound. The step sizes are so small that a term of higher order cannot compensate for a missing one.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from sympy import Pow

from boundkit.algebra import BoundkitError, Term, Theorem
from boundkit.algebra.notation import T as ROUNDS
from boundkit.analysis.evaluate import evaluate
from boundkit.simulation.arrays import Array
from boundkit.simulation.confidence_interval import student_quantile
from boundkit.simulation.engines import trajectory
from boundkit.simulation.engines.aggregation_weights import TooManySubsets
from boundkit.simulation.participation import NoClosedForm
from boundkit.verification.checks import Check, Outcome
from boundkit.verification.checks import single_error_source as sources
from boundkit.verification.checks.bound_comparison import ROUNDING
from boundkit.verification.checks.fixed_point import LIMIT_ROUNDS
from boundkit.verification.checks.single_error_source import ISOLATED, ZERO_FLOOR, Isolation, NotIsolated
from boundkit.verification.claims import add_observables, measure_claim
from boundkit.verification.constants import arguments_at_horizon, measure_constants, theorem_arguments
from boundkit.verification.families import FAMILIES, context_of
from boundkit.verification.family import TermSweep

TOLERANCE = 0.1
"""Tolerance of slopes: sweeps are finite, and lower orders change them a little."""
NEIGHBOUR = 0.5
"""Exponents of theorems are multiples of 1/2, so that a wrong one differs by this at least."""
UNBOUNDED = {
    "eta": (-1,), "C": (-1,), "tau": (1,), "m": (1,), "T": (1,), "eta_s": (-1, 1), "clip": (-1,),
    "target": (-1,), "groups": (1,), "wall": (1,), "staleness": (1,),
}  # fmt: skip
"""The directions in which a quantity is unbounded, on a logarithmic scale."""


def check_exponent(off: float, margin: float, directions: Iterable[int]) -> tuple[Outcome, str]:
    """The outcome for a slope that is ``off`` its prediction, +- margin, and a remark.

    ``directions``: 1, -1 or both, those in which it must not be off. Violated where it is off that way at
    the near end of its interval; not tested where the interval also contains an exponent that is 1/2 worse,
    or contains 0 beside a slope that is off.

    >>> check_exponent(0.05, 0.2, (1,))
    ('holds', '')
    >>> check_exponent(-1.0, 0.6, (1,))
    ('holds', ' (slack: the bound grows faster)')
    >>> [check_exponent(off, margin, (1,))[0] for off, margin in [(0.05, 0.6), (0.3, 0.25), (0.3, 0.1)]]
    ['not tested', 'not tested', 'violated']
    """
    excess = max(off * direction for direction in directions)
    if excess - margin > TOLERANCE:
        return "violated", ""
    if excess > TOLERANCE:
        return "not tested", ": off by less than its margin, which is too wide to decide"
    if excess + margin >= NEIGHBOUR:
        return "not tested", ": too wide to decide, since an exponent that is 1/2 worse would also fit"
    return "holds", "" if abs(off) <= TOLERANCE else " (slack: the bound grows faster)"


@dataclass(frozen=True)
class Sweep:
    """A quantity, its values, and at each: the measurement, the term, and the bound in the limit of T."""

    quantity: str
    at: Array
    measured: Array
    predicted: Array
    bound_limit: Array

    @property
    def slopes(self) -> tuple[float, float, float]:
        """Measured slope, the term's slope, and half of the 99 % interval of their difference.

        The interval is that of the slope of measured/term: where both have the same curvature, it is 0.
        """
        x = np.log(self.at)
        margin = fit(x, np.log(self.measured / self.predicted))[1]
        return fit(x, np.log(self.measured))[0], fit(x, np.log(self.predicted))[0], margin


def slope_checks(theorem: Theorem) -> tuple[list[Check], list[Sweep]]:
    """A check for every term and every quantity that its instance can vary, and the sweeps for figures."""
    checks: list[Check] = []
    sweeps: list[Sweep] = []
    for label, term in theorem.bound.terms.items():
        simulated = FAMILIES.term_sweeps(theorem, term)
        name = f"slope of {label}"
        if simulated is None and _isolated_by(term) not in ISOLATED:
            reason = sources.NOT_ISOLATED.get(term.cause, f"no instance here isolates {term.cause}")
            checks.append(Check(name, "not tested", reason))
            continue
        if simulated is None and term.cause == "initial gap" and is_exponential(term):
            checks.append(_decay_check(theorem, term))
            continue
        try:
            if simulated is None:
                isolation, values = isolate(theorem, term)
                results = [sweep(theorem, term, quantity, isolation, values) for quantity in values]
            else:
                results = [_simulated_sweep(theorem, term, one) for one in simulated]
        except BoundkitError as error:
            if simulated is not None:
                raise
            checks.append(Check(name, "not tested", str(error)))
            continue
        sweeps += results
        checks += [compare_slopes(label, one) for one in results]
    return checks, sweeps


def has_exact_sweeps(theorem: Theorem) -> bool:
    """Whether single error sources are isolated by exact moments, and not by sweeps of the family."""
    return all(FAMILIES.term_sweeps(theorem, term) is None for term in theorem.terms)


def _simulated_sweep(theorem: Theorem, term: Term, sweep: TermSweep) -> Sweep:
    measured, terms, totals = [], [], []
    for value in sweep.values:
        run = add_observables(theorem, sweep.run_at(value))
        recorded = trajectory(run)
        values = theorem_arguments(theorem, run, measure_constants(run, recorded, theorem), recorded)
        measured.append(measure_claim(context_of(theorem, run, recorded)).value)
        terms.append(float(evaluate(term.expr, values)))
        totals.append(float(evaluate(theorem.bound.total, values | {"T": LIMIT_ROUNDS})))
    return Sweep(sweep.keyword, *(np.array(column) for column in (sweep.values, measured, terms, totals)))


def compare_slopes(label: str, result: Sweep) -> Check:
    """The check of a sweep: the measured slope against that of the term."""
    name = f"slope of {label} in {result.quantity}"
    numbers = {"term": label, "letter": result.quantity}
    if not result.measured.min() > 0:
        return Check(name, "not tested", "its instance does not show it: measured 0", numbers)
    if not result.predicted.min() > 0:
        return Check(
            name, "violated", "the term is 0 where its cause is the only error, and measured is not", numbers
        )
    slope, predicted, margin = result.slopes
    off = slope - predicted
    outcome, remark = check_exponent(off, margin, UNBOUNDED[result.quantity])
    return Check(
        name,
        outcome,
        f"measured {_rounded(slope)}, predicted {_rounded(predicted)}, "
        f"apart by {abs(off):.2g} +- {margin:.1g}{remark.replace('bound', 'term')}",
        {**numbers, "measured": slope, "margin": margin, "predicted": predicted},
    )


def _rounded(slope: float) -> str:
    return f"{round(slope, 3) + 0.0:.3f}"


def fit(x: Array, y: Array) -> tuple[float, float]:
    """Least-squares slope and half of its 99 % interval."""
    centred = x - x.mean()
    slope = float(centred @ y / (centred @ centred))
    residual = y - y.mean() - slope * centred
    dof = max(len(x) - 2, 1)
    margin = student_quantile(0.99, dof) * float(np.sqrt(residual @ residual / dof / (centred @ centred)))
    return slope, margin


def is_exponential(term: Term) -> bool:
    """Whether the term decays geometrically in T."""
    return any(ROUNDS in p.exp.free_symbols for p in term.expr.atoms(Pow))


def _decay_check(theorem: Theorem, term: Term) -> Check:
    """An initial gap that decays geometrically: the measured rate must be at least the term's."""
    rounds, measured, values = sources.geometric_decay(theorem)
    terms = np.array([float(evaluate(term.expr, values | {"T": t})) for t in rounds])
    rate, predicted = (fit(rounds, np.log(series))[0] for series in (measured, terms))
    return Check(
        f"decay of {term.label} in T",
        "holds" if rate <= predicted * (1 - 1e-9) else "violated",
        f"log falls by {-rate:.3g} a round, predicted {-predicted:.3g}",
        {"term": term.label, "letter": "T", "measured": rate, "margin": 0.0, "predicted": predicted},
    )


def sweep(
    theorem: Theorem,
    term: Term | None,
    quantity: str,
    isolation: Isolation,
    values: Mapping[str, Sequence[float]] = sources.SWEEP_VALUES,
) -> Sweep:
    """The isolating instance at each value of the quantity; without a term the prediction is 0."""
    points = [isolation.instance(theorem, **{quantity: value}) for value in values[quantity]]
    terms = [0.0 if term is None else float(evaluate(term.expr, isolation.values_of(p))) for p in points]
    limits = [arguments_at_horizon(p.values, 1, LIMIT_ROUNDS) for p in points]
    return Sweep(
        quantity,
        np.array(values[quantity], dtype=np.float64),
        np.array([p.measured for p in points]),
        np.array(terms),
        np.array([float(evaluate(theorem.bound.total, limit)) for limit in limits]),
    )


def _isolated_by(term: Term) -> str:
    """The key of a term in ``ISOLATED``: its own name where that is one, else its cause."""
    return term.label if term.label in ISOLATED else term.cause


def isolate(theorem: Theorem, term: Term) -> tuple[Isolation, Mapping[str, Sequence[float]]]:
    """The isolation of a term, and the values of each quantity of the theorem that it can vary.

    Raises NotIsolated for a start-up that has no slope, KeyError for a cause that no instance isolates.
    """
    isolation = ISOLATED[_isolated_by(term)]
    varied = {q.name for q in theorem.quantities} | ({"tau"} if sources.takes_local_steps(theorem) else set())
    start = term.cause == "initial gap"
    values = dict(sources.INITIAL_GAP_VALUES if start else sources.SWEEP_VALUES)
    if theorem.claim.observable.startswith("virtual_"):  # every local step is observed
        values["tau"] = sources.FEWER_LOCAL_STEPS
    if theorem.assumes("server-step-at-least-one"):
        values["eta_s"] = sources.SERVER_STEPS_AT_LEAST_ONE
    if term.cause == "start-up":
        if is_exponential(term):
            raise NotIsolated("a start-up that decays geometrically has no slope.")
        values = sources.START_UP_VALUES
    elif sources.keeps_client_state(theorem):
        values |= sources.SHORTER_HORIZONS if start else sources.CLIENT_STATE_VALUES
    return isolation, {quantity: values[quantity] for quantity in isolation.quantities if quantity in varied}


def error_floor_check(theorem: Theorem) -> Check:
    """The largest measured/bound in the limit of many rounds, over single error sources and small steps."""
    if not has_exact_sweeps(theorem):
        sentence = "its terms are isolated by simulated sweeps, which have no exact error floor"
        return Check("floor", "not tested", sentence)
    worst, where, tested = 0.0, "no cause", 0
    for cause, isolation in ISOLATED.items():
        if isolation.early:
            continue
        try:
            points = sweep(theorem, None, "eta", isolation)
        except (NotIsolated, NoClosedForm, TooManySubsets):
            continue
        tested += 1
        for eta, measured, bound in zip(points.at, points.measured, points.bound_limit, strict=True):
            if measured <= ZERO_FLOOR:
                continue
            ratio = float(measured / bound) if bound > 0 else float("inf")
            if ratio > worst:
                worst, where = ratio, f"{cause} alone, at eta = {eta:g}"
    if not tested:
        return Check("floor", "not tested", "no instance here isolates a single cause of the theorem")
    sentence = f"is at most {worst:.4g}" if worst <= 1 + ROUNDING else f"reaches {worst:.10g}, more than 1"
    return Check(
        "floor",
        "holds" if worst <= 1 + ROUNDING else "violated",
        f"in the limit of many rounds measured/bound {sentence} ({where})",
        {"largest_ratio": worst if worst < float("inf") else None},
    )
