"""Bounds side by side at one point: a bar for each theorem, stacked by cause."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes

from boundkit.algebra import CAUSES
from boundkit.analysis.compare import Comparison
from boundkit.figures.cause_styles import colour, look
from boundkit.figures.labels import Label, label_ends
from boundkit.figures.number_format import number
from boundkit.figures.style import ink_of


def draw_bars(axes: Axes, found: Comparison) -> None:
    """On a linear axis, where lengths add up; the total stands at the end of its bar."""
    ink = ink_of(axes)
    split = [c.by_cause() for c in found.contenders]
    places = np.arange(len(split))[::-1]
    below = np.zeros(len(split))
    for cause in CAUSES:
        parts = np.array([float(one.get(cause, np.zeros(()))) for one in split])
        if parts.any():
            axes.barh(
                places, parts, left=below, height=0.5, color=colour(cause, ink.dark), hatch=look(cause).hatch,
                edgecolor=ink.ground, linewidth=0.3 * ink.width, zorder=2, label=cause, gid=f"part {cause}",
            )  # fmt: skip
            below = below + parts
    axes.set_yticks([])
    for place, c in zip(places, found.contenders, strict=True):
        axes.annotate(
            c.name, (0, place + 0.25), xytext=(0.2 * ink.label_size, 0.25 * ink.label_size),
            textcoords="offset points", fontsize=ink.label_size, color=ink.text, gid=f"name {c.name}",
        )  # fmt: skip
    axes.set_xlim(0, 1.02 * float(below.max()) or 1.0)
    axes.set_ylim(-0.5, len(split) - 0.3)
    axes.set_xlabel("the bound, by cause")
    axes.legend(
        frameon=False, fontsize=ink.note_size, loc="lower left", bbox_to_anchor=(0, 1), borderaxespad=0.2,
        ncols=2 if ink.narrow else 3, handlelength=1.4, columnspacing=1.2, borderpad=0,
    )  # fmt: skip
    labels: list[Label | None] = []
    for place, c in zip(places, found.contenders, strict=True):
        words = number(float(c.total), 3) + ("" if c.holds.all() else "\nnot proved")
        labels.append(Label(float(c.total), float(place), words, ink.text, bold=True))
    label_ends(axes, labels, ink.label_size)
