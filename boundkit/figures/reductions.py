"""Graph of reductions: which theorem reduces to which, conditions on the arrows, constants below them.

An arrow: under its condition the theorem becomes the other, its terms multiplied by the constants given there
(1 where none is given). A dashed arrow: a reduction that looks right and is not.
"""

from __future__ import annotations

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import FancyBboxPatch

from boundkit.algebra import BoundkitError
from boundkit.analysis.reductions import Edge, Graph
from boundkit.figures.graph_drawing import LINE, Array, Size, draw_edge, draw_node, text_extent
from boundkit.figures.page import finish, sheet
from boundkit.figures.reduction_page import Component, EdgeText, PageLayout, drawn_edges, page_layout
from boundkit.figures.style import Ink, ink_of, style

FEW, SOME = 12, 40
"""Number of arrows beyond which a column of a paper, or a page, leaves the constants to the table."""


def figure(graph: Graph, preset: str = "hall", only: str | None = None) -> Figure:
    """Draw a graph of reductions; ``only`` is the theorem that it is about, drawn bold.

    A graph that is too wide for the page is taken apart: one star for each theorem that others reduce to.
    Raises BoundkitError where there is nothing to draw, and for an unknown preset.
    """
    if not graph.edges:
        raise BoundkitError("there is no reduction to draw.")
    with style(preset):
        ink = ink_of(sheet().subplots())
        brief = _is_brief(graph, ink)
        page, axes = _page(graph, only, ink, brief, 1.0)
        width, height = axes.get_xlim()[1], axes.get_ylim()[1]
        layout = page_layout(graph, (width, height), ink, brief)
        if layout.height > height or ink.narrow:
            usual = 72 * mpl.rcParams["figure.figsize"][1]
            page, axes = _page(graph, only, ink, brief, (usual - height + layout.height + 2) / usual)
        _draw_components(axes, layout, ink, only)
    return page


def draw(axes: Axes, graph: Graph, only: str | None = None) -> float:
    """Draw a graph on given Axes, whose unit becomes the point; return the points by which it is too tall.

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
    layout = page_layout(graph, (width, height), ink, _is_brief(graph, ink))
    axes.set_ylim(0, max(height, layout.height))
    _draw_components(axes, layout, ink, only)
    return float(max(layout.height - height, 0.0))


def _is_brief(graph: Graph, ink: Ink) -> bool:
    return len(drawn_edges(graph)) > (FEW if ink.narrow else SOME)


def _page(graph: Graph, only: str | None, ink: Ink, brief: bool, height: float) -> tuple[Figure, Axes]:
    """A page whose Axes have the point as their unit."""
    page = sheet(height)
    axes = page.subplots()
    axes.set_axis_off()
    finish(page, _headline(graph, only), _note(graph, brief), ink)
    box = axes.get_position()
    axes.set_xlim(0, 72 * box.width * page.get_figwidth())
    axes.set_ylim(0, 72 * box.height * page.get_figheight())
    return page, axes


def _draw_components(axes: Axes, layout: PageLayout, ink: Ink, only: str | None) -> None:
    """All components, in the middle of the page."""
    top = axes.get_ylim()[1] - max(axes.get_ylim()[1] - layout.height, 0.0) / 2
    for component, (x, down) in zip(layout.components, layout.corners, strict=True):
        _draw_component(axes, layout, component, (x, top - down), ink, only)


def _draw_component(
    axes: Axes, layout: PageLayout, component: Component, corner: Size, ink: Ink, only: str | None
) -> None:
    size, horizontal, graph = layout.size, layout.horizontal, component.layout

    def at(along: float, across: float) -> Array:
        right, down = (along, across) if horizontal else (across, along)
        return np.array([corner[0] + size * right, corner[1] - size * down])

    for edge, path, text, label in zip(
        component.edges, graph.paths, component.texts, graph.labels, strict=True
    ):
        draw_edge(
            axes, f"{'edge' if edge.holds else 'refused'} {edge.origin} {edge.to}",
            np.array([at(*point) for point in path]), size, ink.text if edge.holds else ink.faint,
            dashes="solid" if edge.holds else (0, (4, 2.5)),
        )  # fmt: skip
        _draw_label(axes, edge, text, at(label.along, label.across), size, ink)
    for name, box in graph.nodes.items():
        wide, high = box.size if horizontal else box.size[::-1]
        centre, width = at(box.along, box.across), 1 / 6 if name == only else 1 / 14
        draw_node(
            axes, name, component.names[name], centre, (size * wide, size * high), size, ink, width=width
        )


def _draw_label(axes: Axes, edge: Edge, text: EdgeText, centre: Array, size: float, ink: Ink) -> None:
    lines, sizes = text.lines(size)
    width, height = text_extent(lines, sizes, (0.6 * size, 0.25 * size))
    axes.add_patch(FancyBboxPatch(
        (centre[0] - width / 2, centre[1] - height / 2), width, height, boxstyle="square,pad=0",
        facecolor=ink.ground, edgecolor="none", zorder=2,
    ))  # fmt: skip
    y = centre[1] + height / 2 - 0.125 * size
    for place, (line, high) in enumerate(zip(lines, sizes, strict=True)):
        bright = edge.holds and place < len(text.condition)
        axes.text(
            centre[0], y - LINE * high / 2, line, ha="center", va="center", fontsize=high, zorder=3,
            color=ink.text if bright else ink.faint, gid=f"label {edge.origin} {edge.to}",
        )  # fmt: skip
        y -= LINE * high


def _headline(graph: Graph, only: str | None) -> str:
    if only is not None:
        return f"{only}: what it becomes, and what becomes it"
    return f"Which theorem becomes which: {len(graph.nodes)} theorems"


def _note(graph: Graph, brief: bool) -> str:
    sentences = ["An arrow: becomes, where the condition on it holds"]
    constants = any(e.factors or e.reduction.leaves for e in graph.edges if e.holds)
    if constants and brief:
        sentences.append("boundkit graph names the constants left over")
    elif constants:
        sentences.append("Below: constants left over, + a term left over")
    if any(not e.holds for e in drawn_edges(graph)):
        sentences.append("Dashed: looks right and is not")
    wrong = sum(not e.confirmed for e in graph.edges)
    sentences.append(f"{wrong} not confirmed by sympy" if wrong else "Every arrow was checked by sympy")
    return ". ".join(sentences) + "."
