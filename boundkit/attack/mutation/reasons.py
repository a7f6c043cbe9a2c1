"""Explain why a mutant that no test refutes stands, from the measurements."""

from __future__ import annotations

import numpy as np

from boundkit.algebra import Quantity
from boundkit.algebra.notation import eta_s_mean, rho_bar, rho_tilde
from boundkit.analysis.evaluate import evaluate
from boundkit.attack.mutation.dominated_terms import find_domination
from boundkit.attack.mutation.measurements import Array, Measurements
from boundkit.attack.mutation.mutant import Mutant, Outcome
from boundkit.attack.mutation.random_points import draw_points
from boundkit.attack.mutation.weaker_mutants import LEAST, ROUNDING
from boundkit.verification.applicability import reasons_unsupported
from boundkit.verification.checks.single_error_source import NOT_ISOLATED

FEWEST = 20
"""Least number of instances outside a condition that show that it may be relaxed."""
CONSTANT = 1e-9
"""A quantity that varies by no more than this is constant."""

_MEASURED = (rho_bar, rho_tilde, eta_s_mean)
"""Quantities that cannot be prescribed to a run: selection skews, and the mean of adaptive step sizes."""


def explain_outcome(mutant: Mutant, measurements: Measurements) -> tuple[Outcome, str]:
    """Return the outcome of a mutant that no instance refutes, with its reason."""
    if reasons_unsupported(mutant.original):
        return "not testable", f"not testable: {'; '.join(reasons_unsupported(mutant.original))}"
    if mutant.condition is not None:
        return _beyond(mutant, measurements)
    if mutant.original.kind == "lower":
        return _above(mutant, measurements)
    if mutant.original.kind == "order":
        return "not testable", "not testable: its constants are open, and no sweep of a letter tells it apart"
    most = _most(measurements.shares(mutant.label))
    left = _least_left(mutant, measurements)
    if left >= 1 - ROUNDING:
        return "not testable", _never_less(mutant, measurements)
    if most is not None and 0 < most <= left:
        text = f"1/{mutant.times}" if mutant.kind == "constant" and mutant.times > 1 else f"{left:.3g}"
        return "inside slack", (
            f"inside the measured slack: at most {most:.3g} of the term was needed, and it keeps {text}"
        )
    stored, worst = _least_share_of_bound(mutant), measurements.worst()
    if worst <= stored:
        return "inside slack", (
            f"inside the measured slack: at most {worst:.3g} of the bound was needed, and it keeps "
            f"{stored:.3g} of it at every random point of the domain"
        )
    if most is None or most <= 0:
        return _unseen(mutant, measurements, most)
    return "survived", (
        f"{most:.3g} of the term was needed where most was, and the mutant keeps as little as {left:.3g} "
        "elsewhere; no instance has both"
    )


def _never_less(mutant: Mutant, measurements: Measurements) -> str:
    """Explain a mutant that is smaller somewhere in the domain, but at no measurement."""
    assert mutant.expr is not None
    old = mutant.original.bound.terms[mutant.label].expr
    with np.errstate(all="ignore"):
        left = measurements.at(mutant.expr) / measurements.at(old)
    same = bool((np.abs(left[np.isfinite(left)] - 1) <= ROUNDING).all())
    quantities = sorted({q for q in (mutant.expr / old).free_symbols if isinstance(q, Quantity)}, key=str)
    ends = [
        (q, float(measurements.values[q.name].min()), float(measurements.values[q.name].max()))
        for q in quantities
    ]
    constant = ", ".join(
        f"{q} = {low:.4g}" for q, low, high in ends if high - low <= CONSTANT * max(abs(high), 1)
    )
    where = f"{len(measurements.low)} measured values" + (f" (there {constant})" if constant else "")
    return f"not testable: {'equal to' if same else 'at least'} the theorem at all of {where}"


def _least_left(mutant: Mutant, measurements: Measurements) -> float:
    """Compute the least fraction of its term that the mutant keeps, at random points and at measurements.

    Quantities that derive from the clients are not free, so that there only the measurements count.
    """
    if mutant.kind == "constant" and mutant.times > 1:
        return 1 / mutant.times
    assert mutant.expr is not None
    old = mutant.original.bound.terms[mutant.label].expr
    least = np.inf
    theorem = mutant.original
    derived = {*_MEASURED, *(q for each in (theorem.definitions, *theorem.solvers.values()) for q in each)}
    free = not derived & (mutant.expr / old).free_symbols
    for values in (draw_points(theorem), measurements.values) if free else (measurements.values,):
        with np.errstate(all="ignore"):
            left = np.asarray(evaluate(mutant.expr, values) / evaluate(old, values), dtype=np.float64)
        names = left[np.isfinite(left)]
        least = min(least, float(names.min())) if names.size else least
    return least if np.isfinite(least) else 0.0


def _least_share_of_bound(mutant: Mutant) -> float:
    """Compute the least fraction of the bound that the mutant keeps over the domain; 0 where unknown."""
    part = find_domination(mutant.original, mutant.label)
    if part.points < LEAST:
        return 0.0
    keeps = 1 / mutant.times if mutant.kind == "constant" and mutant.times > 1 else 0.0
    return 1 - part.part * (1 - keeps)


def _unseen(mutant: Mutant, measurements: Measurements, most: float | None) -> tuple[Outcome, str]:
    """Explain why no instance needs the term: others exceed it, or no family of runs shows its cause."""
    term = mutant.original.bound.terms[mutant.label]
    above = find_domination(mutant.original, mutant.label)
    if above.hidden:
        return "not testable", f"not testable: the term is hidden: {above}"
    with np.errstate(all="ignore"):
        parts = np.where(measurements.inside, measurements.at(term.expr) / measurements.total, np.nan)
    largest = _most(parts)
    if largest is None:
        return "not testable", "not testable: no instance has the term inside the conditions"
    evidence = f"the term is at most {100 * largest:.3g} % of the bound on {np.isfinite(parts).sum()} values"
    why = NOT_ISOLATED.get(term.cause, "there the other terms pay for all that is measured")
    share = "" if most is None else f" (the largest share of it that was needed is {most:.3g})"
    if mutant.kind == "constant":
        return "inside slack", f"inside the measured slack: {evidence}, and {why}{share}"
    return "not testable", f"not testable: {evidence}, and {why}{share}"


def _above(mutant: Mutant, measurements: Measurements) -> tuple[Outcome, str]:
    """Of a lower bound: how near the original comes to what is measured."""
    worst = measurements.worst()
    if not np.isfinite(worst):
        return "not testable", "not testable: no instance has a value inside the conditions"
    ratios = measurements.ratios(mutant)
    most = _most(ratios)
    text = "nothing" if most is None else f"{most:.3g}"
    return "inside slack", f"inside the measured slack: bound/measured is at most {text} with it"


def _beyond(mutant: Mutant, measurements: Measurements) -> tuple[Outcome, str]:
    """Explain a relaxed condition by the runs between the old and the new one."""
    ratios = np.where(measurements.inside, np.nan, measurements.ratios(mutant))
    most, count = _most(ratios), len(set(measurements.piece[np.isfinite(ratios)]))
    if most is None:
        return "not testable", "not testable: no instance lies between the condition and the relaxed one"
    text = f"on {count} instances beyond it measured/bound is at most {most:.3g}"
    if count < FEWEST:
        return "not testable", f"not testable: {text}, and fewer than {FEWEST} tell nothing"
    return "inside slack", f"inside the measured slack: {text}"


def _most(result: Array) -> float | None:
    return None if not result.size or np.isnan(result).all() else float(np.nanmax(result))
