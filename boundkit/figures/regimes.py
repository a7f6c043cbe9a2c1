"""The phase diagram of a bound: which cause dominates where, with the crossovers as lines.

Counts are drawn as if they were real numbers, so that the areas meet on the lines.
"""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import NDArray

from boundkit.algebra.printing import latex
from boundkit.analysis.crossover import Curve
from boundkit.analysis.regimes import Regimes
from boundkit.figures.curves import meaning
from boundkit.figures.labelled_areas import Area, in_axes, name_areas, name_outside, paint
from boundkit.figures.labels import CELLS, FreeSpace
from boundkit.figures.number_format import formula, settings, symbol
from boundkit.figures.style import colour, empty_figure, finish, style, theme_of
from boundkit.simulation.arrays import Array

LONGEST = 0.5
"""The largest share of the width that the formula of a line may take."""


def figure(regimes: Regimes, preset: str = "presentation") -> Figure:
    """The picture of regimes.

    Raises BoundkitError for an unknown preset.
    """
    with style(preset):
        small: list[str] = []
        while True:
            page = empty_figure(height=1.15 if preset == "paper" else 1.0)
            axes = page.subplots()
            areas = _ground(axes, regimes)
            name_outside(axes, *_cells(regimes), [area for area in areas if area.name in small])
            finish(page, _headline(regimes), _footnote(regimes), theme_of(axes))
            left = _label_areas(axes, regimes, [area for area in areas if area.name not in small])
            if not left:
                return page
            # A name beside the map needs space there, so the page is laid out again.
            small += [area.name for area in left]


def draw(axes: Axes, regimes: Regimes) -> None:
    """Draw regimes on given Axes, in their own style."""
    areas = _ground(axes, regimes)
    name_outside(axes, *_cells(regimes), _label_areas(axes, regimes, areas))


def _cells(regimes: Regimes) -> tuple[Array, Array]:
    x, y, _, _ = regimes.between(CELLS)
    return x, y


def _ground(axes: Axes, regimes: Regimes) -> list[Area]:
    """The areas, the lines and the axes, without words."""
    theme = theme_of(axes)
    x, y, codes, holds = regimes.between(CELLS)
    areas = [
        Area(term.label, colour(term.cause, theme.dark), codes == code)
        for code, term in enumerate(regimes.theorem.terms)
        if (codes == code).any()
    ]
    paint(axes, x, y, areas, ~holds)
    for one in regimes.crossovers:
        for curve, mask in zip(one.curves, one.bounding, strict=True):
            if mask.any():
                axes.plot(*_piece(curve, mask).T, color=theme.text, linewidth=0.5 * theme.width,
                          gid=f"crossover {' = '.join(one.terms)}")  # fmt: skip
    axes.set_xlabel(f"{meaning(regimes.x)}  {symbol(regimes.x)}".strip())
    axes.set_title(f"{meaning(regimes.y)}  {symbol(regimes.y)}".strip())
    return areas


def _label_areas(axes: Axes, regimes: Regimes, areas: list[Area]) -> list[Area]:
    """Names in the areas, formulas along the lines where they are short; the areas without a name."""
    theme, room = theme_of(axes), FreeSpace(axes)
    lines = []
    for one in regimes.crossovers:
        for curve, mask in zip(one.curves, one.bounding, strict=True):
            if mask.any():
                lines.append((curve, in_axes(axes, _piece(curve, mask))))
                room.draw(lines[-1][1])
    left = name_areas(axes, room, areas)
    for curve, points in lines:
        words = _formula(curve)
        if words is None:
            continue
        size = theme.note_size
        wide, high = room.size(words, size)
        place = room.along(points, wide, high) if wide <= LONGEST * CELLS else None
        if place is not None:
            x, y, angle = place
            axes.text(x, y, words, transform=axes.transAxes, rotation=angle, rotation_mode="anchor",
                      ha="center", va="center", fontsize=size, color=theme.text,
                      gid=f"formula {curve.quantity}")  # fmt: skip
    return left


def _piece(curve: Curve, mask: NDArray[np.bool_]) -> Array:
    return np.where(mask[:, None], curve.points, np.nan)


def _formula(curve: Curve) -> str | None:
    return None if curve.expr is None else formula(f"{symbol(curve.quantity)[1:-1]} = {latex(curve.expr)}")


def _inline(text: str) -> str | None:
    """A formula low enough for a line of small print, and without the spaces at which lines break."""
    regimes = formula(text.replace(" ", "~"))
    return None if regimes is None else regimes.replace(r"\dfrac", r"\frac")


def _headline(regimes: Regimes) -> str:
    return f"{regimes.theorem.title}: what dominates over {symbol(regimes.x)} and {symbol(regimes.y)}"


def _footnote(regimes: Regimes) -> str:
    sentences = [settings(regimes.window.values, regimes.theorem.clients)]
    for name, rule in regimes.rules.items():
        sentences.append(f"{symbol(name)}\N{NBSP}=\N{NBSP}{_inline(latex(rule)) or rule}")
    if regimes.prediction.up_to_constants:
        sentences.append("Up to constants")
    if regimes.outside:
        sentences.append("Hatched: the step size is outside the condition, and the bound is not proved")
    return ". ".join(sentences) + "."
