"""Bounds along one axis: a curve for each theorem, and where another becomes the lowest."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes
from numpy.typing import NDArray

from boundkit.analysis.compare import Comparison
from boundkit.figures.cause_styles import text_colour
from boundkit.figures.curves import FEW, end_of, shown_on_log
from boundkit.figures.labels import Label, label_ends
from boundkit.figures.number_format import letter, number
from boundkit.figures.style import ink_of
from boundkit.figures.terms_along_axis import frame
from boundkit.figures.theorem_styles import dashes, in_lines, shade

Array = NDArray[np.float64]


def draw_curves(axes: Axes, found: Comparison) -> None:
    """Faint and thin where the steps are outside the conditions of the theorem."""
    ((along, x),) = found.axes.items()
    ink = ink_of(axes)
    labels: list[Label | None] = []
    for place, c in enumerate(found.contenders):
        tint, total = shade(place, ink.dark), shown_on_log(c.total)
        (whole,) = axes.plot(
            x, total, color=tint, alpha=0.5, linewidth=0.4 * ink.width, gid=f"whole {c.name}"
        )
        (line,) = axes.plot(
            x, np.where(c.holds, total, np.nan), color=tint, linewidth=ink.width, linestyle=dashes(place),
            marker="o" if len(x) <= FEW else "", markersize=2 * ink.width, gid=f"bound {c.name}",
        )  # fmt: skip
        end = end_of(whole)
        if end is not None:
            words = in_lines(c.name, 17 if ink.narrow else 24)
            labels.append(Label(*end, words, text_colour(tint, ink.text), line))
    totals = [c.total for c in found.contenders]
    frame(axes, along, x, totals, np.min(totals, axis=0))
    for change in found.changes:
        axes.axvline(
            change.at, color=ink.text, linewidth=0.4 * ink.width, linestyle=(0, (4, 3)), gid="change"
        )
        axes.annotate(
            f"{letter(along)} = {number(change.at, 3)}", (change.at, _free(axes, x, totals, change.at)),
            xycoords=axes.get_xaxis_transform(), xytext=(0.4 * ink.note_size, 0), textcoords="offset points",
            va="center", fontsize=ink.note_size, color=ink.text,
        )  # fmt: skip
    label_ends(axes, labels, ink.label_size)


def _free(axes: Axes, x: Array, totals: list[Array], at: float) -> float:
    """The height, as a share of the Axes, that is farthest from all curves just right of ``at``."""
    wanted = np.linspace(0.05, 0.95, 19)
    steps = np.linspace(0, 0.18, 10)
    points = axes.transAxes.inverted().transform(
        np.concatenate([axes.transData.transform(np.column_stack([x, total])) for total in totals])
    )
    start = float(axes.transAxes.inverted().transform(axes.transData.transform((at, axes.get_ylim()[0])))[0])
    heights = [np.interp(start + steps, *points[k * x.size : (k + 1) * x.size].T) for k in range(len(totals))]
    away = np.min(np.abs(np.concatenate(heights)[:, None] - wanted), axis=0)
    return float(wanted[int(np.argmax(away))])
