"""Numerical values of a bound, term by term."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from sympy import Expr

from boundkit.algebra import BoundkitError, Quantity, Theorem
from boundkit.algebra.extras import is_installed, require
from boundkit.algebra.notation import ALPHABET, eta
from boundkit.algebra.printing import SIGNS, Formula, plain
from boundkit.analysis.evaluate import Array, evaluate, index_of_largest
from boundkit.analysis.memory import WRITTEN, refuse_larger
from boundkit.analysis.parameters import Parameters, read_query
from boundkit.analysis.step_size import conditions_hold, largest, largest_product, limit_at
from boundkit.report import Cell, Heading, Report, Reported, Sentences, Table, Tex, join_cells, sentence
from boundkit.report.formatting import format_number, json_values

if TYPE_CHECKING:
    import pandas as pd
    import xarray as xr


@dataclass(frozen=True, repr=False, eq=False)
class Prediction(Reported):
    """A bound in numbers.

    Without axes ``total``, ``largest`` are floats, ``terms`` a dict by label, ``dominant`` a label and
    ``holds`` a bool. With axes they are xarray objects over the named axes, built on access, with units and
    long names. ``largest`` is the largest eta, all else fixed, and inf where nothing limits it;
    ``largest_product`` the largest eta_s eta, None where no condition is about it. ``steps`` holds the
    values of the steps that follow a rule.
    """

    theorem: Theorem
    parameters: Parameters
    arrays: dict[str, Array] = field(repr=False)
    limits: tuple[Array, Array | None] = field(repr=False)
    step_values: dict[str, Array] = field(default_factory=dict, repr=False)

    @property
    def axes(self) -> tuple[str, ...]:
        """The names of the parameters that were lists, in the order given."""
        return self.parameters.axes

    @property
    def assumed(self) -> tuple[str, ...]:
        """The names of the parameters that took their typical value."""
        return self.parameters.assumed

    @property
    def up_to_constants(self) -> bool:
        """Whether the source leaves a constant open, so that only the scaling means anything."""
        return self.theorem.order_level

    @property
    def total(self) -> Any:
        """The bound itself."""
        return self._over_axes(self._total, self.theorem.claim.name, self.theorem.claim.dimension.units)

    @property
    def steps(self) -> dict[str, Any]:
        """The values of the steps that follow a rule, by keyword."""
        return {name: self._of_quantity(ALPHABET[name], a) for name, a in self.step_values.items()}

    @property
    def terms(self) -> Any:
        """The parts of the bound, by label: a dict, or an xarray Dataset (where xarray is installed)."""
        if not self.axes or not is_installed("xarray"):
            return {label: a if self.axes else float(a) for label, a in self.arrays.items()}
        import xarray as xr

        unit = self.theorem.claim.dimension.units
        return xr.Dataset({label: self._over_axes(a, label, unit) for label, a in self.arrays.items()})

    @property
    def dominant(self) -> Any:
        """The label of the largest term."""
        return self._over_axes(np.array(list(self.arrays))[self._dominant], "largest term")

    @property
    def derived(self) -> Any:
        """Quantities derived from the clients, such as FedNova's A, by keyword."""
        grid = self.parameters.grid()
        evaluated = {
            q: np.broadcast_to(evaluate(e, grid), self.parameters.shape)
            for q, e in self.theorem.definitions.items()
            if {s.name for s in e.free_symbols} <= set(grid)
        }
        return {q.name: self._of_quantity(q, values) for q, values in evaluated.items()}

    @property
    def holds(self) -> Any:
        """Whether the steps are inside the conditions of the theorem."""
        return self._over_axes(self._holds, "whether the conditions on the steps hold")

    @property
    def points(self) -> int:
        """How many points the grid has; 1 without axes."""
        return int(self._total.size)

    @property
    def outside(self) -> int:
        """At how many points the steps are outside the conditions."""
        return int(self._holds.size - self._holds.sum())

    @property
    def largest(self) -> Any:
        """The largest eta that the conditions allow, all else fixed."""
        return self._over_axes(self.limits[0], "largest eta", eta.dimension.units)

    @property
    def largest_product(self) -> Any:
        """The largest eta_s eta that the conditions allow."""
        if self.limits[1] is None:
            return None
        return self._over_axes(self.limits[1], "largest eta_s*eta", eta.dimension.units)

    @cached_property
    def _total(self) -> Array:
        return np.asarray(sum(self.arrays.values()))

    @cached_property
    def _dominant(self) -> NDArray[np.intp]:
        """The place of the largest term; the first of equals."""
        return index_of_largest(self.arrays.values())

    @cached_property
    def _holds(self) -> NDArray[np.bool_]:
        return np.broadcast_to(conditions_hold(self.theorem, self.parameters.grid()), self.parameters.shape)

    def _of_quantity(self, quantity: Quantity, values: Array) -> Any:
        return self._over_axes(values, quantity.meaning, quantity.dimension.units)

    def _over_axes(self, values: NDArray[Any], long_name: str, unit: str = "") -> Any:
        if not self.axes:
            return values.item()
        return self.parameters.to_xarray(values, long_name, unit)

    def to_dict(self) -> dict[str, Any]:
        """Everything, clean for JSON; what is not limited is None."""
        numbers = self.points * (len(self.arrays) + len(self.axes) + 5)
        what = f"the JSON of a grid of {self.points:,} points"
        refuse_larger(WRITTEN * numbers, what, "ask for fewer points")
        labels = np.array(list(self.arrays), dtype=object)
        return {
            "theorem": self.theorem.name,
            "quantity": self.theorem.claim.name,
            "parameters": self.parameters.to_dict(self.theorem) | dict(self.theorem.clients),
            "assumed": list(self.assumed),
            "derived": {name: json_values(np.asarray(value)) for name, value in self.derived.items()},
            "terms": {label: json_values(values) for label, values in self.arrays.items()},
            "total": json_values(self._total),
            "dominant": labels[self._dominant].tolist() if self.axes else str(self.dominant),
            "step_size": {
                "holds": self._holds.tolist(),
                "largest": json_values(self.limits[0]),
                "largest_product": None if self.limits[1] is None else json_values(self.limits[1]),
            },
            **self._steps_to_dict(),
            "axes": list(self.axes),
            "up_to_constants": self.up_to_constants,
        }

    def _steps_to_dict(self) -> dict[str, Any]:
        """The rules of steps and their values, where there are any."""
        if not self.step_values:
            return {}
        rules = {name: plain(self.theorem.rules[ALPHABET[name]]) for name in self.step_values}
        return {"rules": rules, "steps": {name: json_values(a) for name, a in self.step_values.items()}}

    def to_dataset(self) -> xr.Dataset:
        """The terms, ``total``, ``dominant``, ``holds`` and ``largest`` over the axes, with units.

        Needs xarray.
        """
        require("xarray")
        import xarray as xr

        answers = {"total": self.total, "dominant": self.dominant, "holds": self.holds}
        steps = {**self.steps, "largest_eta": self.largest}
        return xr.Dataset({**self.terms, **answers, **steps}, attrs={"theorem": self.theorem.name})

    def to_dataframe(self) -> pd.DataFrame:
        """One row a grid point: the axes, each term, total, dominant, holds. Needs pandas."""
        require("pandas")
        import pandas as pd

        labels = np.array(list(self.arrays), dtype=object)
        columns = {name: values.ravel() for name, values in self.parameters.columns().items()}
        columns |= {label: values.ravel() for label, values in self.arrays.items()}
        columns |= {"total": self._total.ravel(), "dominant": labels[self._dominant.ravel()]}
        return pd.DataFrame(columns | {"holds": self._holds.ravel()})

    def report(self, rows: int | None = 20, verbose: bool = False) -> Report:
        """The terms at a point, or at most ``rows`` points of the grid (all where None).

        With ``verbose`` also the unit of the bound.
        """
        header, lines = self._columns(rows)
        unit = f"unit: {self.theorem.claim.dimension}; [F] is that of the loss, [x] that of the model"
        return Report(
            (
                Heading(self._title()),
                Table(header, lines, left=0 if self.axes else 1),
                Sentences(self._omitted(lines)),
                Sentences([*self._footer(), *([unit] if verbose else [])]),
            )
        )

    def to_text(self, rows: int | None = 20) -> str:
        """The report for a terminal, with at most ``rows`` points of the grid."""
        return self.report(rows).to_text()

    def _title(self) -> Cell:
        claim, (sign, typed) = self.theorem.claim, SIGNS[self.theorem.kind]
        name = f"up to constants: {self.theorem.name}: " if self.up_to_constants else f"{self.theorem.name}: "
        total = "total" if self.axes else format_number(self.total)
        return sentence(name, Tex(f"{claim.latex} {sign}", f"{claim.plain} {typed}"), f" {total}")

    def _omitted(self, lines: list[list[str]]) -> list[str]:
        left_out = self.points - len(lines) if self.axes else 0
        return [f"... and {left_out} more points"] if left_out else []

    def _columns(self, rows: int | None) -> tuple[list[str], list[list[str]]]:
        if not self.axes:
            total, dominant = self.total, self.dominant
            return ["term", "value", "share", ""], [
                [
                    label,
                    format_number(v),
                    f"{100 * v / total:.1f} %" if total else "",
                    "dominant" * (label == dominant),
                ]
                for label, v in self.terms.items()
            ]
        labels, given = list(self.arrays), self.parameters.columns()
        columns = [*given.values(), *self.arrays.values(), self._total]
        count = self.points if rows is None else min(rows, self.points)
        lines = [
            [*(_shown(column.flat[i]) for column in columns), labels[self._dominant.flat[i]],
             "yes" if self._holds.flat[i] else "NO"]
            for i in range(count)
        ]  # fmt: skip
        return [*given, *labels, "total", "dominant", "holds"], lines

    def _footer(self) -> list[Cell]:
        lines: list[Cell] = [self._condition()] if self.theorem.step_size else ["step size: any"]
        if self.theorem.clients:
            lines.append(
                "clients: " + ", ".join(f"{n} = {_abbreviate(v)}" for n, v in self.theorem.clients.items())
            )
        if self.step_values:
            lines.append(sentence("steps: ", join_cells(map(self._ruled, self.step_values), " and ")))
        if self.theorem.definitions and not self.axes:
            lines.append(
                "derived: " + ", ".join(f"{n} = {format_number(v)}" for n, v in self.derived.items())
            )
        if self.assumed:
            named = (f"{name} = {format_number(self.parameters.values[name])}" for name in self.assumed)
            lines.append(f"assumed: {', '.join(named)}")
        return lines

    def _ruled(self, name: str) -> Cell:
        """A step with its rule, and its value at a point."""
        rule = Formula(self.theorem.rules[ALPHABET[name]], name)
        return rule if self.axes else sentence(rule, f" = {format_number(self.steps[name])}")

    def _condition(self) -> Cell:
        if self.axes:
            return f"step size: inside the condition at {self.points - self.outside} of {self.points} points"
        state = "inside the condition" if self.holds else "OUTSIDE the condition"
        if eta not in self.theorem.quantities and "eta" not in self.step_values:
            rules = [Formula(rule, str(step)) for step, rule in self.theorem.rules.items()]
            at: list[Cell] = [", at ", join_cells(rules, " and ")] if rules else []
            return sentence(f"conditions: {state}", *at)
        text = f"step size: {state}; the largest eta is {format_number(self.largest)}"
        if self.largest_product is not None:
            text += f", the largest eta_s*eta {format_number(self.largest_product)}"
        return text


def predict(theorem: Theorem, /, table: object = None, **parameters: object) -> Prediction:
    """Evaluate a bound, term by term, at the given values.

    Parameters
    ----------
    theorem : Theorem or str
        The theorem, or its name.
    table : pandas.DataFrame or xarray.Dataset, optional
        Further parameters. The columns of a DataFrame are parameters, and each of its rows is one point.
    **parameters
        Values of the theorem's quantities by keyword, in the units of the problem: numbers, or lists, arrays
        and Series, each of which spans an axis of its own. DataArrays keep their axes, and vary together
        along the axes that they share. A step size may be a rule: a formula of the theorem's quantities, as
        text or a sympy expression. Vectors such as ``tau_i`` hold one value a client. What is missing takes
        its typical value and is named in ``assumed``.

    Returns
    -------
    Prediction
        ``total`` and ``terms``, in the unit of the claim; floats, or xarray objects over the axes.

    Raises
    ------
    BoundkitError
        For an unknown parameter, a value outside its domain, and a rule of the wrong dimension.

    Examples
    --------
    >>> import boundkit as bk
    >>> bk.predict("sgd_nonconvex", m=8, T=8, eta=0.5, L=1, sigma=1, gap=1).total
    0.5625
    >>> bk.predict("sgd_nonconvex", m=8, T=[2, 8], eta="1/(L*sqrt(T))").total.values
    array([1.50..., 0.75...])
    """
    theorem, query, unruled, rules = read_query(theorem, table, parameters)
    grid = query.grid()
    arrays = {t.label: np.broadcast_to(evaluate(t.expr, grid), query.shape) for t in theorem.terms}
    for label, values in arrays.items():
        _check_finite(query, label, values)
    steps = {name: np.broadcast_to(evaluate(rule, grid), query.shape) for name, rule in rules.items()}
    product = largest_product(unruled)

    def limit(expr: Expr) -> Array:
        return np.broadcast_to(limit_at(expr, {**grid, **steps}), query.shape)

    limits = limit(largest(unruled)), None if product is None else limit(product)
    return Prediction(theorem, query, arrays, limits, steps)


def _shown(value: Any) -> str:
    return format_number(value) if isinstance(value, (int, float, np.number)) else str(value)


def _abbreviate(value: object) -> str:
    text = ", ".join(map(str, value)) if isinstance(value, list) else str(value)
    return text if len(text) <= 60 else text[:57] + "..."


def _check_finite(query: Parameters, label: str, values: Array) -> None:
    # A grid is checked term by term, and their sum may still overflow: half the range is left for it.
    invalid = ~(np.abs(values) < 1e300)
    if invalid.any():
        index = tuple(int(i) for i in np.unravel_index(int(np.argmax(invalid)), query.shape))
        where = query.described(query.point(index, set(query.values) - set(query.assumed)))
        raise BoundkitError(
            f"the term {label!r} is too large for a number at {where or 'the typical values'}."
        )
