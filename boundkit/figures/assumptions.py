"""The lattice of assumptions: stronger above weaker, a cross on what does not follow.

A solid arrow: implies. A dashed one: implies with more, which ``boundkit assumptions`` names. A faint
one with a cross: does not imply, and there is an example. A double line with a cross: cannot hold
together on all of space.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import FancyArrowPatch, FancyBboxPatch
from numpy.typing import NDArray

from boundkit.algebra.errors import unknown
from boundkit.analysis.lattice import LATTICE, Lattice
from boundkit.figures.lattice_layout import Box, shelves
from boundkit.figures.lattice_panel import Arrow, Kind, Panel, panel
from boundkit.figures.lattice_search import Bend
from boundkit.figures.page import finish, sheet
from boundkit.figures.style import Ink, ink_of, style
from boundkit.report.formatting import join_names

Array = NDArray[np.float64]

_DASHES: dict[Kind, str | tuple[int, tuple[float, ...]]] = {
    "solid": "solid",
    "dashed": (0, (4, 2.5)),
    "struck": (0, (1.2, 1.5)),
    "against": "solid",
}


def figure(subjects: Sequence[str] = (), preset: str = "hall", lattice: Lattice = LATTICE) -> Figure:
    """The picture of these subjects, or of all.

    Raises BoundkitError for an unknown subject or preset.
    """
    for name in subjects:
        if name not in lattice.subjects:
            raise unknown("subject", name, lattice.subjects)
    shown = [s for name, s in lattice.subjects.items() if name in subjects or not subjects]
    with style(preset):
        ink = _ink()
        alone = len(shown) == 1
        room = 0.95 * 72 * sheet().get_figwidth()
        for size in _sizes(len(shown), ink):
            wide = room if alone or ink.narrow else 0.5 * room
            panels = [panel(s, lattice, size, wide) for s in shown]
            rows = shelves([p.width for p in panels], 3 * size, room)
            need = sum(_height(panels, row, size, alone) for row in rows)
            if need < 0.75 * 72 * sheet().get_figheight():
                break
        everything = len(shown) == len(lattice.subjects)
        page, axes = _page(need, _headline(panels, everything), _note(ink.narrow), ink)
        width, top = axes.get_xlim()[1], axes.get_ylim()[1]
        if len(rows) == 1:
            top -= (top - need) / 2
        for row in rows:
            free = (width - sum(panels[k].width for k in row)) / len(row)
            x = free / 2
            below = top - _height(panels, row, size, alone)
            for k in row:
                y = top - (0.6 if alone else 2.3) * size - panels[k].height
                _draw(axes, panels[k], x, y, size, ink, titled=not alone)
                x += panels[k].width + free
            top = below
    return page


def _sizes(panels: int, ink: Ink) -> list[float]:
    """The sizes of type to be tried, the largest first: on a slide many panels need small type."""
    if ink.narrow or panels == 1:
        return [ink.label_size]
    return [share * ink.label_size for share in ((1.0, 0.8, 0.62) if panels < 4 else (0.62,))]


def _height(panels: Sequence[Panel], row: Sequence[int], size: float, alone: bool) -> float:
    """A row of panels, with their titles and the air around them."""
    return max(panels[k].height for k in row) + (1.2 if alone else 4.4) * size


def _page(need: float, headline: str, note: str, ink: Ink) -> tuple[Figure, Axes]:
    """A page on whose Axes there is room for ``need`` points below each other; one unit is one point."""
    usual = 72 * sheet().get_figheight()
    height = usual if not ink.narrow else 0.5 * usual
    for _ in range(2):
        page = sheet(height / usual)
        axes = page.subplots()
        axes.set_axis_off()
        finish(page, headline, note, ink)
        box = axes.get_position()
        there = 72 * box.height * page.get_figheight()
        axes.set_xlim(0, 72 * box.width * page.get_figwidth())
        axes.set_ylim(0, there)
        if there >= need:
            break
        height += need - there + 1
    return page, axes


def _ink() -> Ink:
    return ink_of(sheet().subplots())


def _draw(axes: Axes, one: Panel, x: float, y: float, size: float, ink: Ink, titled: bool) -> None:
    boxes = {name: box.moved(x, y) for name, box in one.boxes.items()}
    if titled:
        axes.text(
            x + one.width / 2, y + one.height + 0.6 * size, one.title, ha="center", va="bottom",
            color=ink.text, fontsize=1.15 * size, fontweight="bold", gid=f"title {one.title}",
        )  # fmt: skip
    for arrow in one.arrows:
        _arrow(axes, arrow, boxes[arrow.start], boxes[arrow.end], size, ink)
    for name, box in boxes.items():
        _node(axes, name, one.words[name], box, name in one.guests, size, ink)


def _node(axes: Axes, name: str, words: str, box: Box, guest: bool, size: float, ink: Ink) -> None:
    colour = ink.faint if guest else ink.text
    axes.add_patch(FancyBboxPatch(
        (box.x - box.width / 2, box.y - box.height / 2), box.width, box.height,
        boxstyle=f"round,pad=0,rounding_size={0.4 * size}", facecolor=ink.ground, edgecolor=colour,
        linewidth=size / 14, linestyle=(0, (2, 1.5)) if guest else "solid", gid=f"box {name}", zorder=3,
    ))  # fmt: skip
    axes.text(
        box.x, box.y, words, ha="center", va="center", color=colour, fontsize=size, linespacing=1.1, zorder=4,
        gid=f"name {name}",
    )  # fmt: skip


def _arrow(axes: Axes, arrow: Arrow, start: Box, end: Box, size: float, ink: Ink) -> None:
    body = curve(start, end, arrow.bend, 0.15 * size)
    colour = ink.faint if arrow.kind == "struck" else ink.text
    width = size / (8 if arrow.kind == "against" else 13)
    gid = f"{arrow.kind} {arrow.start} {arrow.end}"
    axes.plot(*body.T, color=colour, linewidth=width, linestyle=_DASHES[arrow.kind], zorder=2, gid=gid)
    ends = [body[-8:], body[7::-1]] if arrow.kind == "against" else [body[-8:]]
    for way in ends:  # apart from the body, so that its outline has no dashes
        axes.add_patch(FancyArrowPatch(
            way[0], way[-1], arrowstyle="-|>", mutation_scale=0.7 * size, color=colour, linewidth=width / 2,
            shrinkA=0, shrinkB=0, zorder=2, gid=f"head {gid}",
        ))  # fmt: skip
    if arrow.kind in ("struck", "against"):
        (place,) = arrow.bend.points(start, end, np.array([arrow.bend.middle]))
        axes.plot(
            *place, marker="x", color=ink.text, markersize=0.5 * size, markeredgewidth=size / 7, zorder=5,
            gid=f"cross {gid}",
        )  # fmt: skip


def curve(start: Box, end: Box, bend: Bend, margin: float) -> Array:
    """The bent line from box to box, shape (n, 2)."""
    way = bend.points(start, end, np.linspace(0.0, 1.0, 300))
    outside = [not (start.holds(x, y, margin) or end.holds(x, y, margin)) for x, y in way]
    free: Array = way[np.asarray(outside)]
    return free if len(free) > 8 else np.linspace((start.x, start.y), (end.x, end.y), 9)


def _headline(panels: Sequence[Panel], everything: bool) -> str:
    if everything:
        return "Assumptions: which implies which, and which does not"
    return f"Assumptions on {join_names([p.title for p in panels])}: which implies which"


def _note(narrow: bool) -> str:
    solid = "An arrow: implies" + ("" if narrow else ", with the constants that boundkit assumptions gives")
    return (
        f"{solid}. Dashed: only with more. Cross: does not, by example. "
        "Double-headed: never both on all of space. Dotted boxes: of another subject."
    )
