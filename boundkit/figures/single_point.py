"""A bound at one point: a bar for each term, coloured by its cause."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes

from boundkit.analysis.predict import Prediction
from boundkit.figures.cause_styles import colour, look
from boundkit.figures.number_format import number
from boundkit.figures.style import ink_of


def draw(axes: Axes, prediction: Prediction) -> None:
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
