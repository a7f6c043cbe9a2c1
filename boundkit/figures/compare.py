"""The picture of a comparison: bars by cause at a point, curves along one axis, a map over two."""

from __future__ import annotations

from textwrap import fill

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from boundkit.algebra import CAUSES, BoundkitError
from boundkit.analysis.compare import EQUAL, Comparison
from boundkit.figures.curves import FEW, end_of, frame, meaning, shown_on_log
from boundkit.figures.labelled_areas import Area, name_areas, name_outside, paint
from boundkit.figures.labels import CELLS, FreeSpace, Label, label_ends
from boundkit.figures.number_format import formula, number, settings, symbol
from boundkit.figures.style import (
    Dashes,
    cause_style,
    colour,
    empty_figure,
    finish,
    style,
    text_colour,
    theme_of,
)
from boundkit.simulation.arrays import Array


def figure(comparison: Comparison, preset: str = "presentation") -> Figure:
    """The picture of a comparison.

    Raises BoundkitError for an unknown preset, or a map over an axis with one value.
    """
    with style(preset):
        small: list[str] = []
        while True:
            page = empty_figure()
            axes = page.subplots()
            areas = _ground(axes, comparison)
            name_beside(axes, comparison, [area for area in areas if area.name in small])
            finish(page, _headline(comparison), _footnote(comparison), theme_of(axes))
            left = name_areas(axes, FreeSpace(axes), [area for area in areas if area.name not in small])
            if not left:
                return page
            # A name beside the map needs space there, so the page is laid out again.
            small += [area.name for area in left]


def draw(axes: Axes, comparison: Comparison) -> None:
    """Draw a comparison on given Axes, in their own style."""
    name_beside(axes, comparison, name_areas(axes, FreeSpace(axes), _ground(axes, comparison)))


def _ground(axes: Axes, comparison: Comparison) -> list[Area]:
    """All but the names of areas; the areas of a map."""
    if len(comparison.axes) == 2:
        return draw_map(axes, comparison)
    if comparison.axes:
        draw_curves(axes, comparison)
        axes.set_title(height(comparison))
    else:
        draw_bars(axes, comparison)
    return []


def height(comparison: Comparison) -> str:
    """What the bounds are on, as a formula where it can be set and all claims are one."""
    claims = {c.theorem.claim for c in comparison.contenders}
    claim = comparison.contenders[0].theorem.claim
    return f"bound on  {formula(claim.latex) or claim.plain}" if len(claims) == 1 else "bound"


def _headline(comparison: Comparison) -> str:
    best = ", each with its best step" if comparison.tuned else ""
    if not comparison.axes:
        return f"{len(comparison.contenders)} bounds side by side{best}"
    if not comparison.ranked:
        return f"{len(comparison.contenders)} bounds over {' and '.join(map(symbol, comparison.axes))}{best}"
    return f"Which bound is lowest over {' and '.join(map(symbol, comparison.axes))}{best}"


def _footnote(comparison: Comparison) -> str:
    clients = {n: value for c in comparison.contenders for n, value in c.theorem.clients.items()}
    sentences = [settings(comparison.values, clients)]
    if not comparison.ranked:
        sentences.append("Some bounds hold up to constants only, and have no common scale with the others")
    if len({c.theorem.claim for c in comparison.contenders}) > 1:
        claims = "; ".join(f"{c.theorem.title}: the {c.theorem.claim.name}" for c in comparison.contenders)
        sentences.append(f"Not quite the same is bounded. {claims}")
    outside = not all(c.holds.all() for c in comparison.contenders)
    if outside and len(comparison.axes) == 1:
        sentences.append(
            "Thin: the step size is outside the theorem's condition, and its bound is not proved"
        )
    if outside and len(comparison.axes) == 2:
        sentences.append(
            "Hatched: the lowest bound is not proved there, its step size being outside the condition"
        )
    return ". ".join(sentence for sentence in sentences if sentence) + "."


def draw_bars(axes: Axes, comparison: Comparison) -> None:
    """On a linear axis, where lengths add up; the total is written at the end of its bar."""
    theme = theme_of(axes)
    split = [c.by_cause() for c in comparison.contenders]
    places = np.arange(len(split))[::-1]
    below = np.zeros(len(split))
    for cause in CAUSES:
        parts = np.array([float(one.get(cause, np.zeros(()))) for one in split])
        if parts.any():
            axes.barh(
                places, parts, left=below, height=0.5, color=colour(cause, theme.dark),
                hatch=cause_style(cause).hatch, edgecolor=theme.background, linewidth=0.3 * theme.width,
                zorder=2, label=cause, gid=f"part {cause}",
            )  # fmt: skip
            below = below + parts
    axes.set_yticks([])
    for place, c in zip(places, comparison.contenders, strict=True):
        axes.annotate(
            c.theorem.title, (0, place + 0.25), xytext=(0.2 * theme.label_size, 0.25 * theme.label_size),
            textcoords="offset points", fontsize=theme.label_size, color=theme.text, gid=f"name {c.name}",
        )  # fmt: skip
    axes.set_xlim(0, 1.02 * float(below.max()) or 1.0)
    axes.set_ylim(-0.5, len(split) - 0.3)
    axes.set_xlabel("the bound, by cause")
    axes.legend(
        frameon=False, fontsize=theme.note_size, loc="lower left", bbox_to_anchor=(0, 1), borderaxespad=0.2,
        ncols=2 if theme.narrow else 3, handlelength=1.4, columnspacing=1.2, borderpad=0,
    )  # fmt: skip
    labels: list[Label | None] = []
    for place, c in zip(places, comparison.contenders, strict=True):
        words = number(float(c.total), 3) + ("" if c.holds.all() else "\nnot proved")
        labels.append(Label(float(c.total), float(place), words, theme.text, bold=True))
    label_ends(axes, labels, theme.label_size)


def draw_map(axes: Axes, comparison: Comparison) -> list[Area]:
    """The areas, hatched where the lowest bound is not proved, without the names in them.

    Raises BoundkitError where an axis has one value, and for bounds up to constants.
    """
    if not comparison.ranked:
        raise BoundkitError(
            "a map shows whose bound is lowest, but bounds up to constants have no common scale with the "
            "others; give one axis instead of two."
        )
    for name, values in comparison.axes.items():
        if values.size < 2:
            raise BoundkitError(f"{name} has one value here, but a map needs two or more along each axis.")
    theme = theme_of(axes)
    x, y, lowest, proved = comparison.between(CELLS)
    shades = [*(shade(place, theme.dark) for place in range(len(comparison.names))), theme.faint]
    every = [Area(n, tint, lowest == n) for n, tint in zip([*comparison.names, EQUAL], shades, strict=True)]
    areas = [area for area in every if area.cells.any()]
    paint(axes, x, y, areas, ~proved)
    codes = np.array([[area.cells for area in areas]]).argmax(axis=1)[0].astype(float)
    if len(areas) > 1:
        for code in range(len(areas)):
            drawn = axes.contour(
                x, y, (codes == code).T, levels=[0.5], colors=theme.text, linewidths=0.4 * theme.width
            )
            drawn.set_gid(f"border {areas[code].name}")
    name_x, name_y = comparison.axes
    axes.set_xlabel(f"{meaning(name_x)}  {symbol(name_x)}".strip())
    axes.set_title(f"{meaning(name_y)}  {symbol(name_y)}".strip())
    return areas


def name_beside(axes: Axes, comparison: Comparison, areas: list[Area]) -> None:
    """Names of areas to the right of the map."""
    if not areas:
        return
    x, y, _, _ = comparison.between(CELLS)
    name_outside(axes, x, y, areas)


def draw_curves(axes: Axes, comparison: Comparison) -> None:
    """Faint and thin where the steps are outside the conditions of the theorem."""
    ((along, x),) = comparison.axes.items()
    theme = theme_of(axes)
    labels: list[Label | None] = []
    for place, c in enumerate(comparison.contenders):
        tint, total = shade(place, theme.dark), shown_on_log(c.total)
        (whole,) = axes.plot(
            x, total, color=tint, alpha=0.5, linewidth=0.4 * theme.width, gid=f"whole {c.name}"
        )
        (line,) = axes.plot(
            x, np.where(c.holds, total, np.nan), color=tint, linewidth=theme.width, linestyle=dashes(place),
            marker="o" if len(x) <= FEW else "", markersize=2 * theme.width, gid=f"bound {c.name}",
        )  # fmt: skip
        end = end_of(whole)
        if end is not None:
            words = fill(c.theorem.title, 17 if theme.narrow else 24, break_on_hyphens=False)
            labels.append(Label(*end, words, text_colour(tint, theme.text), line))
    totals = [c.total for c in comparison.contenders]
    frame(axes, along, x, totals, np.min(totals, axis=0))
    for change in comparison.changes:
        axes.axvline(
            change.at, color=theme.text, linewidth=0.4 * theme.width, linestyle=(0, (4, 3)), gid="change"
        )
        axes.annotate(
            f"{symbol(along)} = {number(change.at, 3)}", (change.at, _free(axes, x, totals, change.at)),
            xycoords=axes.get_xaxis_transform(), xytext=(0.4 * theme.note_size, 0),
            textcoords="offset points", va="center", fontsize=theme.note_size, color=theme.text,
        )  # fmt: skip
    label_ends(axes, labels, theme.label_size)


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


LIGHT = ("#1B6CA8", "#C4472B", "#3F7D20", "#7A3E9D", "#B07A00", "#4A4A4A")
DARK = ("#6CB8F0", "#FF8A6B", "#9BD770", "#CFA2EC", "#F2C14E", "#C9CDD3")
"""By the place of a theorem in a comparison; from the seventh on they begin again, with other dashes."""

DASHES: tuple[Dashes, ...] = ("solid", (0, (5, 1.5)), (0, (1.5, 1.2)), (0, (6, 1.2, 1.5, 1.2)), (0, (3, 2.5)))
"""One less than the colours, so that thirty theorems look different."""


def shade(place: int, dark: bool) -> str:
    """The colour of a theorem."""
    palette = DARK if dark else LIGHT
    return palette[place % len(palette)]


def dashes(place: int) -> Dashes:
    """The line style of a theorem."""
    return DASHES[place % len(DASHES)]
