"""The share of each cause in the bound at every horizon, stacked to 100 %."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes

from boundkit.algebra import BoundkitError
from boundkit.figures.cause_styles import colour, look, text_colour
from boundkit.figures.curves import Array
from boundkit.figures.labels import Label, label_ends
from boundkit.figures.number_format import number
from boundkit.figures.style import ink_of
from boundkit.verification.record import Record
from boundkit.verification.verdict import Curves

WORTH_A_LABEL = 5
"""Per cent of the bound: a thinner band of the shares has its label in the panel above only."""


def draw_shares(axes: Axes, record: Record) -> None:
    """The share of each cause in the bound, stacked to 100 %."""
    curves, ink = curves_of(record), ink_of(axes)
    total = total_of(curves)
    x, counted = horizon_of(record)
    if len(x) == 1:  # one point has no width, so it fills the panel
        x = np.asarray(axes.get_xlim())
    below = np.zeros_like(total)
    labels: list[Label | None] = []
    for label, values in curves.terms.items():
        share = 100 * np.divide(values, total, out=np.zeros_like(total), where=total > 0)
        cause = record.causes[label]
        paint = colour(cause, ink.dark)
        axes.fill_between(
            x, below, below + share, facecolor=paint, hatch=look(cause).hatch, edgecolor=ink.ground,
            linewidth=0.3 * ink.width, zorder=2, gid=f"share {label}",
        )  # fmt: skip
        if share[-1] >= WORTH_A_LABEL:
            middle = float(below[-1] + share[-1] / 2)
            (mark,) = axes.plot([x[-1]], [middle], color=paint, linewidth=ink.width)
            words = f"{number(float(share[-1]))} %"
            words = words if ink.narrow else f"{label}  {words}"
            labels.append(Label(float(x[-1]), middle, words, text_colour(paint, ink.text), mark))
        below = below + share
    axes.set_ylim(0, 100)
    axes.set_yticks([0, 50, 100])
    axes.set_title("share of the bound, %")
    axes.set_xlabel(counted)
    label_ends(axes, labels, ink.label_size)


def horizon_of(record: Record) -> tuple[Array, str]:
    """What runs along x, and its name: rounds, or their time where the theorem is about a clock."""
    horizon = curves_of(record).horizon.astype(float)
    wall = record.verdict["constant_values"].get("wall")
    if wall is None or len(horizon) == 1:
        return horizon, "rounds"
    each = float(wall["value"]) / float(record.run["rounds"])
    return horizon * each, f"time (a round takes {number(each)})"


def total_of(curves: Curves) -> Array:
    """The bound at every horizon."""
    return np.asarray(sum(curves.terms.values()), dtype=float) * np.ones(len(curves.horizon))


def curves_of(record: Record) -> Curves:
    """The curves of a record.

    Raises BoundkitError where it has none, since nothing ran.
    """
    if record.curves is None:
        raise BoundkitError(
            f"there is nothing to draw of {record.theorem}: {record.verdict.get('reason') or 'nothing ran.'}"
        )
    return record.curves
