"""Single causes, exactly: what is measured where one cause is the only error, for slopes and whole bounds.

The instances are those of ``boundkit verify``. Each is asked once, at the letters of its sweeps, at letters
further out, and at steps up to the largest that is allowed; every mutant is held against the same numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from sympy import Expr, Pow

from boundkit.algebra import BoundkitError, Term, Theorem
from boundkit.algebra.notation import T as ROUNDS
from boundkit.algebra.notation import eta
from boundkit.analysis.evaluate import evaluate
from boundkit.analysis.step_size import largest, limit_at
from boundkit.attack.mutation.measurements import Array, Held
from boundkit.verification.checks import single_error_source
from boundkit.verification.checks.check import Outcome
from boundkit.verification.checks.exponent_interval import judge_exponent
from boundkit.verification.checks.fixed_point import FOREVER
from boundkit.verification.checks.slopes import (
    FAR,
    ISOLATED,
    Sweep,
    fit,
    has_exact_sweeps,
    isolating_instance,
)
from boundkit.verification.constants import arguments_at_horizon

_EARLY = (single_error_source.only_start, single_error_source.only_first_errors)
_FURTHER: dict[str, tuple[float, ...]] = {
    "tau": (2, 4, 1, 1024, 10_000),
    "m": (2, 128),
    "C": (0.125, 0.5),
    "eta_s": (0.01, 0.1, 10, 100),
}
"""Letters beyond those of the sweeps."""
_NEARER = {**_FURTHER, "tau": (2, 4, 1), "C": (0.125,)}
"""The same where each instance takes long."""
_SHARES = (1.0, 0.5, 0.1, 0.01)
"""Steps as shares of the largest that is allowed."""
_START = 5e-4
"""eta_s eta of a start alone, which is then a small part of the way a round."""


@dataclass(frozen=True)
class Alone:
    """One term along one letter, its cause being the only error."""

    letter: str
    at: Array
    measured: Array
    values: Mapping[str, Array]

    def against(self, expr: Expr) -> tuple[Outcome, float, float]:
        """Whether a term scales as what is measured: the outcome, the measured slope and the term's."""
        predicted = np.broadcast_to(evaluate(expr, self.values), self.at.shape).astype(np.float64)
        if not self.measured.min() > 0:
            return "not tested", np.nan, np.nan
        if not predicted.min() > 0:
            return "violated", np.nan, np.nan
        slope, shown, margin = Sweep(self.letter, self.at, self.measured, predicted, predicted).slopes
        return judge_exponent(slope - shown, margin, FAR[self.letter])[0], slope, shown


@dataclass(frozen=True)
class Decay:
    """A start that is forgotten geometrically: what is measured after each round, its cause being alone."""

    rounds: Array
    measured: Array
    values: Mapping[str, float]
    letter: str = "T"

    def against(self, expr: Expr) -> tuple[Outcome, float, float]:
        """Whether it is forgotten as fast as a term says: the outcome, and both logarithms' slopes."""
        shown = np.broadcast_to(evaluate(expr, {**self.values, "T": self.rounds}), self.rounds.shape)
        if not (shown > 0).all():
            return "violated", np.nan, np.nan
        rate, promised = (fit(self.rounds, np.log(series))[0] for series in (self.measured, shown))
        return ("holds" if rate <= promised * (1 - 1e-9) else "violated"), rate, promised


Scales = Alone | Decay


def isolates(theorem: Theorem) -> bool:
    """Whether instances of single causes, in the limit of many rounds, speak of the theorem."""
    if theorem.kind not in ("upper", "lower") or theorem.rules or theorem.assumes("decaying-step"):
        return False
    return theorem.claim.summary != "limit" or eta in theorem.quantities


def alone(theorem: Theorem, term: Term) -> list[Scales]:
    """The sweeps of one term, or its decay: none where nothing isolates its cause."""
    if not isolates(theorem) or not has_exact_sweeps(theorem) or theorem.kind != "upper":
        return []
    try:
        if term.cause == "initial gap" and any(ROUNDS in p.exp.free_symbols for p in term.expr.atoms(Pow)):
            return [Decay(*single_error_source.decay(theorem))]
        instance, letters = isolating_instance(theorem, term)
        return [_along(theorem, instance, letter, values) for letter, values in letters.items()]
    except (BoundkitError, KeyError):
        return []


def _along(theorem: Theorem, instance: Callable[..., Any], letter: str, values: Any) -> Alone:
    points = [instance(theorem, **{letter: value}) for value in values]
    late = {} if instance in _EARLY else {"T": FOREVER}
    asked = {n: np.array([(p.values | late)[n] for p in points]) for n in points[0].values}
    return Alone(letter, np.array(values, dtype=np.float64), np.array([p.measured for p in points]), asked)


def single_causes(theorem: Theorem) -> Iterator[Held]:
    """Every cause alone, held against the whole bound, also causes that the theorem does not name.

    They come in turns, so that whoever takes only some has all causes among them.
    """
    if not isolates(theorem) or not has_exact_sweeps(theorem):
        return
    asked = [_of_cause(theorem, cause, *ISOLATED[cause]) for cause in ISOLATED]
    while asked:
        left = []
        for one in asked:
            found = next(one, None)
            if found is not None:
                yield found
                left.append(one)
        asked = left


def _of_cause(
    theorem: Theorem, cause: str, instance: Callable[..., Any], letters: tuple[str, ...]
) -> Iterator[Held]:
    """One cause: as it is in sweeps, at the largest steps that are allowed, and at letters further out."""
    known = {q.name for q in theorem.quantities}
    early = instance in _EARLY
    first = list(_asked(theorem, cause, instance, {}))
    yield from first
    if not first:
        return
    moved = [n for n in letters if n in known]
    inside = theorem.claim.observable.startswith("virtual_")  # every local step is looked at
    further = _NEARER if inside or single_error_source.keeps_client_state(theorem) else _FURTHER
    wanted: list[dict[str, float]] = []
    if {"C", "m"} <= set(moved) and not single_error_source.keeps_client_state(theorem):
        still = {"tau": 1.0} if "tau" in moved else {}  # without a drift that would pay for it all
        wanted += [{"m": m, "C": C, **still} for m, C in ((64, 63 / 64), (64, 1 / 64), (2, 0.5))]
    if early and "eta_s" in known:
        wanted += [{"eta_s": v, "eta": _START / v} for v in _FURTHER["eta_s"]]
    wanted += [{n: v} for n in moved for v in further.get(n, ())[-2:]]
    for given in wanted:
        yield from _asked(theorem, cause, instance, given)
    if not early and eta in theorem.quantities:
        taus = (2, 1, 16) if inside else (2, 1, 256, 16)
        for tau in taus if "tau" in moved else (None,):
            yield from _at_the_limit(theorem, cause, instance, {} if tau is None else {"tau": float(tau)})
    for given in ({n: v} for n in moved for v in further.get(n, ())[:-2]):
        yield from _asked(theorem, cause, instance, given)


def _asked(
    theorem: Theorem, cause: str, instance: Callable[..., Any], given: dict[str, float]
) -> Iterator[Held]:
    try:
        yield _held(cause, instance, given, instance(theorem, **given))
    except (BoundkitError, NotImplementedError, ValueError, ZeroDivisionError, np.linalg.LinAlgError):
        return


def _at_the_limit(
    theorem: Theorem, cause: str, instance: Callable[..., Any], given: dict[str, float]
) -> Iterator[Held]:
    for found in _asked(theorem, cause, instance, given):
        top = float(limit_at(largest(theorem), {n: float(v[0]) for n, v in found.values.items()}))
        if np.isfinite(top) and top > 0:
            for share in _SHARES:
                yield from _asked(theorem, cause, instance, {**given, "eta": share * top})


def _held(cause: str, instance: Callable[..., Any], given: dict[str, float], point: Any) -> Held:
    values = point.values if instance in _EARLY else arguments_at_horizon(point.values, 1, FOREVER)
    measured = np.array([point.measured])
    said = ", ".join(f"{n} = {v:g}" for n, v in given.items())
    source = {"cause": cause, "letters": given, "said": f"{cause} alone" + (f", at {said}" if said else "")}
    asked = {n: np.array([float(v)]) for n, v in values.items()}
    return Held(asked, measured, measured, single_error_source.ROUNDED, source)
