"""Bound against run: the terms of the bound by cause, their sum, and what was measured, at every horizon.

On logarithmic axes, where a factor is a distance: how far the measured curve lies below the bound is how
loose the bound is. Terms are lines, not stacked areas, since a stack on a logarithmic axis shows its
lower parts too large; ``kind="stacked"`` adds their shares of the bound in a panel of its own.
"""

from __future__ import annotations

from matplotlib.axes import Axes
from matplotlib.figure import Figure
import numpy as np

from boundkit.algebra import BoundkitError
from boundkit.algebra.errors import unknown
from boundkit.figures.causes import colour, look, text_colour
from boundkit.figures.curves import draw_term, draw_total, end_of, log_height, split, term_label, ticks_of_powers
from boundkit.figures.labels import Label, label_ends
from boundkit.figures.report import footnote, headline
from boundkit.figures.style import SMALL, Ink, ink_of, sheet, style
from boundkit.figures.words import formula, number, ratio
from boundkit.verify.record import Record
from boundkit.verify.verdict import Curves

KINDS = ("lines", "stacked")


def figure(record: Record, preset: str = "hall", kind: str = "lines") -> Figure:
    """The picture of a record; ``kind`` is ``lines``, or ``stacked`` for the shares of each cause below.

    Raises BoundkitError where the record has no curves (nothing ran), or for an unknown preset or kind.
    """
    known_kind(kind)
    curves = _curves(record)
    with style(preset):
        stacked = kind == "stacked"
        page = sheet(height=1.35 if stacked else 1.0)
        rows = page.subplots(2 if stacked else 1, 1, sharex=True, squeeze=False, height_ratios=[2, 1][: 1 + stacked])
        axes = rows[0, 0]
        left_out = draw(axes, record)
        if stacked:
            _draw_shares(rows[1, 0], record, curves)
            axes.set_xlabel("")
        axes.set_title(_height(record))
        page.suptitle(headline(record), x=0.01, ha="left", wrap=True)
        ink = ink_of(axes)
        page.supxlabel(footnote(record, left_out), x=0.01, ha="left", wrap=True, color=ink.faint,
                       fontsize=ink.size * (1 if ink.narrow else SMALL))  # fmt: skip
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
    curves, ink = _curves(record), ink_of(axes)
    x, total = curves.horizon.astype(float), _total(curves)
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
    _frame(axes, x, curves, [curves.terms[n] for n in drawn], total)
    label_ends(axes, [label for label in labels if label is not None], ink.size if ink.narrow else 0.92 * ink.size)
    notes = [f"0 here: {', '.join(zero)}"] if zero else []
    return notes + ([f"too small to draw: {', '.join(low)}"] if low else [])


def _draw_bound(axes: Axes, x: np.ndarray, total: np.ndarray, ink: Ink) -> Label | None:
    line = draw_total(axes, x, total, ink)
    line.set_gid("bound")
    end = end_of(line)
    return None if end is None else Label(*end, f"bound  {number(end[1])}", ink.text, line, bold=True)


def _draw_measured(axes: Axes, x: np.ndarray, curves: Curves, total: np.ndarray, ink: Ink) -> Label | None:
    if np.any(curves.low < curves.high):
        lowest = np.maximum(curves.low, np.max(total) * 1e-12)
        axes.fill_between(x, lowest, curves.high, color=ink.text, alpha=0.22, linewidth=0, gid="band")
    (line,) = axes.plot(
        x, np.where(curves.measured > 0, curves.measured, np.nan), color=ink.text, linewidth=1.3 * ink.width,
        marker="o" if len(x) == 1 else "", gid="measured",
    )  # fmt: skip
    end = end_of(line)
    if end is None:
        return None
    share = f"\n{ratio(end[1] / total[-1])} of the bound" if total[-1] > 0 and not ink.narrow else ""
    return Label(*end, f"measured  {number(end[1])}{share}", ink.text, line, bold=True)


def _frame(axes: Axes, x: np.ndarray, curves: Curves, drawn: list[np.ndarray], total: np.ndarray) -> None:
    axes.set_xscale("log")
    axes.set_xlim(*((x[0], x[-1]) if len(x) > 1 else (0.5, 1.1)))
    log_height(axes, drawn, total, must=[curves.measured])
    if len(x) > 1:
        ticks_of_powers(axes, "x")
    else:
        axes.set_xticks([1], ["1"])
        axes.minorticks_off()
    axes.set_xlabel("rounds")


def _draw_shares(axes: Axes, record: Record, curves: Curves) -> None:
    """The share of each cause in the bound, stacked to 100 %."""
    ink, total = ink_of(axes), _total(curves)
    x = curves.horizon.astype(float)
    below = np.zeros_like(total)
    labels = []
    for label, values in curves.terms.items():
        share = 100 * np.divide(values, total, out=np.zeros_like(total), where=total > 0)
        cause = record.causes[label]
        area = axes.fill_between(x, below, below + share, facecolor=colour(cause, ink.dark), hatch=look(cause).hatch,
                                 edgecolor=ink.ground, linewidth=0.3 * ink.width, gid=f"share {label}")  # fmt: skip
        area.set_zorder(2)
        if share[-1] >= 5:
            middle = float(below[-1] + share[-1] / 2)
            (mark,) = axes.plot([x[-1]], [middle], color=colour(cause, ink.dark), linewidth=ink.width)
            words = f"{number(float(share[-1]))} %" if ink.narrow else f"{label}  {number(float(share[-1]))} %"
            labels.append(Label(float(x[-1]), middle, words, text_colour(colour(cause, ink.dark), ink.text), mark))
        below = below + share
    axes.set_ylim(0, 100)
    axes.set_yticks([0, 50, 100])
    axes.set_title("share of the bound, %")
    axes.set_xlabel("rounds")
    label_ends(axes, labels, ink.size if ink.narrow else 0.92 * ink.size)


def _height(record: Record) -> str:
    """What the y axis counts, as a formula where it can be set."""
    return formula(record.claim) or "the claimed quantity"


def _total(curves: Curves) -> np.ndarray:
    return np.asarray(sum(curves.terms.values()), dtype=float) * np.ones(len(curves.horizon))


def _curves(record: Record) -> Curves:
    if record.curves is None:
        raise BoundkitError(
            f"there is nothing to draw of {record.theorem}: {record.verdict.get('reason') or 'nothing ran.'}"
        )
    return record.curves
