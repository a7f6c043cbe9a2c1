"""Why a mutant that nothing refutes stands: computed from what was measured, never by hand."""

from __future__ import annotations

import numpy as np

from boundkit.algebra import Quantity
from boundkit.algebra.notation import eta_s_mean, rho_bar, rho_tilde
from boundkit.analysis.evaluate import evaluate
from boundkit.attack.mutation.dominated_terms import dominated
from boundkit.attack.mutation.judgement import Outcome
from boundkit.attack.mutation.measurements import Array, Ground
from boundkit.attack.mutation.mutant import Mutant
from boundkit.attack.mutation.random_points import draws
from boundkit.attack.mutation.weaker import LEAST, ROUNDING
from boundkit.verification.applicability import reasons_unsupported
from boundkit.verification.checks import single_error_source

FEWEST = 20
"""So many instances beyond a condition at least, before they say that it may be relaxed."""
STILL = 1e-9
"""A letter that moves no more than this has one value."""

_MEASURED = (rho_bar, rho_tilde, eta_s_mean)
"""Letters that no run can be given: the skews of a choice and the mean of steps that a server finds."""


def reason_of(mutant: Mutant, ground: Ground) -> tuple[Outcome, str]:
    """The outcome of a mutant that no instance refutes, and the sentence that says why."""
    if reasons_unsupported(mutant.original):
        return "not testable", f"not testable: {'; '.join(reasons_unsupported(mutant.original))}"
    if mutant.condition is not None:
        return _beyond(mutant, ground)
    if mutant.original.kind == "lower":
        return _above(mutant, ground)
    if mutant.original.kind == "order":
        return "not testable", "not testable: its constants are open, and no sweep of a letter tells it apart"
    most = _most(ground.shares(mutant.label))
    left = _least_left(mutant, ground)
    if left >= 1 - ROUNDING:
        return "not testable", _never_less(mutant, ground)
    if most is not None and 0 < most <= left:
        said = f"1/{mutant.times}" if mutant.kind == "constant" and mutant.times > 1 else f"{left:.3g}"
        return "inside slack", (
            f"inside the measured slack: at most {most:.3g} of the term was needed, and it keeps {said}"
        )
    kept, worst = _kept(mutant), ground.worst()
    if worst <= kept:
        return "inside slack", (
            f"inside the measured slack: at most {worst:.3g} of the bound was needed, and it keeps {kept:.3g}"
            " of it at every random point of the domain"
        )
    if most is None or most <= 0:
        return _unseen(mutant, ground, most)
    return "survived", (
        f"{most:.3g} of the term was needed where most was, and the mutant keeps as little as {left:.3g} "
        "elsewhere; no instance has both"
    )


def _never_less(mutant: Mutant, ground: Ground) -> str:
    """Of what is smaller somewhere, but nowhere where it was measured: what never moved there."""
    assert mutant.expr is not None
    old = mutant.original.bound.terms[mutant.label].expr
    with np.errstate(all="ignore"):
        left = ground.at(mutant.expr) / ground.at(old)
    same = bool((np.abs(left[np.isfinite(left)] - 1) <= ROUNDING).all())
    letters = sorted({q for q in (mutant.expr / old).free_symbols if isinstance(q, Quantity)}, key=str)
    ends = [(q, float(ground.values[q.name].min()), float(ground.values[q.name].max())) for q in letters]
    still = ", ".join(f"{q} = {low:.4g}" for q, low, high in ends if high - low <= STILL * max(abs(high), 1))
    where = f"{len(ground.low)} measured values" + (f" (there {still})" if still else "")
    return f"not testable: {'equal to' if same else 'at least'} the theorem at all of {where}"


def _least_left(mutant: Mutant, ground: Ground) -> float:
    """The least that the mutant leaves of its term: over the domain at random, and where it was measured.

    What derives from the clients is not free, so that it counts where it was measured only.
    """
    if mutant.kind == "constant" and mutant.times > 1:
        return 1 / mutant.times
    assert mutant.expr is not None
    old = mutant.original.bound.terms[mutant.label].expr
    least = np.inf
    theorem = mutant.original
    derived = {*_MEASURED, *(q for each in (theorem.definitions, *theorem.solvers.values()) for q in each)}
    free = not derived & (mutant.expr / old).free_symbols
    for values in (draws(theorem), ground.values) if free else (ground.values,):
        with np.errstate(all="ignore"):
            left = np.asarray(evaluate(mutant.expr, values) / evaluate(old, values), dtype=np.float64)
        known = left[np.isfinite(left)]
        least = min(least, float(known.min())) if known.size else least
    return least if np.isfinite(least) else 0.0


def _kept(mutant: Mutant) -> float:
    """The least part of the whole bound that the mutant leaves, over the domain; 0 where nothing is known."""
    part = dominated(mutant.original, mutant.label)
    if part.points < LEAST:
        return 0.0
    keeps = 1 / mutant.times if mutant.kind == "constant" and mutant.times > 1 else 0.0
    return 1 - part.part * (1 - keeps)


def _unseen(mutant: Mutant, ground: Ground, most: float | None) -> tuple[Outcome, str]:
    """Why no instance needs the term: others lie above it, or no family of runs shows its cause."""
    term = mutant.original.bound.terms[mutant.label]
    above = dominated(mutant.original, mutant.label)
    if above.hidden:
        return "not testable", f"not testable: the term is hidden: {above}"
    with np.errstate(all="ignore"):
        parts = np.where(ground.inside, ground.at(term.expr) / ground.total, np.nan)
    largest = _most(parts)
    if largest is None:
        return "not testable", "not testable: no instance has the term inside the conditions"
    seen = f"the term is at most {100 * largest:.3g} % of the bound on {np.isfinite(parts).sum()} values"
    why = single_error_source.UNSEEN.get(term.cause, "there the other terms pay for all that is measured")
    share = "" if most is None else f" (the largest share of it that was needed is {most:.3g})"
    if mutant.kind == "constant":
        return "inside slack", f"inside the measured slack: {seen}, and {why}{share}"
    return "not testable", f"not testable: {seen}, and {why}{share}"


def _above(mutant: Mutant, ground: Ground) -> tuple[Outcome, str]:
    """Of a lower bound: how near the original comes to what is measured."""
    worst = ground.worst()
    if not np.isfinite(worst):
        return "not testable", "not testable: no instance has a value inside the conditions"
    ratios = ground.ratios(mutant)
    most = _most(ratios)
    said = "nothing" if most is None else f"{most:.3g}"
    return "inside slack", f"inside the measured slack: bound/measured is at most {said} with it"


def _beyond(mutant: Mutant, ground: Ground) -> tuple[Outcome, str]:
    """Of a relaxed condition: what runs between the old and the new one say, where they are enough."""
    ratios = np.where(ground.inside, np.nan, ground.ratios(mutant))
    most, count = _most(ratios), len(set(ground.piece[np.isfinite(ratios)]))
    if most is None:
        return "not testable", "not testable: no instance lies between the condition and the relaxed one"
    said = f"on {count} instances beyond it measured/bound is at most {most:.3g}"
    if count < FEWEST:
        return "not testable", f"not testable: {said}, and fewer than {FEWEST} tell nothing"
    return "inside slack", f"inside the measured slack: {said}"


def _most(found: Array) -> float | None:
    return None if not found.size or np.isnan(found).all() else float(np.nanmax(found))
