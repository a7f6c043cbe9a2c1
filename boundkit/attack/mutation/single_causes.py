"""Exact measurements of isolated error sources, for slopes and whole bounds.

The instances are those of ``boundkit verify``. Each is evaluated once, on the values of its sweeps, on
further
values, and at step sizes up to the largest one allowed; all mutants are tested on the same measurements.
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
from boundkit.attack.mutation.measurements import Array, Measurement
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
"""Values of quantities beyond those of the sweeps."""
_NEARER = {**_FURTHER, "tau": (2, 4, 1), "C": (0.125,)}
"""The same where each instance is expensive."""
_SHARES = (1.0, 0.5, 0.1, 0.01)
"""Step sizes as fractions of the largest one allowed."""
_START = 5e-4
"""eta_s eta of an initial gap alone, of which a round then removes a small part."""


@dataclass(frozen=True)
class TermSweep:
    """One term along one quantity, its cause being the only error."""

    letter: str
    at: Array
    measured: Array
    values: Mapping[str, Array]

    def against(self, expr: Expr) -> tuple[Outcome, float, float]:
        """Test whether a term scales as the measurement; return the outcome and both slopes."""
        predicted = np.broadcast_to(evaluate(expr, self.values), self.at.shape).astype(np.float64)
        if not self.measured.min() > 0:
            return "not tested", np.nan, np.nan
        if not predicted.min() > 0:
            return "violated", np.nan, np.nan
        slope, shown, margin = Sweep(self.letter, self.at, self.measured, predicted, predicted).slopes
        return judge_exponent(slope - shown, margin, FAR[self.letter])[0], slope, shown


@dataclass(frozen=True)
class Decay:
    """Geometric decay of an initial gap: the measurements after each round, without other errors."""

    rounds: Array
    measured: Array
    values: Mapping[str, float]
    letter: str = "T"

    def against(self, expr: Expr) -> tuple[Outcome, float, float]:
        """Test whether the gap decays as fast as a term; return the outcome and both logarithmic slopes."""
        shown = np.broadcast_to(evaluate(expr, {**self.values, "T": self.rounds}), self.rounds.shape)
        if not (shown > 0).all():
            return "violated", np.nan, np.nan
        rate, promised = (fit(self.rounds, np.log(series))[0] for series in (self.measured, shown))
        return ("holds" if rate <= promised * (1 - 1e-9) else "violated"), rate, promised


Scales = TermSweep | Decay


def has_isolated_causes(theorem: Theorem) -> bool:
    """Check whether isolated error sources, in the limit of many rounds, apply to the theorem."""
    if theorem.kind not in ("upper", "lower") or theorem.rules or theorem.assumes("decaying-step"):
        return False
    return theorem.claim.summary != "limit" or eta in theorem.quantities


def sweep_term(theorem: Theorem, term: Term) -> list[Scales]:
    """Return the sweeps of one term, or its decay; none where nothing isolates its cause."""
    if not has_isolated_causes(theorem) or not has_exact_sweeps(theorem) or theorem.kind != "upper":
        return []
    try:
        if term.cause == "initial gap" and any(ROUNDS in p.exp.free_symbols for p in term.expr.atoms(Pow)):
            return [Decay(*single_error_source.decay(theorem))]
        instance, letters = isolating_instance(theorem, term)
        return [_along(theorem, instance, letter, values) for letter, values in letters.items()]
    except (BoundkitError, KeyError):
        return []


def _along(theorem: Theorem, instance: Callable[..., Any], letter: str, values: Any) -> TermSweep:
    points = [instance(theorem, **{letter: value}) for value in values]
    late = {} if instance in _EARLY else {"T": FOREVER}
    settings = {n: np.array([(p.values | late)[n] for p in points]) for n in points[0].values}
    return TermSweep(
        letter, np.array(values, dtype=np.float64), np.array([p.measured for p in points]), settings
    )


def measure_single_causes(theorem: Theorem) -> Iterator[Measurement]:
    """Yield measurements of every isolated error source, also of those that the theorem does not name.

    They alternate, so that any first few of them contain all causes.
    """
    if not has_isolated_causes(theorem) or not has_exact_sweeps(theorem):
        return
    settings = [_of_cause(theorem, cause, *ISOLATED[cause]) for cause in ISOLATED]
    while settings:
        left = []
        for one in settings:
            result = next(one, None)
            if result is not None:
                yield result
                left.append(one)
        settings = left


def _of_cause(
    theorem: Theorem, cause: str, instance: Callable[..., Any], letters: tuple[str, ...]
) -> Iterator[Measurement]:
    """Yield one cause on its sweeps, at the largest step sizes allowed, and at further values."""
    names = {q.name for q in theorem.quantities}
    early = instance in _EARLY
    first = list(_asked(theorem, cause, instance, {}))
    yield from first
    if not first:
        return
    moved = [n for n in letters if n in names]
    inside = theorem.claim.observable.startswith("virtual_")  # every local step is looked at
    further = _NEARER if inside or single_error_source.keeps_client_state(theorem) else _FURTHER
    wanted: list[dict[str, float]] = []
    if {"C", "m"} <= set(moved) and not single_error_source.keeps_client_state(theorem):
        still = {"tau": 1.0} if "tau" in moved else {}  # without a drift that would pay for it all
        wanted += [{"m": m, "C": C, **still} for m, C in ((64, 63 / 64), (64, 1 / 64), (2, 0.5))]
    if early and "eta_s" in names:
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
) -> Iterator[Measurement]:
    try:
        yield _held(cause, instance, given, instance(theorem, **given))
    except (BoundkitError, NotImplementedError, ValueError, ZeroDivisionError, np.linalg.LinAlgError):
        return


def _at_the_limit(
    theorem: Theorem, cause: str, instance: Callable[..., Any], given: dict[str, float]
) -> Iterator[Measurement]:
    for result in _asked(theorem, cause, instance, given):
        top = float(limit_at(largest(theorem), {n: float(v[0]) for n, v in result.values.items()}))
        if np.isfinite(top) and top > 0:
            for share in _SHARES:
                yield from _asked(theorem, cause, instance, {**given, "eta": share * top})


def _held(cause: str, instance: Callable[..., Any], given: dict[str, float], point: Any) -> Measurement:
    values = point.values if instance in _EARLY else arguments_at_horizon(point.values, 1, FOREVER)
    measured = np.array([point.measured])
    text = ", ".join(f"{n} = {v:g}" for n, v in given.items())
    source = {"cause": cause, "letters": given, "said": f"{cause} alone" + (f", at {text}" if text else "")}
    settings = {n: np.array([float(v)]) for n, v in values.items()}
    return Measurement(settings, measured, measured, single_error_source.ROUNDED, source)
