"""Seconds a round against what they depend on."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes

from boundkit.algebra import BoundkitError
from boundkit.analysis.runtime import RoundTime
from boundkit.figures.curves import FEW, end_of, few, log_height, ticks_of_powers
from boundkit.figures.labels import Label, label_ends
from boundkit.figures.number_format import number, symbol
from boundkit.figures.style import ink_of

LINES = 6
"""How many values of the second axis get a line."""


def draw(axes: Axes, times: RoundTime) -> None:
    """One axis: a line. Two: a line for each value of the second.

    Raises BoundkitError for another number of axes, and for an axis of one value.
    """
    if len(times.axes) not in (1, 2) or np.size(times.values[times.axes[0]]) < 2:
        raise BoundkitError(
            "a picture of times needs one or two parameters that are lists, of which the first has several "
            f"values, but there are {len(times.axes)}: {', '.join(times.axes) or 'none'}."
        )
    ink, first = ink_of(axes), times.axes[0]
    x = np.asarray(times.values[first], dtype=float)
    order = np.argsort(x, kind="stable")
    seconds = np.asarray(times.per_round, dtype=float).reshape(len(x), -1)[order]
    others = np.asarray(times.values[times.axes[1]], dtype=float) if len(times.axes) == 2 else np.zeros(1)
    labels: list[Label | None] = []
    for shade, column in zip(np.linspace(1, 0.35, LINES), few(seconds.shape[1], LINES), strict=False):
        (line,) = axes.plot(
            x[order], seconds[:, column], color=ink.text, alpha=shade, linewidth=ink.width,
            marker="o" if len(x) <= FEW else "", markersize=2 * ink.width, gid=f"time {column}",
        )  # fmt: skip
        end = end_of(line)
        at = f"{symbol(times.axes[1])} = {number(float(others[column]), 3)}: " if len(times.axes) == 2 else ""
        labels.append(None if end is None else Label(*end, f"{at}{number(end[1])}", ink.text, line))
    axes.set_xscale("log")
    axes.set_xlim(x.min(), x.max())
    ticks_of_powers(axes, "x")
    log_height(axes, [seconds], seconds)
    axes.set_xlabel(symbol(first))
    axes.set_ylabel("seconds a round")
    axes.set_title(f"{times.scheme.name}: {times.distribution.name} times of a step")
    label_ends(axes, labels, ink.label_size)
