"""The answer of ``tune``."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from math import inf, isfinite
from typing import TYPE_CHECKING, Any

import numpy as np
from sympy import Expr, S

from boundkit.algebra import BoundkitError, Theorem
from boundkit.algebra.notation import ALPHABET
from boundkit.algebra.printing import Formula, plain
from boundkit.analysis.answers_over_axes import AnswersOverAxes, Column
from boundkit.analysis.evaluate import evaluate, satisfied
from boundkit.analysis.minimisation import DECADES, Monotone
from boundkit.analysis.parameters import Parameters
from boundkit.analysis.predict import Prediction
from boundkit.analysis.step_size import largest, largest_product, limit_at
from boundkit.report import Cell, Heading, Report, Reported, Sentences, Table, sentence
from boundkit.report.formatting import format_number, join_names, json_values

if TYPE_CHECKING:
    import xarray as xr


@dataclass(frozen=True, repr=False, eq=False)
class Tuned(Reported):
    """The best steps inside their conditions.

    ``values`` holds what was looked for, ``prediction`` the bound there. ``formula`` is the optimum
    without the condition, of ``formula_for``, valid where ``formula_holds_when`` holds. ``infimum`` is set
    where the bound has no minimiser, only a limit; ``note`` then describes it.
    ``monotone`` is set where it is a limit only as the steps go to 0, or beyond all limits: ``values`` then
    holds that end, 0 or inf, and ``prediction`` the limits of the terms there.
    """

    theorem: Theorem
    over: tuple[str, ...]
    values: dict[str, float]
    prediction: Prediction
    at_limit: bool
    method: str
    note: str
    formula: Expr | None = None
    formula_for: str = ""
    formula_holds_when: str = ""
    infimum: float | None = None
    counts: tuple[str, ...] = field(default=(), repr=False)
    monotone: Monotone | None = None

    @property
    def outcome(self) -> str:
        """One of: minimum, at the limit, near the infimum, infimum at 0, falls for ever."""
        if self.monotone is not None:
            return self.monotone
        if self.infimum is not None:
            return "near the infimum"
        return "at the limit" if self.at_limit else "minimum"

    @property
    def bound(self) -> float:
        """The bound at the best steps."""
        return float(self.prediction.total)

    @property
    def terms(self) -> dict[str, float]:
        """Its parts, by label."""
        return dict(self.prediction.terms)

    def _json_value(self, name: str) -> Any:
        value = self.values[name]
        return int(value) if name in self.counts and isfinite(value) else json_values(value)

    def to_dict(self) -> dict[str, Any]:
        """Everything, clean for JSON; formulas as plain text."""
        prediction = self.prediction.to_dict()
        return {
            "theorem": self.theorem.name,
            "over": list(self.over),
            "outcome": self.outcome,
            "values": {name: self._json_value(name) for name in self.values},
            "bound": json_values(self.bound),
            "terms": prediction["terms"],
            "dominant": prediction["dominant"],
            "at_limit": self.at_limit,
            "formula": None if self.formula is None else plain(self.formula),
            "formula_for": self.formula_for or None,
            "formula_holds_when": self.formula_holds_when or None,
            "method": self.method,
            "infimum": None if self.infimum is None else json_values(self.infimum),
            "note": self.note,
            "parameters": {n: v for n, v in prediction["parameters"].items() if n not in self.values},
            "assumed": prediction["assumed"],
            "up_to_constants": prediction["up_to_constants"],
        }

    def _rows(self) -> list[list[str]]:
        rows = [[name, self._shown(value)] for name, value in self.values.items()]
        rows += [
            ["bound", format_number(self.bound)],
            *([f"  {k}", format_number(v)] for k, v in self.terms.items()),
        ]
        return rows

    def _shown(self, value: float) -> str:
        ends = {} if self.monotone is None else {0.0: "towards 0", inf: "beyond all limits"}
        return ends.get(value) or format_number(value)

    def _title(self) -> str:
        best = "best" if self.monotone is None else "no best"
        return f"{self.theorem.name}: {best} {', '.join(self.over)} ({self.method})"

    def _footer(self) -> list[Cell]:
        lines: list[Cell] = []
        if self.formula is not None:
            formula = Formula(self.formula, self.formula_for)
            lines.append(sentence(formula, f", where {self.formula_holds_when}"))
        lines += [self.note] if self.note else []
        assumed = [
            f"{n} = {format_number(self.prediction.parameters.values[n])}" for n in self.prediction.assumed
        ]
        return lines + ([f"assumed: {', '.join(assumed)}"] if assumed else [])

    def report(self) -> Report:
        """The best steps, the bound there, and the formulas."""
        table = Table(["", "value"], self._rows())
        return Report((Heading(self._title()), table, Sentences(self._footer())))


@dataclass(frozen=True, repr=False, eq=False)
class TunedOverAxes(AnswersOverAxes[Tuned]):
    """The best steps at every point of a grid: ``values`` by step, ``bound``, ``terms`` and ``outcome``."""

    over: tuple[str, ...]

    @property
    def values(self) -> dict[str, xr.DataArray]:
        """The best steps, by keyword; 0 or inf where none is best."""
        columns = self.columns()
        return {name: self._collect(columns[name]) for name in self.over}

    @property
    def bound(self) -> xr.DataArray:
        """The bound at the best steps."""
        return self._collect(self.columns()["bound"])

    @property
    def outcome(self) -> xr.DataArray:
        """One of: minimum, at the limit, near the infimum, infimum at 0, falls for ever."""
        return self._collect(self.columns()["outcome"])

    def columns(self) -> dict[str, Column]:
        """The best steps, the bound there, and the outcome."""
        claim, steps = self.theorem.claim, [ALPHABET[name] for name in self.over]
        values = {
            q.name: Column(lambda tuned, name=q.name: tuned.values[name], q.meaning, q.dimension.units)  # type: ignore[misc]
            for q in steps
        }
        return {
            **values,
            "bound": Column(lambda tuned: tuned.bound, claim.name, claim.dimension.units),
            "outcome": Column(lambda tuned: tuned.outcome, "outcome of the search"),
        }

    def _title(self) -> str:
        return f"{self.theorem.name}: best {', '.join(self.over)} over {', '.join(self.axes)}"


if TYPE_CHECKING:
    TunedAnswer = Any  # lists among the arguments decide which, and a type checker does not see them
else:
    TunedAnswer = Tuned | TunedOverAxes


def vanishing_condition(labels: list[str]) -> str:
    """When a formula holds that leaves these terms out, as the end of a sentence."""
    inside = "the condition allows it"
    return f"{join_names(labels)} {'is' if len(labels) == 1 else 'are'} 0 and {inside}" if labels else inside


_NEAR = {0.0: 10.0**-DECADES, inf: 10.0**DECADES}
"""Steps at an end of the search interval."""


def describe_monotone(theorem: Theorem, names: Iterable[str], monotone: Monotone) -> str:
    """Why no step is best, as a clause.

    >>> from boundkit.theorems import theorem
    >>> describe_monotone(theorem("sgd_nonconvex"), ["eta"], "infimum at 0")
    'the bound of sgd_nonconvex has its infimum as eta goes to 0'
    """
    steps = list(names)
    if monotone == "infimum at 0":
        go = "goes" if len(steps) == 1 else "go"
        return f"the bound of {theorem.name} has its infimum as {join_names(steps)} {go} to 0"
    return f"the bound of {theorem.name} falls for ever with {join_names(steps)}"


def no_minimum_error(theorem: Theorem, name: str, monotone: Monotone) -> BoundkitError:
    """The error where a best step is needed and does not exist."""
    clause = describe_monotone(theorem, [name], monotone)
    if monotone == "infimum at 0":
        return BoundkitError(f"at these values {clause}, so there is no best one.")
    return BoundkitError(f"{clause}, and nothing limits it.")


def tune_monotone(
    theorem: Theorem, steps: Mapping[str, float], query: Parameters, monotone: Monotone, method: str
) -> Tuned:
    """The infimum, the limit of the bound as the steps go to 0, or beyond all limits.

    ``steps`` holds that end, 0 or inf, by name. Raises BoundkitError where the other values are outside the
    conditions near that end.
    """
    clause = describe_monotone(theorem, steps, monotone)
    fixed = {name: float(value) for name, value in query.values.items()}
    near_end = {**fixed, **{name: _NEAR.get(end, end) for name, end in steps.items()}}
    if not all(bool(satisfied(c, near_end)) for c in (*theorem.step_size, *theorem.requires)):
        names = join_names(list(steps))
        raise BoundkitError(
            f"the other values are outside the conditions of {theorem.name} for every {names}."
        )
    terms = _terms_at(theorem, {**fixed, **steps}, near_end)
    values = Parameters({**fixed, **steps}, (), query.assumed)
    product = largest_product(theorem)
    limits = (
        limit_at(largest(theorem), near_end),
        None if product is None else limit_at(product, near_end),
    )
    arrays = {label: np.asarray(value) for label, value in terms.items()}
    prediction = Prediction(theorem, values, arrays, limits)
    infimum = float(prediction.total)
    ends = join_names([name for name, end in steps.items() if end in _NEAR])
    if monotone == "infimum at 0":
        note = f"at these values {clause}, so that no {ends} above 0 is best. The infimum is "
        note += f"{format_number(infimum)}."
    else:
        note = f"at these values {clause}, and nothing limits it: the larger, the better. "
        note += f"It falls towards {format_number(infimum)}, its infimum."
    return Tuned(
        theorem, tuple(steps), dict(steps), prediction, False, method, note,
        infimum=infimum, monotone=monotone,
    )  # fmt: skip


def _terms_at(theorem: Theorem, end: Mapping[str, float], near_end: Mapping[str, float]) -> dict[str, float]:
    """The limits of the terms; where a value at the end is no number, that as near to it as possible."""
    zero = {q: S.Zero for q in theorem.quantities if end[q.name] == 0 == near_end[q.name]}
    values_of_terms = {}
    for term in theorem.terms:
        expr = term.expr.xreplace(zero)  # so that 0/eta is 0
        value = float(evaluate(expr, end))
        values_of_terms[term.label] = value if isfinite(value) else float(evaluate(expr, near_end))
    return values_of_terms
