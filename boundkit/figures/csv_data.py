"""The numbers behind pictures, as columns by their heads: what is written beside a figure as CSV.

Columns are in full digits. A grid is one line a point, with its axes first.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from boundkit.algebra.errors import unknown
from boundkit.algebra.printing import plain
from boundkit.analysis.compare import Comparison
from boundkit.analysis.lattice import LATTICE, Lattice
from boundkit.analysis.predict import Prediction
from boundkit.analysis.reductions.graph import ReductionGraph
from boundkit.analysis.sensitivity import Sensitivity
from boundkit.figures.bound_against_run import curves_of, total_of
from boundkit.verification.record import Record
from boundkit.verification.tabular_result import TabularResult
from boundkit.verification.verdict import Curves

Columns = dict[str, Sequence[Any]]


def of_prediction(value: Prediction) -> Columns:
    """Each axis, each term, the total, the dominant term, and whether the steps are inside the conditions."""
    axes = {name: value.parameters.coordinate(name) for name in value.axes}
    return {
        **_spanned(axes),
        **{label: _flat(value.terms[label]) for label in value.arrays},
        "total": _flat(value.total),
        "dominant": _flat(value.dominant),
        "holds": _flat(value.holds),
    }


def of_comparison(value: Comparison) -> Columns:
    """At a point: a line a theorem, with its causes. Over axes: a column a theorem, and the lowest."""
    if not value.axes:
        causes = dict.fromkeys(t.cause for c in value.contenders for t in c.theorem.terms)
        split = [c.by_cause() for c in value.contenders]
        return {
            "theorem": value.names,
            **{cause: [float(one[cause]) if cause in one else None for one in split] for cause in causes},
            "total": [float(c.total) for c in value.contenders],
            "holds": [bool(c.holds) for c in value.contenders],
        }
    columns = _spanned(value.axes)
    for c in value.contenders:
        columns |= {c.name: _flat(c.total), f"{c.name} holds": _flat(c.holds)}
        if c.steps is not None:
            columns[f"{c.name} eta"] = _flat(c.steps)
    return columns | ({"lowest": _flat(value.lowest)} if value.ranked else {})


def of_sensitivity(value: Sensitivity) -> Columns:
    """A line for each quantity and reading: the effect, and whether an argument or numbers decided."""
    cells = [(row, reading, row.effects[reading]) for row in value.rows for reading in row.effects]
    return {
        "quantity": [row.name for row, _, _ in cells],
        "held": [row.fixed or None for row, _, _ in cells],
        "reading": [reading for _, reading, _ in cells],
        "effect": [effect.word for _, _, effect in cells],
        "exact": [effect.exact for _, _, effect in cells],
    }


def of_reductions(graph: ReductionGraph) -> Columns:
    """A line an edge: from, to, under which condition, what is left over, and whether the check agrees."""
    edges = graph.edges
    return {
        "from": [edge.origin for edge in edges],
        "to": [edge.to for edge in edges],
        "holds": [edge.holds for edge in edges],
        "when": [_pairs(edge.reduction.when) for edge in edges],
        "factors": [_pairs(edge.factors) for edge in edges],
        "leaves": [", ".join(edge.reduction.leaves) or None for edge in edges],
        "confirmed": [edge.confirmed for edge in edges],
    }


def of_assumptions(subjects: Sequence[str] = (), lattice: Lattice = LATTICE) -> Columns:
    """A line for each relation of these subjects, or of all: its left, its kind, its right."""
    rows: list[tuple[str, str, str, str]] = []
    for name in subjects or lattice.subjects:
        subject = lattice.subjects[name]
        rows += [(name, _names(r.premises), "implies", r.conclusion.name) for r in subject.implications]
        rows += [(name, _names(r.given), "does not imply", r.fails.name) for r in subject.refutations]
        for conflict in subject.conflicts:
            first, *others = conflict.assumptions
            rows.append((name, first.name, "cannot hold together with", _names(others)))
    return dict(zip(("subject", "from", "relation", "to"), zip(*rows, strict=True), strict=True))


def of_record(record: Record) -> Columns:
    """A line a horizon: what was measured, its 99 % band, each term of the bound, and the bound.

    Raises BoundkitError where the record has no curves.
    """
    return of_curves(curves_of(record))


def of_curves(curves: Curves, band: bool = True) -> Columns:
    """A line a place: what was measured, its ``band`` where it has one, each term of the bound, the bound."""
    return {
        "horizon": _flat(curves.horizon),
        **{name: _flat(getattr(curves, name)) for name in ("measured", *(("low", "high") if band else ()))},
        **{label: _flat(values) for label, values in curves.terms.items()},
        "bound": _flat(total_of(curves)),
    }


def of_table(value: TabularResult, table: str) -> Columns:
    """The columns of one table of a record, without its name.

    Raises BoundkitError for a table that is not there.
    """
    heads = dict(value.tables)
    if table not in heads:
        raise unknown(f"table of {value.name}", table, heads)
    return {head.removeprefix(f"{table} "): value.columns[head] for head in heads[table]}


def _spanned(axes: Any) -> Columns:
    """Every point of the grid, the last axis changing fastest."""
    grids = np.meshgrid(*axes.values(), indexing="ij")
    return {name: _flat(grid) for name, grid in zip(axes, grids, strict=True)}


def _flat(values: Any) -> list[Any]:
    return list(np.ravel(values).tolist())


def _pairs(given: Any) -> str | None:
    return ", ".join(f"{name} = {plain(value)}" for name, value in given.items()) or None


def _names(assumptions: Sequence[Any]) -> str:
    return " and ".join(a.name for a in assumptions)
