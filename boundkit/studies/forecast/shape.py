"""The shape of a bound in the settings of a run: its progress a round, and its terms with unit constants."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from sympy import Expr, Pow

from boundkit.algebra import BoundkitError, Theorem
from boundkit.algebra.notation import ALPHABET, m
from boundkit.simulation.arrays import Array
from boundkit.simulation.training_log import SETTINGS

NEUTRAL = {"m": 2.0, "C": 1.0, "tau": 1.0, "eta": 1.0, "eta_s": 1.0}
"""Values of settings that no log has; they change no forecast, since then nothing varies with them."""
Settings = tuple[tuple[str, float], ...]


@dataclass(frozen=True, eq=False)
class BoundShape:
    """``progress``: its multiple with T is what the initial gap falls in, as 1/(progress T), or
    exponentially. ``terms``: the other terms by label, without their constants. ``left_out``: terms that fall
    with T beside the initial gap, which are not fitted.
    """

    theorem: Theorem
    progress: Expr
    exponential: bool
    terms: dict[str, Expr]
    left_out: tuple[str, ...]
    _known: dict[Settings, tuple[float, Array]] = field(default_factory=dict)

    def progress_at(self, settings: Mapping[str, float]) -> float:
        """Progress of one round."""
        return self._at(settings)[0]

    def terms_at(self, settings: Mapping[str, float]) -> Array:
        """The terms without their constants."""
        return self._at(settings)[1]

    def of_causes(self, causes: Collection[str]) -> list[int]:
        """Places of the terms of these causes."""
        cause = {term.label: term.cause for term in self.theorem.terms}
        return [k for k, label in enumerate(self.terms) if cause[label] in causes]

    def _at(self, settings: Mapping[str, float]) -> tuple[float, Array]:
        key = tuple(settings.items())
        if key not in self._known:
            terms = np.array([_value(term, settings) for term in self.terms.values()])
            self._known[key] = _value(self.progress, settings), terms
        return self._known[key]


def shape_of(theorem: Theorem) -> BoundShape:
    """The shape of a theorem.

    Raises BoundkitError where it has no initial gap that falls with T, or letters that a log does not have
    and that change with its settings.
    """
    progress, exponential, terms, left_out = None, False, {}, []
    for term in theorem.terms:
        of_log, rounds = _of_log(term.expr, theorem, term.label), _symbol(term.expr, "T")
        if rounds is None:
            terms[term.label] = of_log
        elif progress is None and term.cause == "initial gap":
            progress, exponential = _progress(term.expr, rounds, theorem)
        else:
            left_out.append(term.label)
    if progress is None:
        raise BoundkitError(
            f"{theorem.name} has no initial gap that falls with T, so it has no shape to forecast with; name "
            "one such as fedavg_nonconvex_partial or fedavg_pl."
        )
    return BoundShape(theorem, progress, exponential, terms, tuple(left_out))


def _symbol(expr: Expr, name: str) -> Any:
    return next((s for s in expr.free_symbols if s.name == name), None)


def _of_log(expr: Expr, theorem: Theorem, label: str) -> Expr:
    """The factor of a term that depends on settings of a log."""
    settings = [s for s in expr.free_symbols if s.name in (*SETTINGS, "T")]
    factor = expr.as_independent(*settings, as_Add=False)[1]
    constants = sorted(s.name for s in expr.free_symbols if s.name not in (*SETTINGS, "T"))
    inside = sorted({s.name for s in factor.free_symbols} & set(constants))
    if _symbol(expr, "T") is None and inside:
        raise BoundkitError(
            f"the term {label} of {theorem.name} is no constant times a function of {', '.join(SETTINGS)}, "
            f"because of {inside[0]}; name another theorem."
        )
    for name in constants:
        if name in ALPHABET and ALPHABET[name].dimension == m.dimension and name not in _CONSTANT:
            raise BoundkitError(
                f"{name} of {theorem.name} depends on participation or steps in a way that a log does not "
                "say; name a theorem in m, C, tau, eta and eta_s."
            )
    return factor


_CONSTANT = ("beta",)
"""Constants of a problem that have no unit."""


def _progress(expr: Expr, rounds: Any, theorem: Theorem) -> tuple[Expr, bool]:
    for power in expr.atoms(Pow):
        if power.exp == rounds:
            falls = (1 - power.base).expand()
            settings = [s for s in falls.free_symbols if s.name in SETTINGS]
            return falls.as_independent(*settings, as_Add=False)[1], True
    settings = [s for s in expr.free_symbols if s.name in (*SETTINGS, "T")]
    of_log = (1 / expr.as_independent(*settings, as_Add=False)[1] / rounds).simplify()
    if rounds in of_log.free_symbols or any(s.name not in SETTINGS for s in of_log.free_symbols):
        raise BoundkitError(
            f"the initial gap of {theorem.name} falls neither as 1/T nor exponentially; name another theorem."
        )
    return of_log, False


def _value(expr: Expr, settings: Mapping[str, float]) -> float:
    values = {**NEUTRAL, **settings}
    number = expr.subs({s: values[s.name] for s in expr.free_symbols})
    return float(number) if number.is_finite else 0.0
