"""Scaling of each term: one error source at a time, exactly, and a slope for each quantity.

A term is isolated by an instance on which its cause is the only error source: different Hessians, no noise,
full participation (client drift); equal Hessians, no noise, partial participation; homogeneous clients with
noise (stochastic noise); homogeneous clients without noise, early rounds (initial gap). The measured quantity
is exact (fixed points, stationary moments). Its slope on a log-log scale is compared with the slope of the
term over the same sweep. A measured quantity that grows faster than its term, in a direction in which a
quantity is unbounded, exceeds any constant: that is a violation. Slower growth is slack. An interval that
also contains an exponent that is worse by 1/2 is inconclusive.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from sympy import Pow

from boundkit.algebra import BoundkitError, Term, Theorem
from boundkit.algebra.notation import T as ROUNDS
from boundkit.analysis.evaluate import evaluate
from boundkit.simulation.engines import trajectory
from boundkit.simulation.trajectory import Array
from boundkit.verification.checks import single_error_source, single_error_source_groups
from boundkit.verification.checks.check import Check, Outcome
from boundkit.verification.checks.exponent_interval import judge_exponent
from boundkit.verification.checks.fixed_point import FOREVER
from boundkit.verification.claims import add_observables, measure_claim
from boundkit.verification.constants import arguments_at_horizon, measure_constants, theorem_arguments
from boundkit.verification.families import FAMILIES, context_of
from boundkit.verification.family import TermSweep

FAR = {"eta": (-1,), "C": (-1,), "tau": (1,), "m": (1,), "T": (1,), "eta_s": (-1, 1)}
FAR |= {"clip": (-1,), "target": (-1,)}
"""The directions in which a letter may go without end: steps and targets shrink, counts grow, and the
server's step does both where the client's makes up for it."""


@dataclass(frozen=True)
class Sweep:
    """A letter, its values, and at each: the measured quantity, the term, and the bound for T without end."""

    letter: str
    at: Array
    measured: Array
    predicted: Array
    floor: Array

    @property
    def slopes(self) -> tuple[float, float, float]:
        """Measured slope, the term's slope, and half of the 99 % interval of their difference.

        The interval is that of the slope of measured/term: where both bend alike, they agree exactly.
        """
        x = np.log(self.at)
        margin = fit(x, np.log(self.measured / self.predicted))[1]
        return fit(x, np.log(self.measured))[0], fit(x, np.log(self.predicted))[0], margin


def slope_checks(theorem: Theorem) -> tuple[list[Check], list[Sweep]]:
    """A check for every term and every letter that its instance can vary, and the sweeps for drawing."""
    checks: list[Check] = []
    sweeps: list[Sweep] = []
    for label, term in theorem.bound.terms.items():
        own = FAMILIES.term_sweeps(theorem, term)
        if own is not None:
            sweeps += (found := [_simulated_sweep(theorem, term, one) for one in own])
            checks += [_compare(label, one) for one in found]
            continue
        if _cause(term) not in ISOLATED:
            checks.append(Check(f"slope of {label}", "not tested", single_error_source.UNSEEN.get(
                term.cause, f"no instance here isolates {term.cause}")))  # fmt: skip
            continue
        if term.cause == "initial gap" and _exponential(term):
            checks.append(_decay(theorem, term))
            continue
        try:
            found = _sweeps(theorem, term)
        except BoundkitError as reason:
            checks.append(Check(f"slope of {label}", "not tested", str(reason)))
            continue
        sweeps += found
        checks += [_compare(label, one) for one in found]
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
        totals.append(float(evaluate(theorem.bound.total, values | {"T": FOREVER})))
    return Sweep(sweep.keyword, *(np.array(column) for column in (sweep.values, measured, terms, totals)))


def _compare(label: str, result: Sweep) -> Check:
    name = f"slope of {label} in {result.letter}"
    numbers = {"term": label, "letter": result.letter}
    if not result.measured.min() > 0:
        return Check(name, "not tested", "its instance does not show it: measured 0", numbers)
    if not result.predicted.min() > 0:
        return Check(
            name, "violated", "the term is 0 where its cause is the only error, and measured is not", numbers
        )
    slope, predicted, margin = result.slopes
    off = slope - predicted
    outcome, besides = judge_exponent(off, margin, FAR[result.letter])
    return Check(
        name,
        outcome,
        f"measured {_rounded(slope)}, predicted {_rounded(predicted)}, "
        f"apart by {abs(off):.2g} +- {margin:.1g}{besides.replace('bound', 'term')}",
        {**numbers, "measured": slope, "margin": margin, "predicted": predicted},
    )


def _rounded(slope: float) -> str:
    return f"{round(slope, 3) + 0.0:.3f}"


def fit(x: Array, y: Array) -> tuple[float, float]:
    """Least-squares slope and half of its 99 % interval."""
    from scipy.special import stdtrit

    centred = x - x.mean()
    slope = float(centred @ y / (centred @ centred))
    rest = y - y.mean() - slope * centred
    dof = max(len(x) - 2, 1)
    margin = float(stdtrit(dof, 0.995) * np.sqrt(rest @ rest / dof / (centred @ centred)))
    return slope, margin


def _exponential(term: Term) -> bool:
    return any(ROUNDS in p.exp.free_symbols for p in term.expr.atoms(Pow))


def _decay(theorem: Theorem, term: Term) -> Check:
    """A start that is forgotten geometrically: the measured rate must be at least the term's."""
    name = f"decay of {term.label} in T"
    rounds, measured, values = single_error_source.decay(theorem)
    shown = np.array([float(evaluate(term.expr, values | {"T": t})) for t in rounds])
    rate, _ = fit(rounds, np.log(measured))
    promised, _ = fit(rounds, np.log(shown))
    outcome: Outcome = "holds" if rate <= promised * (1 - 1e-9) else "violated"
    return Check(
        name,
        outcome,
        f"log falls by {-rate:.3g} a round, promised {-promised:.3g}",
        {"term": term.label, "letter": "T", "measured": rate, "margin": 0.0, "predicted": promised},
    )


def sweep(
    theorem: Theorem,
    term: Term | None,
    letter: str,
    instance: Callable[..., single_error_source.Point],
    values: Mapping[str, Sequence[float]] = single_error_source.SWEEPS,
) -> Sweep:
    """The instance at each value of the letter; without a term the prediction is 0."""
    points = [instance(theorem, **{letter: value}) for value in values[letter]]
    total = theorem.bound.total
    early = instance in (single_error_source.only_start, single_error_source.only_first_errors)
    late = {} if early else {"T": FOREVER}  # the others are limits of many rounds
    return Sweep(
        letter,
        np.array(values[letter], dtype=np.float64),
        np.array([p.measured for p in points]),
        np.array([0.0 if term is None else float(evaluate(term.expr, p.values | late)) for p in points]),
        np.array([float(evaluate(total, arguments_at_horizon(p.values, 1, FOREVER))) for p in points]),
    )


def _cause(term: Term) -> str:
    """What isolates a term: an instance for its own name, where there is one, or for its cause."""
    return term.label if term.label in ISOLATED else term.cause


def _sweeps(theorem: Theorem, term: Term) -> list[Sweep]:
    """A sweep of every letter of the theorem that the term's instance can vary."""
    instance, values = isolating_instance(theorem, term)
    return [sweep(theorem, term, letter, instance, values) for letter in values]


def isolating_instance(
    theorem: Theorem, term: Term
) -> tuple[Callable[..., single_error_source.Point], Mapping[str, Sequence[float]]]:
    """The instance that isolates a term, and the values of each letter that the instance can vary.

    Raises NotIsolated for a start-up that has no slope, KeyError for a cause that no instance isolates.
    """
    instance, letters = ISOLATED[_cause(term)]
    known = {q.name for q in theorem.quantities} | (
        {"tau"} if single_error_source.takes_local_steps(theorem) else set()
    )
    values = single_error_source.START_SWEEPS if term.cause == "initial gap" else single_error_source.SWEEPS
    if theorem.claim.observable.startswith("virtual_"):  # every local step is looked at
        values = {**values, "tau": single_error_source.FEW_STEPS}
    if theorem.assumes("server-step-at-least-one"):
        values = {**values, "eta_s": single_error_source.LONG_SERVER_STEPS}
    if term.cause == "start-up":
        if _exponential(term):
            raise single_error_source.NotIsolated("a start-up that is forgotten geometrically has no slope.")
        values = single_error_source.FIRST_SWEEPS
    elif single_error_source.keeps_client_state(theorem):
        values = {
            **values,
            **(
                single_error_source.SOONER if term.cause == "initial gap" else single_error_source.FEW_CLIENTS
            ),
        }
    return instance, {letter: values[letter] for letter in letters if letter in known}


ISOLATED: dict[str, tuple[Callable[..., single_error_source.Point], tuple[str, ...]]] = {
    "client drift": (single_error_source.only_drift, ("eta", "tau", "m", "eta_s")),
    "partial participation": (single_error_source.only_participation, ("eta", "tau", "C", "m", "eta_s")),
    "objective inconsistency": (single_error_source.only_inconsistency, ("eta", "m")),
    "stochastic noise": (single_error_source.only_noise, ("eta", "tau", "C", "m", "eta_s")),
    "initial gap": (single_error_source.only_start, ("eta", "tau", "T")),
    "start-up": (single_error_source.only_first_errors, ("eta", "tau", "T")),
    **single_error_source_groups.CAUSES,
}
"""Each cause that an instance isolates, with the instance and the letters that it can vary."""
