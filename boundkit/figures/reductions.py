"""Graph of reductions: which theorem reduces to which, conditions on the arrows, constants below them.

An arrow: under its condition the theorem becomes the other, its terms multiplied by the constants given there
(1 where none is given). A dashed arrow: a reduction that looks right and is not.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import FancyBboxPatch
from sympy import Expr, fraction, sympify, together

from boundkit.algebra import BoundkitError, Quantity
from boundkit.algebra.printing import latex
from boundkit.analysis.reductions import Edge, ReductionGraph
from boundkit.figures.graph_drawing import (
    LINE,
    GraphLayout,
    Size,
    draw_edge,
    draw_node,
    layered_layout,
    pack_rows,
    text_extent,
)
from boundkit.figures.style import Theme, empty_figure, finish, style, theme_of
from boundkit.simulation.arrays import Array

PORT, ROW_GAP = 0.75, 1.6
"""In sizes of type: distance between two arrows at a box, and between two rows of components."""

SMALL = 0.8
"""Size of the constants, relative to the condition."""

SIZES = (1.0, 0.88, 0.76, 0.66, 0.58, 0.5, 0.45)
"""Type sizes relative to a label's; the largest is taken at which everything fits on the page."""

NARROW_SIZES = (1.0, 0.9, 0.8)
"""The same in a column of a paper, where the page may become longer, but not wider."""


@dataclass(frozen=True)
class EdgeText:
    """Text of an arrow: the condition, and below it the constants and remaining terms."""

    condition: tuple[str, ...]
    below: tuple[str, ...]

    def lines(self, size: float) -> tuple[list[str], list[float]]:
        """The lines and the size of each."""
        sizes = [size] * len(self.condition) + [SMALL * size] * len(self.below)
        return [*self.condition, *self.below], sizes


@dataclass(frozen=True)
class Component:
    """Theorems joined by reductions, laid out in sizes of type."""

    edges: tuple[Edge, ...]
    names: dict[str, str]
    texts: tuple[EdgeText, ...]
    layout: GraphLayout


@dataclass(frozen=True)
class Style:
    """How components are written; ``horizontal`` where arrows point to the right, not down.

    ``equations``: of a condition on a line; ``longest``: characters of a line of a name; ``brief``: without
    the constants.
    """

    horizontal: bool
    equations: int = 3
    longest: int = 17
    brief: bool = False


@dataclass(frozen=True)
class PageLayout:
    """Components in one type size with their upper left corners, the second coordinate of which points down.

    ``width`` is that of the widest component, ``height`` that of all together.
    """

    components: tuple[Component, ...]
    corners: tuple[Size, ...]
    horizontal: bool
    size: float
    width: float
    height: float


def page_layout(graph: ReductionGraph, available: Size, theme: Theme, brief: bool) -> PageLayout:
    """Compute the layout in the largest type that fits the available size; else one of its width, and longer.

    Connected components are drawn whole where they fit; otherwise each becomes one star for every theorem
    that others reduce to.
    """
    sizes = [share * theme.label_size for share in (NARROW_SIZES if theme.narrow else SIZES)]
    whole = Style(not theme.narrow, 3, 17, brief)
    star = Style(True, 2 - theme.narrow, 14, True) if brief else Style(True)
    for graphs, shape in ((graph.families(), whole), (_stars(graph), star)):
        components = tuple(_component(each, shape) for each in graphs)
        candidates = [_pack(components, shape.horizontal, size, available[0]) for size in sizes]
        fitting = [one for one in candidates if one.width <= available[0]]
        for one in fitting:
            if one.height <= available[1]:
                return one
        if fitting:
            return fitting[0] if theme.narrow else fitting[-1]
    return _pack(components, True, 0.999 * sizes[-1] * available[0] / candidates[-1].width, available[0])


def drawn_edges(graph: ReductionGraph) -> tuple[Edge, ...]:
    """The edges that are drawn.

    One that must not hold is left out where the same condition, with other constants, does hold.
    """
    holding = {(e.origin, e.to, _same(e.reduction.when)) for e in graph.edges if e.holds}
    return tuple(
        e for e in graph.edges if e.holds or (e.origin, e.to, _same(e.reduction.when)) not in holding
    )


def edge_text(edge: Edge, equations: int = 3, brief: bool = False) -> EdgeText:
    r"""The text of an arrow: so many equations on a line, and no constants where it is ``brief``.

    >>> from boundkit.algebra import Reduction
    >>> from boundkit.algebra.notation import C, tau
    >>> edge_text(Edge("here", Reduction("there", {tau: 1}, {"initial gap": 2, "noise": 4 / C})))
    EdgeText(condition=('$\\tau = 1$',), below=('2 × initial gap', '$4 / C$ × noise'))
    """
    when = [f"{latex(q)} = {_inline_latex(v)}" for q, v in edge.reduction.when.items()]
    lines = [r",\ ".join(when[k : k + equations]) for k in range(0, len(when), equations)]
    condition = [f"${line}$" for line in lines] or ["for all values"]
    if not edge.holds:
        return EdgeText((f"not at {condition[0]}" if when else "not so", *condition[1:]), ())
    below = [f"{_number(factor)} × {label}" for label, factor in edge.factors.items()]
    below += [f"+ {label}" for label in edge.reduction.leaves]
    return EdgeText(tuple(condition), () if brief else tuple(below))


def wrap_name(name: str, longest: int = 17) -> str:
    r"""Break a name into lines after its underscores.

    >>> wrap_name("fedavg_strongly_convex_partial")
    'fedavg_strongly_\nconvex_partial'
    """
    lines = [""]
    for part in name.replace("_", "_ ").split(" "):
        if lines[-1] and len(lines[-1]) + len(part) > longest:
            lines.append(part)
        else:
            lines[-1] += part
    return "\n".join(lines)


def _stars(graph: ReductionGraph) -> tuple[ReductionGraph, ...]:
    """One graph for each theorem that others reduce to: those others, and it."""
    stars = []
    for end in graph.nodes:
        edges = tuple(e for e in graph.edges if e.to == end)
        if edges:
            stars.append(ReductionGraph((*dict.fromkeys(e.origin for e in edges), end), edges))
    return tuple(sorted(stars, key=lambda star: -len(star.edges)))


def _component(graph: ReductionGraph, style: Style) -> Component:
    edges, horizontal = drawn_edges(graph), style.horizontal
    names = {name: wrap_name(name, style.longest) for name in graph.nodes}
    texts = tuple(edge_text(edge, style.equations, style.brief) for edge in edges)
    turn: Callable[[Size], Size] = (lambda size: size) if horizontal else (lambda size: size[::-1])
    boxes = {}
    for name, text in names.items():
        along, across = turn(text_extent(text.split("\n"), [1.0] * (text.count("\n") + 1), (0.9, 0.6)))
        ports = max(sum(e.origin == name for e in edges), sum(e.to == name for e in edges))
        boxes[name] = (along, max(across, PORT * ports))
    labels = [turn(text_extent(*text.lines(1.0), (0.6, 0.25))) for text in texts]
    heights = graph.layers()
    layers = [[n for n in graph.nodes if heights[n] == k] for k in range(max(heights.values()), -1, -1)]
    gap = (2.4, 0.6) if horizontal else (1.5, 0.9)
    ends = [(e.origin, e.to) for e in edges]
    return Component(edges, names, texts, layered_layout(layers, ends, boxes, labels, gap, PORT))


def _pack(components: tuple[Component, ...], horizontal: bool, size: float, width: float) -> PageLayout:
    along = [(size * c.layout.length, size * c.layout.breadth) for c in components]
    extents = along if horizontal else [(wide, high) for high, wide in along]
    gap = (2.5 * size, ROW_GAP * size)
    packed = min(
        (pack_rows(extents, gap, width), _pack_columns(extents, gap, width)), key=lambda each: each[1]
    )
    return PageLayout(components, packed[0], horizontal, size, max(wide for wide, _ in extents), packed[1])


def _pack_columns(extents: Sequence[Size], gap: Size, width: float) -> tuple[tuple[Size, ...], float]:
    """Upper left corners in columns of equal width, the tallest first, each in the shortest column."""
    wide = max(each for each, _ in extents)
    count = min(max(int((width + gap[0]) // (wide + gap[0])), 1), len(extents))
    ends = [0.0] * count
    corners: dict[int, Size] = {}
    for k in sorted(range(len(extents)), key=lambda k: -extents[k][1]):
        column = ends.index(min(ends))
        middle = (column + 0.5) * width / count
        corners[k] = (middle - extents[k][0] / 2, ends[column])
        ends[column] += extents[k][1] + gap[1]
    return tuple(corners[k] for k in range(len(extents))), max(ends) - gap[1]


def _number(factor: Expr) -> str:
    return str(factor) if factor.is_Rational else f"${_inline_latex(factor)}$"


def _inline_latex(value: Expr | int) -> str:
    """LaTeX on one line, with fractions as 4/C."""
    above, below = fraction(together(sympify(value)))
    return latex(above) if below == 1 else f"{_grouped(above)} / {_grouped(below, product=True)}"


def _grouped(expr: Expr, product: bool = False) -> str:
    return f"({latex(expr)})" if expr.is_Add or (product and expr.is_Mul) else latex(expr)


def _same(when: Mapping[Quantity, Expr | int]) -> frozenset[tuple[str, str]]:
    return frozenset((str(q), str(v)) for q, v in when.items())


FEW, SOME = 12, 40
"""Number of arrows beyond which a column of a paper, or a page, leaves the constants to the table."""


def figure(graph: ReductionGraph, preset: str = "presentation", only: str | None = None) -> Figure:
    """Draw a graph of reductions; ``only`` is the theorem that it is about, drawn bold.

    A graph that is too wide for the page is taken apart: one star for each theorem that others reduce to.
    Raises BoundkitError where there is nothing to draw, and for an unknown preset.
    """
    if not graph.edges:
        raise BoundkitError("there is no reduction to draw.")
    with style(preset):
        theme = theme_of(empty_figure().subplots())
        brief = _is_brief(graph, theme)
        page, axes = _page(graph, only, theme, brief, 1.0)
        width, height = axes.get_xlim()[1], axes.get_ylim()[1]
        layout = page_layout(graph, (width, height), theme, brief)
        if layout.height > height or theme.narrow:
            usual = 72 * mpl.rcParams["figure.figsize"][1]
            page, axes = _page(graph, only, theme, brief, (usual - height + layout.height + 2) / usual)
        _draw_components(axes, layout, theme, only)
    return page


def draw(axes: Axes, graph: ReductionGraph, only: str | None = None) -> float:
    """Draw a graph on given Axes, whose unit becomes the point; return the points by which it is too tall.

    Raises BoundkitError where there is nothing to draw.
    """
    if not graph.edges:
        raise BoundkitError("there is no reduction to draw.")
    page, theme = axes.get_figure(root=True), theme_of(axes)
    assert page is not None
    axes.set_axis_off()
    axes.set_title(_headline(graph, only))
    box = axes.get_position()
    width, height = 72 * box.width * page.get_figwidth(), 72 * box.height * page.get_figheight()
    axes.set_xlim(0, width)
    layout = page_layout(graph, (width, height), theme, _is_brief(graph, theme))
    axes.set_ylim(0, max(height, layout.height))
    _draw_components(axes, layout, theme, only)
    return float(max(layout.height - height, 0.0))


def _is_brief(graph: ReductionGraph, theme: Theme) -> bool:
    return len(drawn_edges(graph)) > (FEW if theme.narrow else SOME)


def _page(
    graph: ReductionGraph, only: str | None, theme: Theme, brief: bool, height: float
) -> tuple[Figure, Axes]:
    """A page whose Axes have the point as their unit."""
    page = empty_figure(height)
    axes = page.subplots()
    axes.set_axis_off()
    finish(page, _headline(graph, only), _note(graph, brief), theme)
    box = axes.get_position()
    axes.set_xlim(0, 72 * box.width * page.get_figwidth())
    axes.set_ylim(0, 72 * box.height * page.get_figheight())
    return page, axes


def _draw_components(axes: Axes, layout: PageLayout, theme: Theme, only: str | None) -> None:
    """All components, in the middle of the page."""
    top = axes.get_ylim()[1] - max(axes.get_ylim()[1] - layout.height, 0.0) / 2
    for component, (x, down) in zip(layout.components, layout.corners, strict=True):
        _draw_component(axes, layout, component, (x, top - down), theme, only)


def _draw_component(
    axes: Axes, layout: PageLayout, component: Component, corner: Size, theme: Theme, only: str | None
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
            np.array([at(*point) for point in path]), size, theme.text if edge.holds else theme.faint,
            dashes="solid" if edge.holds else (0, (4, 2.5)),
        )  # fmt: skip
        _draw_label(axes, edge, text, at(label.along, label.across), size, theme)
    for name, box in graph.nodes.items():
        wide, high = box.size if horizontal else box.size[::-1]
        centre, width = at(box.along, box.across), 1 / 6 if name == only else 1 / 14
        draw_node(
            axes, name, component.names[name], centre, (size * wide, size * high), size, theme, width=width
        )


def _draw_label(axes: Axes, edge: Edge, text: EdgeText, centre: Array, size: float, theme: Theme) -> None:
    lines, sizes = text.lines(size)
    width, height = text_extent(lines, sizes, (0.6 * size, 0.25 * size))
    axes.add_patch(FancyBboxPatch(
        (centre[0] - width / 2, centre[1] - height / 2), width, height, boxstyle="square,pad=0",
        facecolor=theme.background, edgecolor="none", zorder=2,
    ))  # fmt: skip
    y = centre[1] + height / 2 - 0.125 * size
    for place, (line, high) in enumerate(zip(lines, sizes, strict=True)):
        bright = edge.holds and place < len(text.condition)
        axes.text(
            centre[0], y - LINE * high / 2, line, ha="center", va="center", fontsize=high, zorder=3,
            color=theme.text if bright else theme.faint, gid=f"label {edge.origin} {edge.to}",
        )  # fmt: skip
        y -= LINE * high


def _headline(graph: ReductionGraph, only: str | None) -> str:
    if only is not None:
        return f"{only}: what it becomes, and what becomes it"
    return f"Which theorem becomes which: {len(graph.nodes)} theorems"


def _note(graph: ReductionGraph, brief: bool) -> str:
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
