"""Lattice of assumptions: stronger ones above weaker ones, with a cross on implications that do not hold.

A solid arrow: implies. A dashed one: implies with more, which ``boundkit graph`` names. A faint one
with a cross: does not imply, by a counterexample. A double line with a cross: cannot hold together on all of
space.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from boundkit.algebra.errors import unknown
from boundkit.analysis.lattice import LATTICE, Lattice
from boundkit.figures.assumption_panel import Kind, Panel, panel
from boundkit.figures.graph_drawing import Array, Dashes, Size, draw_edge, draw_node, pack_rows
from boundkit.figures.page import finish, sheet
from boundkit.figures.style import Ink, ink_of, style
from boundkit.report.formatting import join_names

_DASHES: dict[Kind, Dashes] = {
    "solid": "solid",
    "dashed": (0, (4, 2.5)),
    "struck": (0, (1.2, 1.5)),
    "against": "solid",
}
TITLE, PANEL_GAP = 2.2, 2.6
"""In sizes of type: height of a title, and distance between panels."""


def figure(subjects: Sequence[str] = (), preset: str = "hall", lattice: Lattice = LATTICE) -> Figure:
    """Draw these subjects, or all.

    Raises BoundkitError for an unknown subject or preset.
    """
    for name in subjects:
        if name not in lattice.subjects:
            raise unknown("subject", name, lattice.subjects)
    chosen = [s for name, s in lattice.subjects.items() if name in subjects or not subjects]
    with style(preset):
        ink = ink_of(sheet().subplots())
        title = TITLE if len(chosen) > 1 else 0.0
        width = 0.95 * 72 * sheet().get_figwidth()
        for size in _sizes(len(chosen), ink):
            widest = width if title == 0 or ink.narrow else 0.5 * width
            panels = [panel(subject, lattice, widest / size) for subject in chosen]
            extents = [(size * p.layout.breadth, size * (p.layout.length + title)) for p in panels]
            corners, height = pack_rows(extents, (PANEL_GAP * size, PANEL_GAP * size), width)
            if height < 0.75 * 72 * sheet().get_figheight():
                break
        headline = _headline(panels, len(chosen) == len(lattice.subjects))
        page, axes = _page(height + PANEL_GAP * size, headline, _note(ink.narrow), ink)
        left = (axes.get_xlim()[1] - width) / 2
        top = axes.get_ylim()[1] - (axes.get_ylim()[1] - height) / 2
        for one, (x, down) in zip(panels, corners, strict=True):
            _draw_panel(axes, one, (left + x, top - down), size, ink, title)
    return page


def _sizes(panels: int, ink: Ink) -> list[float]:
    """Type sizes to be tried, the largest first: many panels on a slide need small type."""
    if ink.narrow or panels == 1:
        return [ink.label_size]
    return [share * ink.label_size for share in ((1.0, 0.8, 0.62) if panels < 4 else (0.62,))]


def _page(need: float, headline: str, note: str, ink: Ink) -> tuple[Figure, Axes]:
    """A page whose Axes have the point as their unit, at least ``need`` of them high."""
    usual = 72 * sheet().get_figheight()
    height = usual if not ink.narrow else 0.5 * usual
    for _ in range(2):
        page = sheet(height / usual)
        axes = page.subplots()
        axes.set_axis_off()
        finish(page, headline, note, ink)
        box = axes.get_position()
        available = 72 * box.height * page.get_figheight()
        axes.set_xlim(0, 72 * box.width * page.get_figwidth())
        axes.set_ylim(0, available)
        if available >= need:
            break
        height += need - available + 1
    return page, axes


def _draw_panel(axes: Axes, one: Panel, corner: Size, size: float, ink: Ink, title: float) -> None:
    """A panel by its upper left corner."""

    def at(along: float, across: float) -> Array:
        return np.array([corner[0] + size * across, corner[1] - size * (title + along)])

    if title:
        x, y = at(-0.7, one.layout.breadth / 2).tolist()
        axes.text(
            x, y, one.title, ha="center", va="bottom", color=ink.text,
            fontsize=1.15 * size, fontweight="bold", gid=f"title {one.title}",
        )  # fmt: skip
    for (kind, start, end), path, label in zip(one.arrows, one.layout.paths, one.layout.labels, strict=True):
        gid = f"{kind} {start} {end}"
        draw_edge(
            axes, gid, np.array([at(*point) for point in path]), size,
            ink.faint if kind == "struck" else ink.text, width=1 / 8 if kind == "against" else 1 / 13,
            dashes=_DASHES[kind], both_ends=kind == "against",
        )  # fmt: skip
        if kind in ("struck", "against"):
            axes.plot(
                *at(label.along, label.across), marker="x", color=ink.text, markersize=0.5 * size,
                markeredgewidth=size / 7, zorder=5, gid=f"cross {gid}",
            )  # fmt: skip
    for name, box in one.layout.nodes.items():
        guest = name in one.guests
        draw_node(
            axes, name, one.names[name], at(box.along, box.across), (size * box.size[1], size * box.size[0]),
            size, ink, colour=ink.faint if guest else ink.text, dashes=(0, (2, 1.5)) if guest else "solid",
        )  # fmt: skip


def _headline(panels: Sequence[Panel], everything: bool) -> str:
    if everything:
        return "Assumptions: which implies which, and which does not"
    return f"Assumptions on {join_names([p.title for p in panels])}: which implies which"


def _note(narrow: bool) -> str:
    solid = "An arrow: implies" + ("" if narrow else ", with the constants that boundkit graph gives")
    return (
        f"{solid}. Dashed: only with more. Cross: does not, by example. "
        "Double-headed: never both on all of space. Dotted boxes: of another subject."
    )
