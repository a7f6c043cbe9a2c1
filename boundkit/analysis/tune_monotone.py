"""Bounds without a best step: those that only grow with it, and those that fall with it for ever."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from math import inf, isfinite

import numpy as np
from sympy import S

from boundkit.algebra import BoundkitError, Theorem
from boundkit.analysis.evaluate import evaluate, satisfied
from boundkit.analysis.minimisation import DECADES, Monotone
from boundkit.analysis.parameters import Parameters
from boundkit.analysis.predict import Prediction
from boundkit.analysis.step_size import largest, largest_product, limit_at
from boundkit.analysis.tune_result import Tuned
from boundkit.report.formatting import format_number, join_names

_NEAR = {0.0: 10.0**-DECADES, inf: 10.0**DECADES}
"""Steps as near to an end as the search comes."""


def describe(theorem: Theorem, names: Iterable[str], monotone: Monotone) -> str:
    """Why no step is best, as a clause.

    >>> from boundkit.theorems import theorem
    >>> describe(theorem("sgd_nonconvex"), ["eta"], "only grows")
    'the bound of sgd_nonconvex only grows with eta'
    """
    return f"the bound of {theorem.name} {monotone} with {join_names(list(names))}"


def refuse(theorem: Theorem, name: str, monotone: Monotone) -> BoundkitError:
    """The error where a best step is needed to go on, and there is none."""
    said = describe(theorem, [name], monotone)
    if monotone == "only grows":
        return BoundkitError(f"at these values {said}, so there is no best one: the smaller, the better.")
    return BoundkitError(f"{said}, and nothing limits it.")


def tune_monotone(
    theorem: Theorem, steps: Mapping[str, float], asked: Parameters, monotone: Monotone, method: str
) -> Tuned:
    """The infimum, which the bound comes near to as the steps go to 0, or beyond all limits.

    ``steps`` holds that end, 0 or inf, by name. Raises BoundkitError where the other values are outside the
    conditions near that end.
    """
    said = describe(theorem, steps, monotone)
    known = {name: float(value) for name, value in asked.values.items()}
    near = {**known, **{name: _NEAR.get(end, end) for name, end in steps.items()}}
    if not all(bool(satisfied(c, near)) for c in (*theorem.step_size, *theorem.requires)):
        names = join_names(list(steps))
        raise BoundkitError(
            f"the other values are outside the conditions of {theorem.name} for every {names}."
        )
    terms = _terms_at(theorem, {**known, **steps}, near)
    values = Parameters({**known, **steps}, (), asked.assumed)
    product = largest_product(theorem)
    limits = (
        limit_at(largest(theorem), near),
        None if product is None else limit_at(product, near),
    )
    arrays = {label: np.asarray(value) for label, value in terms.items()}
    prediction = Prediction(theorem, values, arrays, limits)
    infimum = float(prediction.total)
    ends = join_names([name for name, end in steps.items() if end in _NEAR])
    if monotone == "only grows":
        note = f"at these values {said}, so that no {ends} above 0 is best: the smaller, the better. "
        note += f"As {ends} goes to 0 it falls towards {format_number(infimum)}, its infimum."
    else:
        note = f"at these values {said}, and nothing limits it: the larger, the better. "
        note += f"It falls towards {format_number(infimum)}, its infimum."
    return Tuned(
        theorem, tuple(steps), dict(steps), prediction, False, method, note,
        infimum=infimum, monotone=monotone,
    )  # fmt: skip


def _terms_at(theorem: Theorem, end: Mapping[str, float], near: Mapping[str, float]) -> dict[str, float]:
    """The limits of the terms; where a value at the end is no number, that as near to it as possible."""
    zero = {q: S.Zero for q in theorem.quantities if end[q.name] == 0 == near[q.name]}
    found = {}
    for term in theorem.terms:
        expr = term.expr.xreplace(zero)  # so that 0/eta is 0
        value = float(evaluate(expr, end))
        found[term.label] = value if isfinite(value) else float(evaluate(expr, near))
    return found
