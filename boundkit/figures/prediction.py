"""A prediction in one picture: bars of its terms at a point, or the bound over two axes."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from numpy.typing import NDArray

from boundkit.algebra.term import CAUSES
from boundkit.analysis.predict import Prediction
from boundkit.figures.cause_styles import colour, look, text_colour
from boundkit.figures.curves import end_of, few
from boundkit.figures.labels import Label, label_ends
from boundkit.figures.number_format import number, symbol
from boundkit.figures.style import Ink, ink_of
from boundkit.figures.terms_along_axis import frame, numeric_axis


def draw_bars(axes: Axes, prediction: Prediction) -> None:
    """The terms in the order of the theorem, from the top, with their values; the total in the title."""
    ink = ink_of(axes)
    values = dict(prediction.terms)
    causes = {t.label: t.cause for t in prediction.theorem.terms}
    places = np.arange(len(values))[::-1]
    for place, (label, value) in zip(places, values.items(), strict=True):
        axes.barh(
            place, value, height=0.6, color=colour(causes[label], ink.dark), hatch=look(causes[label]).hatch,
            edgecolor=ink.ground, linewidth=0.3 * ink.width, zorder=2, gid=f"term {label}",
        )  # fmt: skip
        axes.annotate(
            number(value, 3), (value, place), xytext=(0.4 * ink.size, 0), textcoords="offset points",
            va="center", fontsize=ink.label_size, color=ink.text, gid=f"value {label}",
        )  # fmt: skip
    axes.set_yticks(places, list(values))
    axes.tick_params(axis="y", length=0)
    axes.grid(visible=False, axis="y")
    axes.set_xlim(0, 1.2 * max(values.values()) or 1.0)
    proved = "" if prediction.holds else "  (outside the step condition: not proved)"
    axes.set_title(f"{prediction.theorem.name}: {number(float(prediction.total), 3)}{proved}")


OUTSIDE = (0, (2, 1))
"""Dashes where the bound is not proved."""

LINES = 6
"""How many values of the second parameter get a line."""


def draw_totals(axes: Axes, prediction: Prediction) -> None:
    """Two axes on one Axes: the bound against the first, a line for each value of the second.

    A piece of a line has the colour of the cause that dominates there, and is dashed where the step
    size is outside the conditions, so that the bound is not proved.
    """
    first, second = prediction.axes
    ink, causes = ink_of(axes), {t.label: t.cause for t in prediction.theorem.terms}
    x, others = (numeric_axis(prediction, n) for n in (first, second))
    order = np.argsort(x, kind="stable")
    x, total = x[order], np.asarray(prediction.total)[order]
    dominant, holds = np.asarray(prediction.dominant)[order], np.asarray(prediction.holds)[order]
    labels: list[Label | None] = []
    for column in few(len(others), LINES):
        (line,) = axes.plot(x, total[:, column], color=ink.faint, linewidth=0.3 * ink.width)
        line.set_gid(f"bound at {second} = {others[column]:g}")
        for label, inside in dict.fromkeys(zip(dominant[:, column], holds[:, column], strict=True)):
            mine = (dominant[:, column] == label) & (holds[:, column] == inside)
            axes.plot(
                x, np.where(_touching(mine), total[:, column], np.nan), color=colour(causes[label], ink.dark),
                linewidth=ink.width, linestyle="solid" if inside else OUTSIDE,
            )  # fmt: skip
        end = end_of(line)
        if end is not None:
            last = text_colour(colour(causes[str(dominant[-1, column])], ink.dark), ink.text)
            labels.append(Label(*end, f"{symbol(second)} = {number(float(others[column]), 3)}", last, line))
    frame(axes, first, x, [total], total)
    causes_present = {causes[label] for label in dominant.ravel().tolist()}
    _key(axes, [cause for cause in CAUSES if cause in causes_present], bool(holds.all()), ink)
    label_ends(axes, labels, ink.label_size)


def _key(axes: Axes, causes: Sequence[str], inside: bool, ink: Ink) -> None:
    names = [*causes, *([] if inside else ["outside the step condition"])]
    lines = [Line2D([], [], color=colour(cause, ink.dark), linewidth=ink.width) for cause in causes]
    lines += [] if inside else [Line2D([], [], color=ink.faint, linewidth=ink.width, linestyle=OUTSIDE)]
    size = ink.note_size
    axes.legend(lines, names, title="dominated by", frameon=False, alignment="left", fontsize=size,
                title_fontsize=size)  # fmt: skip


def _touching(mine: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """The points, and the first one after each run of them, so that pieces of a line meet."""
    before: NDArray[np.bool_] = np.concatenate([[False], mine[:-1]])
    return mine | before
