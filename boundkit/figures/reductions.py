r"""Which theorem becomes which: the general ones first, conditions on the arrows, constants in small type.

An arrow: under its condition the theorem becomes the other, its terms multiplied by the constants that
stand there (1 where none stands). A dashed arrow with a stroke through its sign: it looks right, and is
not.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import FancyArrowPatch, FancyBboxPatch
from numpy.typing import NDArray

from boundkit.algebra import BoundkitError
from boundkit.analysis.reductions import Edge, Graph
from boundkit.figures.page import finish, sheet
from boundkit.figures.reduction_layout import Spot
from boundkit.figures.reduction_pages import PORT, Family, Layout, laid_out
from boundkit.figures.reduction_words import LINE, Words, boxed, drawn_edges, lines_of
from boundkit.figures.style import Ink, ink_of, style

Array = NDArray[np.float64]

FEW, SOME = 12, 40
"""Where a column of a paper, or a page, would hold more arrows, constants are left to the table."""


def figure(graph: Graph, preset: str = "hall", only: str | None = None) -> Figure:
    """The picture of a graph of reductions; ``only`` is the theorem that it is about, drawn bold.

    What is too wide for the page is taken apart: one star for each theorem that others become. Raises
    BoundkitError where there is nothing to draw, or for an unknown preset.
    """
    if not graph.edges:
        raise BoundkitError("there is no reduction to draw.")
    with style(preset):
        ink = ink_of(sheet().subplots())
        brief = len(drawn_edges(graph)) > (FEW if ink.narrow else SOME)
        page, axes = _page(graph, only, ink, brief, 1.0)
        width, height = axes.get_xlim()[1], axes.get_ylim()[1]
        laid = laid_out(graph, (width, height), ink, brief)
        if laid.height > height or ink.narrow:
            usual = 72 * mpl.rcParams["figure.figsize"][1]
            page, axes = _page(graph, only, ink, brief, (usual - height + laid.height + 2) / usual)
        _place(axes, laid, ink, only)
    return page


def draw(axes: Axes, graph: Graph, only: str | None = None) -> float:
    """Draw a graph on given Axes, which count in points then; how many points it is too tall comes back.

    Raises BoundkitError where there is nothing to draw.
    """
    if not graph.edges:
        raise BoundkitError("there is no reduction to draw.")
    page, ink = axes.get_figure(root=True), ink_of(axes)
    assert page is not None
    axes.set_axis_off()
    axes.set_title(_headline(graph, only))
    box = axes.get_position()
    width, height = 72 * box.width * page.get_figwidth(), 72 * box.height * page.get_figheight()
    axes.set_xlim(0, width)
    laid = laid_out(graph, (width, height), ink, len(drawn_edges(graph)) > (FEW if ink.narrow else SOME))
    axes.set_ylim(0, max(height, laid.height))
    _place(axes, laid, ink, only)
    return float(max(laid.height - height, 0.0))


def _page(graph: Graph, only: str | None, ink: Ink, brief: bool, usual: float) -> tuple[Figure, Axes]:
    """A page whose Axes count in points."""
    page = sheet(usual)
    axes = page.subplots()
    axes.set_axis_off()
    finish(page, _headline(graph, only), _note(graph, brief), ink)
    box = axes.get_position()
    axes.set_xlim(0, 72 * box.width * page.get_figwidth())
    axes.set_ylim(0, 72 * box.height * page.get_figheight())
    return page, axes


def _place(axes: Axes, laid: Layout, ink: Ink, only: str | None) -> None:
    """Every family in its place, all of them in the middle of the page."""
    top = axes.get_ylim()[1] - max(axes.get_ylim()[1] - laid.height, 0.0) / 2
    for family, (x, down) in zip(laid.families, laid.corners, strict=True):
        _draw(axes, laid, family, (x, top - down), ink, only)


def _draw(
    axes: Axes, laid: Layout, family: Family, corner: tuple[float, float], ink: Ink, only: str | None
) -> None:
    """One family, its upper left corner given."""
    size, flat = laid.size, laid.flat

    def at(along: float, across: float) -> Array:
        right, down = (along, across) if flat else (across, along)
        return np.array([corner[0] + size * right, corner[1] - size * down])

    ports = _ports(family)
    for k, edge in enumerate(family.edges):
        knots = [at(*knot) for knot in _knots(family.plan.ways[k], *ports[k])]
        _arrow(axes, edge, _curve(knots, 0 if flat else 1), size, ink)
    for k, edge in enumerate(family.edges):
        if k in family.plan.labels:
            spot = family.plan.labels[k]
            _label(axes, edge, family.words[k], at(spot.along, spot.across), size, ink)
    for name, spot in family.plan.nodes.items():
        long, high = spot.size if flat else spot.size[::-1]
        _node(
            axes,
            name,
            family.names[name],
            at(spot.along, spot.across),
            (size * long, size * high),
            size,
            ink,
            name == only,
        )


def _ports(family: Family) -> list[tuple[float, float]]:
    """How far beside the middle each edge leaves and enters, so that no two arrows meet in a point."""
    found = [[0.0, 0.0] for _ in family.edges]
    for name in family.plan.nodes:
        for end, ours in enumerate(("origin", "to")):
            own = [k for k, e in enumerate(family.edges) if getattr(e, ours) == name]
            own.sort(key=lambda k: family.plan.ways[k][1 if end == 0 else -2].across)
            for place, k in enumerate(own):
                found[k][end] = (place - (len(own) - 1) / 2) * PORT
    return [(leaves, enters) for leaves, enters in found]


def _knots(way: Sequence[Spot], leaves: float, enters: float) -> list[tuple[float, float]]:
    """Points of a way, along and across: straight through every layer, so that it bends between them only."""
    forward = float(np.sign(way[-1].along - way[0].along)) or 1.0
    first, *middle, last = way
    knots = [
        (first.along + forward * half / 2, first.across + leaves) for half in (first.size[0], first.column)
    ]
    for spot in middle:
        knots += [(spot.along + side * spot.column / 2, spot.across) for side in (-forward, forward)]
    knots += [(last.along - forward * half / 2, last.across + enters) for half in (last.column, last.size[0])]
    return knots


def _curve(knots: Sequence[Array], axis: int) -> Array:
    """A smooth line over the knots, which passes each of them along the axis; shape (n, 2)."""
    t = np.linspace(0.0, 1.0, 24)[:, None]
    parts = []
    for a, b in pairwise(knots):
        ahead = np.zeros(2)
        ahead[axis] = (b[axis] - a[axis]) / 2
        bend = 3 * (1 - t) ** 2 * t * (a + ahead) + 3 * (1 - t) * t**2 * (b - ahead)
        parts.append((1 - t) ** 3 * a + bend + t**3 * b)
    return np.concatenate(parts)


def _arrow(axes: Axes, edge: Edge, body: Array, size: float, ink: Ink) -> None:
    colour = ink.text if edge.holds else ink.faint
    dashes = "solid" if edge.holds else (0, (4, 2.5))
    gid = f"{'edge' if edge.holds else 'refused'} {edge.origin} {edge.to}"
    axes.plot(*body.T, color=colour, linewidth=size / 13, linestyle=dashes, zorder=1, gid=gid)
    far = np.linalg.norm(body - body[-1], axis=1) > 0.5 * size
    axes.add_patch(FancyArrowPatch(
        body[far][-1], body[-1], arrowstyle="-|>", mutation_scale=0.9 * size, color=colour,
        linewidth=0, shrinkA=0, shrinkB=0, zorder=1, gid=f"head {gid}",
    ))  # fmt: skip


def _label(axes: Axes, edge: Edge, words: Words, centre: Array, size: float, ink: Ink) -> None:
    lines, sizes = lines_of(words, size)
    width, height = boxed(lines, sizes, 0.6 * size, 0.25 * size)
    axes.add_patch(FancyBboxPatch(
        (centre[0] - width / 2, centre[1] - height / 2), width, height, boxstyle="square,pad=0",
        facecolor=ink.ground, edgecolor="none", zorder=2,
    ))  # fmt: skip
    y = centre[1] + height / 2 - 0.125 * size
    for place, (line, high) in enumerate(zip(lines, sizes, strict=True)):
        bright = edge.holds and place < len(words.condition)
        axes.text(
            centre[0], y - LINE * high / 2, line, ha="center", va="center", fontsize=high, zorder=3,
            color=ink.text if bright else ink.faint, gid=f"label {edge.origin} {edge.to}",
        )  # fmt: skip
        y -= LINE * high


def _node(
    axes: Axes,
    name: str,
    words: str,
    centre: Array,
    box: tuple[float, float],
    size: float,
    ink: Ink,
    bold: bool,
) -> None:
    axes.add_patch(FancyBboxPatch(
        (centre[0] - box[0] / 2, centre[1] - box[1] / 2), *box,
        boxstyle=f"round,pad=0,rounding_size={0.35 * size}", facecolor=ink.ground, edgecolor=ink.text,
        linewidth=size / (6 if bold else 14), zorder=3, gid=f"box {name}",
    ))  # fmt: skip
    axes.text(
        centre[0], centre[1], words, ha="center", va="center", color=ink.text, fontsize=size, linespacing=1.1,
        zorder=4, gid=f"name {name}",
    )  # fmt: skip


def _headline(graph: Graph, only: str | None) -> str:
    if only is not None:
        return f"{only}: what it becomes, and what becomes it"
    return f"Which theorem becomes which: {len(graph.nodes)} theorems"


def _note(graph: Graph, brief: bool) -> str:
    sentences = ["An arrow: becomes, where the condition on it holds"]
    constants = any(e.factors or e.reduction.leaves for e in graph.edges if e.holds)
    if constants and brief:
        sentences.append("boundkit reductions names the constants left over")
    elif constants:
        sentences.append("Below: constants left over, + a term left over")
    if any(not e.holds for e in drawn_edges(graph)):
        sentences.append("Dashed: looks right and is not")
    wrong = sum(not e.confirmed for e in graph.edges)
    sentences.append(f"{wrong} not confirmed by sympy" if wrong else "Every arrow was checked by sympy")
    return ". ".join(sentences) + "."
