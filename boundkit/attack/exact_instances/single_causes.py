"""Exact measurements of isolated error sources, for slopes and whole bounds.

The instances are those of ``boundkit verify``. Each is evaluated once, on the values of its sweeps, on
further values, and at step sizes up to the largest one allowed; all mutants are tested on the same
measurements.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from sympy import Expr

from boundkit.algebra import BoundkitError, Term, Theorem
from boundkit.algebra.notation import eta
from boundkit.analysis.evaluate import evaluate
from boundkit.analysis.step_size import largest, limit_at
from boundkit.attack.measurement import Array, Measurement
from boundkit.verification.checks import Outcome
from boundkit.verification.checks.fixed_point import LIMIT_ROUNDS
from boundkit.verification.checks.single_error_source import (
    ISOLATED,
    ZERO_FLOOR,
    IsolatedPoint,
    Isolation,
    geometric_decay,
    keeps_client_state,
)
from boundkit.verification.checks.slopes import (
    UNBOUNDED,
    Sweep,
    check_exponent,
    fit,
    has_exact_sweeps,
    is_exponential,
    isolate,
)
from boundkit.verification.constants import arguments_at_horizon

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
"""eta_s eta of an isolated initial gap, of which a round removes a small part."""


Values = dict[str, float]


@dataclass(frozen=True)
class SingleCauseSweep:
    """One term along one quantity, its cause being the only error."""

    quantity: str
    at: Array
    measured: Array
    values: Mapping[str, Array]

    def compare(self, expr: Expr) -> tuple[Outcome, float, float]:
        """Test whether a term scales as the measurement; return the outcome and both slopes."""
        predicted = np.broadcast_to(evaluate(expr, self.values), self.at.shape).astype(np.float64)
        if not self.measured.min() > 0:
            return "not tested", np.nan, np.nan
        if not predicted.min() > 0:
            return "violated", np.nan, np.nan
        slope, term_slope, margin = Sweep(self.quantity, self.at, self.measured, predicted, predicted).slopes
        return check_exponent(slope - term_slope, margin, UNBOUNDED[self.quantity])[0], slope, term_slope


@dataclass(frozen=True)
class Decay:
    """Geometric decay of an initial gap: the measurements after each round, without other errors."""

    rounds: Array
    measured: Array
    values: Mapping[str, float]
    quantity: str = "T"

    def compare(self, expr: Expr) -> tuple[Outcome, float, float]:
        """Test whether the gap decays as fast as a term; return the outcome and both logarithmic slopes."""
        terms = np.broadcast_to(evaluate(expr, {**self.values, "T": self.rounds}), self.rounds.shape)
        if not (terms > 0).all():
            return "violated", np.nan, np.nan
        rate, predicted = (fit(self.rounds, np.log(series))[0] for series in (self.measured, terms))
        return ("holds" if rate <= predicted * (1 - 1e-9) else "violated"), rate, predicted


Scales = SingleCauseSweep | Decay


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
        if term.cause == "initial gap" and is_exponential(term):
            return [Decay(*geometric_decay(theorem))]
        isolation, values = isolate(theorem, term)
        return [_sweep(theorem, isolation, quantity, values[quantity]) for quantity in values]
    except (BoundkitError, KeyError):
        return []


def _sweep(theorem: Theorem, isolation: Isolation, quantity: str, values: Any) -> SingleCauseSweep:
    points = [isolation.instance(theorem, **{quantity: value}) for value in values]
    every = [isolation.values_of(point) for point in points]
    settings = {n: np.array([at[n] for at in every]) for n in points[0].values}
    measured = np.array([p.measured for p in points])
    return SingleCauseSweep(quantity, np.array(values, dtype=np.float64), measured, settings)


def measure_single_causes(theorem: Theorem) -> Iterator[Measurement]:
    """Yield measurements of every isolated error source, also of those that the theorem does not name.

    They alternate, so that any first few of them contain all causes.
    """
    if not has_isolated_causes(theorem) or not has_exact_sweeps(theorem):
        return
    remaining = [_measure_cause(theorem, cause) for cause in ISOLATED]
    while remaining:
        unfinished = []
        for measurements in remaining:
            result = next(measurements, None)
            if result is not None:
                yield result
                unfinished.append(measurements)
        remaining = unfinished


def _measure_cause(theorem: Theorem, cause: str) -> Iterator[Measurement]:
    """Yield one cause on its sweeps, at the largest step sizes allowed, and at further values."""
    isolation, names = ISOLATED[cause], {q.name for q in theorem.quantities}
    first = list(_measure(theorem, cause, {}))
    yield from first
    if not first:
        return
    varied = [n for n in isolation.quantities if n in names]
    observes_local_steps = theorem.claim.observable.startswith("virtual_")
    state = keeps_client_state(theorem)
    further = _NEARER if observes_local_steps or state else _FURTHER
    settings: list[Values] = []
    if {"C", "m"} <= set(varied) and not state:
        one_step = {"tau": 1.0} if "tau" in varied else {}  # no drift, whose term could cover all others
        settings += [{"m": m, "C": C, **one_step} for m, C in ((64, 63 / 64), (64, 1 / 64), (2, 0.5))]
    if isolation.early and "eta_s" in names:
        settings += [{"eta_s": v, "eta": _START / v} for v in _FURTHER["eta_s"]]
    settings += [{n: v} for n in varied for v in further.get(n, ())[-2:]]
    for setting in settings:
        yield from _measure(theorem, cause, setting)
    if not isolation.early and eta in theorem.quantities:
        taus = (2, 1, 16) if observes_local_steps else (2, 1, 256, 16)
        for tau in taus if "tau" in varied else (None,):
            yield from _measure_at_limit(theorem, cause, {} if tau is None else {"tau": float(tau)})
    for setting in ({n: v} for n in varied for v in further.get(n, ())[:-2]):
        yield from _measure(theorem, cause, setting)


def _measure(theorem: Theorem, cause: str, setting: Values) -> Iterator[Measurement]:
    try:
        yield _measurement(cause, setting, ISOLATED[cause].instance(theorem, **setting))
    except (BoundkitError, NotImplementedError, ValueError, ZeroDivisionError, np.linalg.LinAlgError):
        return


def _measure_at_limit(theorem: Theorem, cause: str, setting: Values) -> Iterator[Measurement]:
    for result in _measure(theorem, cause, setting):
        limit = float(limit_at(largest(theorem), {n: float(v[0]) for n, v in result.values.items()}))
        if np.isfinite(limit) and limit > 0:
            for share in _SHARES:
                yield from _measure(theorem, cause, {**setting, "eta": share * limit})


def _measurement(cause: str, setting: Values, point: IsolatedPoint) -> Measurement:
    early = ISOLATED[cause].early
    arguments = point.values if early else arguments_at_horizon(point.values, 1, LIMIT_ROUNDS)
    measured = np.array([point.measured])
    text = ", ".join(f"{n} = {v:g}" for n, v in setting.items())
    source = {"cause": cause, "letters": setting, "said": f"{cause} alone" + (f", at {text}" if text else "")}
    values = {n: np.array([float(v)]) for n, v in arguments.items()}
    return Measurement(values, measured, measured, ZERO_FLOOR, source)
