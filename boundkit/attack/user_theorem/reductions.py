"""What a theorem becomes: the reductions that it states, and those that hold without its saying so."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from sympy import Expr, Integer, Rational, sympify

from boundkit.algebra import Quantity, Reduction, Theorem
from boundkit.algebra.notation import C, availability, eta_s, kappa, sigma, sigma_g, sigma_star, tau
from boundkit.algebra.printing import plain
from boundkit.analysis.client_values import alike
from boundkit.analysis.evaluate import Array, evaluate
from boundkit.analysis.reductions import as_code, condition, reduction_graph

SPECIAL: Mapping[Quantity, int] = {
    tau: 1, C: 1, eta_s: 1, availability: 1, sigma: 0, sigma_g: 0, kappa: 0, sigma_star: 0,
}  # fmt: skip
"""The values at which theorems become simpler ones."""
AT_ONCE, POINTS, MOST = 3, 3, 4
_TOLERANCE = 1e-9

When = dict[Quantity, Expr | int]


@dataclass(frozen=True)
class Becoming:
    """``when`` it is ``to``, with what ``factors`` by term. ``objection``: why a stated one is not so.

    ``holds`` is False where the theorem says of something that looks right that it is not so. ``code`` is the
    reduction as a theorem's file writes it.
    """

    to: str
    when: str
    factors: Mapping[str, str]
    leaves: tuple[str, ...]
    stated: bool
    code: str
    holds: bool = True
    objection: str = ""

    def to_text(self) -> str:
        """As one sentence."""
        at = f"at {self.when}" if self.when else "everywhere"
        if not self.holds:
            return f"{at} it is not {self.to}, as stated" + (
                f": but {self.objection}" if self.objection else ""
            )
        times = ", ".join(f"{factor} times the {label}" for label, factor in self.factors.items())
        left = f", with the {' and the '.join(self.leaves)} left over" if self.leaves else ""
        said = f"{at} it is {self.to}{' with ' + times if times else ''}{left}"
        return f"{said}: NOT SO, {self.objection}" if self.objection else said


def stated(theorem: Theorem, known: Mapping[str, Theorem]) -> list[Becoming]:
    """The reductions that the theorem states, checked by sympy."""
    theirs = {r.to: known[r.to] for r in theorem.reductions if r.to in known}
    about = [r for r in theorem.reductions if r.to in theirs]
    strange = [
        _as_told(r, True, f"there is no theorem {r.to}") for r in theorem.reductions if r.to not in theirs
    ]
    if not about:
        return strange
    from dataclasses import replace

    bare = {name: replace(t, reductions=()) for name, t in theirs.items()}
    graph = reduction_graph({**bare, theorem.name: replace(theorem, reductions=tuple(about))})
    return [
        _as_told(e.reduction, True, e.objection) for e in graph.edges if e.origin == theorem.name
    ] + strange


def suggested(theorem: Theorem, known: Mapping[str, Theorem]) -> list[Becoming]:
    """Theorems of the same claim that it becomes, up to constants, where it does not say so itself.

    ``known`` is looked through by number first; sympy finds the constants of what is left. The least
    conditions of each are given, at most four in all, and none that a stated reduction implies.
    """
    ours = alike(theorem)
    said = [_key(r.when) for r in theorem.reductions if r.holds]
    candidates: list[tuple[int, int, str, When, dict[str, float]]] = []
    for name, other in known.items():
        if name == theorem.name or other.claim != theorem.claim or other.kind in ("order", "lower"):
            continue
        theirs = alike(other)
        least: list[frozenset[Quantity]] = []
        for when in _conditions(ours):
            if any(smaller <= set(when) for smaller in least) or any(s <= _key(when) for s in said):
                continue
            constants = _by_number(ours, theirs, when)
            if constants is not None:
                least.append(frozenset(when))
                unlike = sum(number != 1 for number in constants.values())
                candidates.append((len(when), unlike, name, when, constants))
    found: list[Becoming] = []
    for *_, name, when, constants in sorted(candidates, key=lambda one: one[:3]):
        if len(found) == MOST:
            break
        reduction = _exactly(ours, alike(known[name]), when, constants)
        if reduction is not None:
            found.append(_as_told(reduction, False))
    return found


def vanishing(theorem: Theorem) -> dict[str, tuple[str, ...]]:
    """Which terms vanish where one letter takes a special value, by the condition."""
    return {condition(limit.when): limit.removes for limit in alike(theorem).computed_limits}


def _conditions(theorem: Theorem) -> Iterator[When]:
    """Nothing, then every few special values of letters that the bound has."""
    letters = [q for q in SPECIAL if any(q in t.expr.free_symbols for t in theorem.terms)]
    for count in range(AT_ONCE + 1):
        for chosen in combinations(letters, count):
            yield {q: SPECIAL[q] for q in chosen}


def _by_number(ours: Theorem, theirs: Theorem, when: When) -> dict[str, float] | None:
    """By which numbers our terms differ from theirs at random points; None where something is left over."""
    values = _points(ours, theirs) | {q.name: np.full(POINTS, float(v)) for q, v in when.items()}
    constants = {}
    for label in {**ours.bound.terms, **theirs.bound.terms}:
        mine, other = (_values(t, label, values) for t in (ours, theirs))
        if not mine.any() and not other.any():
            continue
        with np.errstate(all="ignore"):
            ratio = mine / other
        if not np.isfinite(ratio).all() or ratio[0] == 0 or np.ptp(ratio) > _TOLERANCE * abs(ratio[0]):
            return None
        constants[label] = round(float(ratio[0]), 9)
    return constants


def _points(*theorems: Theorem) -> dict[str, Array]:
    rng = np.random.default_rng(0)
    letters = {q.name: q for t in theorems for q in t.quantities}
    found = {}
    for name, quantity in sorted(letters.items()):
        low, high = quantity.domain.lower, quantity.domain.upper
        if np.isfinite(high):
            found[name] = low + (high - low) * rng.uniform(0.1, 0.9, POINTS)
        else:
            found[name] = low + np.exp(rng.normal(0.5, 0.5, POINTS))
    return found


def _values(theorem: Theorem, label: str, values: Mapping[str, Array]) -> Array:
    if label not in theorem.bound.terms:
        return np.zeros(POINTS)
    found = evaluate(theorem.bound.terms[label].expr, values)
    return np.where(np.abs(np.broadcast_to(found, POINTS)) < 1e-14, 0.0, found)


def _exactly(ours: Theorem, theirs: Theorem, when: When, constants: Mapping[str, float]) -> Reduction | None:
    """The reduction with the constants as fractions, where sympy finds nothing left over."""
    exact = {label: Rational(number).limit_denominator(10**5) for label, number in constants.items()}
    found = Reduction(theirs.name, when, {label: factor for label, factor in exact.items() if factor != 1})
    return None if found.check(ours.bound.terms, theirs.bound.terms) else found


def _key(when: Mapping[Quantity, Expr | int]) -> frozenset[tuple[str, Expr]]:
    return frozenset((q.name, sympify(v)) for q, v in when.items())


def _as_told(reduction: Reduction, said: bool, objection: str = "") -> Becoming:
    when = condition(reduction.when) if reduction.when else ""
    factors = {n: plain(sympify(f)) for n, f in reduction.factors.items() if sympify(f) != Integer(1)}
    code = as_code(reduction)
    return Becoming(reduction.to, when, factors, reduction.leaves, said, code, reduction.holds, objection)
