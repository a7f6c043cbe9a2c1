"""Bound against run: the terms of the bound by cause, their sum, and what was measured, at every horizon.

On logarithmic axes, where a factor is a distance: how far the measured curve lies below the bound is how
loose the bound is. Terms are lines, not stacked areas, since a stack on a logarithmic axis shows its
lower parts too large; ``kind="stacked"`` adds their shares of the bound in a panel of its own.
"""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from boundkit.algebra.errors import unknown
from boundkit.figures.curves import (
    FEW,
    Array,
    draw_term,
    draw_total,
    end_of,
    log_height,
    split,
    term_label,
    ticks_of_powers,
)
from boundkit.figures.labels import Label, label_ends
from boundkit.figures.number_format import formula, number, ratio
from boundkit.figures.page import finish, sheet
from boundkit.figures.record_text import footnote, headline
from boundkit.figures.shares import curves_of, draw_shares, horizon_of, total_of
from boundkit.figures.style import Ink, ink_of, style
from boundkit.verification.record import Record
from boundkit.verification.verdict import Curves

KINDS = ("lines", "stacked")
SHORT = 8
"""Fewer rounds have a tick each: there is no half of a round."""


def figure(record: Record, preset: str = "hall", kind: str = "lines") -> Figure:
    """The picture of a record; ``kind`` is ``lines``, or ``stacked`` for the shares of each cause below.

    Raises BoundkitError where the record has no curves (nothing ran), or for an unknown preset or kind.
    """
    known_kind(kind)
    curves_of(record)
    with style(preset):
        stacked = kind == "stacked"
        page = sheet(height=1.35 if stacked else 1.0)
        ratios = [2, 1] if stacked else [1]
        rows = page.subplots(len(ratios), 1, sharex=True, squeeze=False, height_ratios=ratios)
        axes = rows[0, 0]
        left_out = draw(axes, record)
        if stacked:
            draw_shares(rows[1, 0], record)
            axes.set_xlabel("")
        axes.set_title(height_of(record))
        finish(page, headline(record), footnote(record, left_out), ink_of(axes))
    return page


def known_kind(kind: str) -> str:
    """The name itself.

    Raises BoundkitError for a name that is not in ``KINDS``.
    """
    if kind not in KINDS:
        raise unknown("kind of picture", kind, KINDS)
    return kind


def draw(axes: Axes, record: Record) -> list[str]:
    """Draw a record on given Axes, in their own style; the notes on terms that are not drawn come back."""
    curves, ink = curves_of(record), ink_of(axes)
    (x, counted), total = horizon_of(record), total_of(curves)
    drawn, zero, low = split(curves.terms, total)
    labels: list[Label | None] = []
    seen: set[str] = set()
    for label in drawn:
        cause = record.causes[label]
        line = draw_term(axes, x, curves.terms[label], cause, ink, again=cause in seen)
        line.set_gid(f"term {label}")
        seen.add(cause)
        labels.append(term_label(line, label, ink, float(curves.terms[label][-1])))
    labels += [_draw_bound(axes, x, total, ink), _draw_measured(axes, x, curves, total, ink)]
    _frame(axes, x, counted, curves, [curves.terms[n] for n in drawn], total)
    axes.set_xlabel(counted)
    label_ends(axes, labels, ink.label_size)
    notes = [f"0 here: {', '.join(zero)}"] if zero else []
    return notes + ([f"too small to draw: {', '.join(low)}"] if low else [])


def _draw_bound(axes: Axes, x: Array, total: Array, ink: Ink) -> Label | None:
    line = draw_total(axes, x, total, ink)
    end = end_of(line)
    return None if end is None else Label(*end, f"bound  {number(end[1])}", ink.text, line, bold=True)


def _draw_measured(axes: Axes, x: Array, curves: Curves, total: Array, ink: Ink) -> Label | None:
    if np.any(curves.low < curves.high):
        lowest = np.maximum(curves.low, np.max(total) * 1e-12)
        axes.fill_between(x, lowest, curves.high, color=ink.text, alpha=0.22, linewidth=0, gid="band")
    (line,) = axes.plot(
        x, np.where(curves.measured > 0, curves.measured, np.nan), color=ink.text, linewidth=1.3 * ink.width,
        marker="o" if len(x) <= FEW else "", markersize=(2 if len(x) > 1 else 3) * ink.width, gid="measured",
    )  # fmt: skip
    end = end_of(line)
    if end is None:
        return None
    share = ""
    if total[-1] > 0 and not ink.narrow:
        factor = end[1] / total[-1]
        share = f"\n{ratio(factor)} {'of' if factor <= 1 else 'times'} the bound"
    return Label(*end, f"measured  {number(end[1])}{share}", ink.text, line, bold=True)


def _frame(axes: Axes, x: Array, counted: str, curves: Curves, drawn: list[Array], total: Array) -> None:
    axes.set_xscale("log")
    axes.set_xlim(*((x[0], x[-1]) if len(x) > 1 else (0.5 * x[0], 1.1 * x[0])))
    log_height(axes, drawn, total, must=[curves.measured])
    if len(x) > 1 and counted == "rounds" and x[-1] < SHORT:
        whole = range(int(np.ceil(x[0])), int(x[-1]) + 1)
        axes.set_xticks([*whole], [str(one) for one in whole])
        axes.minorticks_off()
    elif len(x) > 1:
        ticks_of_powers(axes, "x")
    else:
        axes.set_xticks([x[0]], [f"{x[0]:g}"])
        axes.minorticks_off()


def height_of(record: Record) -> str:
    """What the y axis counts, as a formula where it can be set."""
    return formula(record.claim) or "the claimed quantity"
