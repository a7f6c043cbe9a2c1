"""A table of arrows: what a larger quantity does to a bound, at fixed steps and at the best eta.

An arrow downwards and the word "better", upwards and "worse", both ways where it depends, a dot where
there is no effect. The colour repeats it, and is not needed.
"""

from __future__ import annotations

from matplotlib.axes import Axes
from matplotlib.colors import to_hex, to_rgb
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from boundkit.algebra.printing import plain
from boundkit.analysis.sensitivity import Effect, Sensitivity
from boundkit.analysis.sensitivity.result import QuantityEffects
from boundkit.figures.number_format import symbol
from boundkit.figures.style import Theme, empty_figure, finish, style, theme_of
from boundkit.report.formatting import join_names

COLOURS: dict[str, tuple[str, str]] = {
    "better": ("#0A58CC", "#3D96FF"),
    "worse": ("#98381A", "#FF7A5C"),
    "depends": ("#AE9129", "#FFD56B"),
    "no effect": ("#6B7280", "#9CA3AF"),
}
"""For each effect a colour on light paper and one on dark."""

TINT = 0.16
"""How much of the colour is on the ground of a cell."""

MARKS = {"better": ("v",), "worse": ("^",), "depends": ("v", "^"), "no effect": ("o",)}
"""The markers of matplotlib that draw each effect."""


def figure(sensitivity: Sensitivity, preset: str = "presentation") -> Figure:
    """The table of one theorem.

    Raises BoundkitError for an unknown preset.
    """
    with style(preset):
        page = empty_figure(_height(len(sensitivity.rows), preset))
        axes = page.subplots()
        theme = theme_of(axes)
        draw(axes, sensitivity, theme)
        finish(page, _headline(sensitivity), _note(sensitivity), theme)
    return page


def draw(axes: Axes, sensitivity: Sensitivity, theme: Theme) -> None:
    """Draw the table on given Axes, the first quantity on top."""
    for place, row in enumerate(sensitivity.rows):
        for column, reading in enumerate(sensitivity.readings):
            effect = row.effects.get(reading)
            if effect is not None:
                _cell(axes, column, place, effect, f"{row.title}, {reading}", theme)
    axes.set_xlim(0, len(sensitivity.readings))
    axes.set_ylim(len(sensitivity.rows), 0)
    axes.set_xticks([k + 0.5 for k in range(len(sensitivity.readings))], _heads(sensitivity, theme))
    axes.set_yticks(
        [k + 0.5 for k in range(len(sensitivity.rows))], [_title(row) for row in sensitivity.rows]
    )
    axes.tick_params(length=0, labeltop=True, labelbottom=False)
    axes.grid(visible=False)
    for side in axes.spines.values():
        side.set_visible(False)


def _cell(axes: Axes, column: int, place: int, effect: Effect, name: str, theme: Theme) -> None:
    colour = COLOURS[effect.word][theme.dark]
    red, green, blue = (
        g + TINT * (c - g) for c, g in zip(to_rgb(colour), to_rgb(theme.background), strict=True)
    )
    ground = to_hex((red, green, blue))
    axes.add_patch(
        Rectangle((column + 0.02, place + 0.06), 0.96, 0.88, facecolor=ground, edgecolor="none", gid=name)
    )
    marks = MARKS[effect.word]
    for k, mark in enumerate(marks):
        x = column + 0.16 + (0.1 if theme.narrow else 0.05) * (k - (len(marks) - 1) / 2)
        y = place + 0.5 + (0.12 * (1 - 2 * k) if len(marks) == 2 else 0)
        axes.plot(
            [x],
            [y],
            marker=mark,
            color=colour,
            markersize=(0.4 if theme.narrow else 0.5) * theme.size,
            gid=f"{name}, {mark}",
        )
    word = effect.word if effect.exact else f"{effect.word} *"
    axes.text(
        column + 0.28, place + 0.5, word, ha="left", va="center", size=theme.label_size, color=theme.text
    )


def _height(rows: int, preset: str) -> float:
    """Of the page, in usual heights: so much for the words around the table, and so much a row."""
    around, each = (0.3, 0.09) if preset == "paper" else (0.16, 0.075)
    return max(0.62, around + each * rows)


def _heads(sensitivity: Sensitivity, theme: Theme) -> list[str]:
    said = [reading.replace("eta", r"$\eta$") for reading in sensitivity.readings]
    return [reading.replace("under the", "by") for reading in said] if theme.narrow else said


def _title(row: QuantityEffects) -> str:
    return f"{symbol(row.name)} at fixed ${row.fixed.replace('*', ' ')}$" if row.fixed else symbol(row.name)


def _headline(sensitivity: Sensitivity) -> str:
    return f"{sensitivity.theorem.title}: what a larger quantity does to the bound"


def _note(sensitivity: Sensitivity) -> str:
    sentences = [f"The bound is on the {sensitivity.theorem.claim.name}; down is better"]
    if sensitivity.rules:
        sentences.append("Rules: " + join_names([f"{n} = {plain(r)}" for n, r in sensitivity.rules.items()]))
    effects = [e for row in sensitivity.rows for e in row.effects.values()]
    if any(e.word == "depends" for e in effects):
        sentences.append("On what it depends: boundkit sensitivity, as formulas")
    if not all(e.exact for e in effects):
        sentences.append("*: numerically, not by an argument for all values")
    if sensitivity.up_to_constants:
        sentences.append("Up to constants")
    return ". ".join(sentences) + "."
