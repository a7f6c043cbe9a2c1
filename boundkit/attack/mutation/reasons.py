"""Explain from the measurements why a mutant is not refuted."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from sympy.core.relational import Relational

from boundkit.algebra import Quantity, Theorem
from boundkit.algebra.notation import G, distance, eta_s_mean, mu, rho_bar, rho_tilde, sigma
from boundkit.analysis.evaluate import evaluate
from boundkit.attack.measurement import Array
from boundkit.attack.mutation.measurements import Measurements
from boundkit.attack.mutation.mutant import Mutant, Outcome
from boundkit.attack.mutation.random_points import Points, draw_nearby_points, draw_points
from boundkit.attack.mutation.weaker_mutants import LEAST, ROUNDING
from boundkit.verification.applicability import reasons_unsupported
from boundkit.verification.checks.single_error_source import NOT_ISOLATED

LITTLE = 0.2
"""A term whose part of the bound never exceeds this has others far above it."""
_CLIMBS = 6
_IMPLIED: tuple[Relational, ...] = (sigma <= G, mu * distance <= G)
"""Relations that follow from definitions: G^2 bounds the second moment of every stochastic gradient."""


@dataclass(frozen=True)
class TermDomination:
    """The largest part of the bound that one term makes, over ``points`` points inside the conditions.

    ``by``: the other term that is at least ``1/times`` of it at each point, with the smallest ``times``.
    """

    part: float
    points: int
    by: str
    times: float

    @property
    def hidden(self) -> bool:
        """Whether it is a small part of the bound at all points."""
        return self.points >= LEAST and self.part <= LITTLE

    def __str__(self) -> str:
        others = f"at most {self.part / (1 - self.part):.3g} of the others together"
        alone = f", and at most {self.times:.3g} of {self.by} alone" if np.isfinite(self.times) else ""
        return f"at {self.points} points of the domain, random and climbing, the term is {others}{alone}"


@lru_cache(maxsize=256)
def find_domination(theorem: Theorem, label: str) -> TermDomination:
    """Maximise the part of the bound that a term makes, over random points of the domain.

    Quantities vary independently, also those that derive from clients, so that no part is missed.
    """
    terms, implied = theorem.bound.terms, _implied(theorem)
    points = draw_points(theorem, more=implied)
    parts = _parts(theorem, points)
    share = parts[label]
    count = share.size
    for step in range(_CLIMBS if count else 0):
        top = np.argsort(share)[-50:]
        closer = draw_nearby_points(
            theorem, {name: values[top] for name, values in points.items()}, seed=step, more=implied
        )
        again = _parts(theorem, closer)
        points = {name: np.concatenate([points[name][top], closer[name]]) for name in points}
        parts = {name: np.concatenate([parts[name][top], again[name]]) for name in terms}
        share = parts[label]
        count += again[label].size
    most = float(share.max()) if share.size else 0.0
    return TermDomination(most, count, *_dominating_term(theorem, label))


def _implied(theorem: Theorem) -> tuple[Relational, ...]:
    return tuple(r for r in _IMPLIED if r.free_symbols <= set(theorem.quantities))


def _dominating_term(theorem: Theorem, label: str) -> tuple[str, float]:
    """Return the other term that covers this one with the smallest factor, and that factor."""
    parts = _parts(theorem, draw_points(theorem, more=_implied(theorem)))
    result = [
        (float(_largest_ratio(parts[label], other)), name) for name, other in parts.items() if name != label
    ]
    times, name = min(result, default=(np.inf, ""))
    return name, times


def _largest_ratio(one: Array, other: Array) -> float:
    with np.errstate(all="ignore"):
        ratio = np.where(one > 0, one / other, 0.0)
    return float(ratio.max()) if ratio.size else np.inf


def _parts(theorem: Theorem, points: Points) -> dict[str, Array]:
    """Return every term over the bound, where all are finite; (N,) each."""
    size = len(next(iter(points.values()), np.zeros(0)))
    with np.errstate(all="ignore"):
        terms = theorem.bound.terms.items()
        every = {name: np.broadcast_to(evaluate(term.expr, points), (size,)) for name, term in terms}
        total = np.sum(list(every.values()), axis=0)
        parts = {name: value / total for name, value in every.items()}
    finite = np.all([np.isfinite(part) for part in parts.values()], axis=0)
    return {name: np.where(finite, part, 0.0) for name, part in parts.items()}


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
        return _lower_bound_ratio(mutant, measurements)
    if mutant.original.kind == "order":
        return "not testable", "not testable: its constants are unspecified, and no sweep distinguishes it"
    most = _most(measurements.shares(mutant.label))
    left = _least_left(mutant, measurements)
    if left >= 1 - ROUNDING:
        return "not testable", _never_less(mutant, measurements)
    if most is not None and 0 < most <= left:
        text = f"1/{mutant.times}" if mutant.kind == "constant" and mutant.times > 1 else f"{left:.3g}"
        return "inside slack", (
            f"inside the measured slack: at most {most:.3g} of the term was needed, and it has {text}"
        )
    stored, worst = _least_share_of_bound(mutant), measurements.worst()
    if worst <= stored:
        return "inside slack", (
            f"inside the measured slack: at most {worst:.3g} of the bound was needed, and it has "
            f"{stored:.3g} of it at every random point of the domain"
        )
    if most is None or most <= 0:
        return _unseen(mutant, measurements, most)
    return "survived", (
        f"{most:.3g} of the term was needed where most was, and the mutant has as little as {left:.3g} "
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
    """Compute the least ratio of the mutated term to the term, at random points and at measurements.

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
    """Compute the least ratio of the mutated bound to the bound over the domain; 0 where unknown."""
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


def _lower_bound_ratio(mutant: Mutant, measurements: Measurements) -> tuple[Outcome, str]:
    """Of a lower bound: how near the original is to the measurement."""
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
