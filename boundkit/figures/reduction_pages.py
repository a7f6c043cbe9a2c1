"""How a graph of reductions is put on a page: families side by side, and in what size of type."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from boundkit.analysis.reductions import Edge, Graph
from boundkit.figures.reduction_layout import Plan, Size, plan
from boundkit.figures.reduction_words import Words, boxed, drawn_edges, lines_of, worded, words_of
from boundkit.figures.style import Ink

PORT, AIR = 0.75, 1.6
"""In heights of type: from arrow to arrow at a box, and between two rows of families."""

SIZES = (1.0, 0.88, 0.76, 0.66, 0.58, 0.5, 0.45)
"""Type as shares of a label's: the largest is taken in which everything stands on a page."""

NARROW_SIZES = (1.0, 0.9, 0.8)
"""The same in a column of a paper, where the page may be long instead, but not wider."""


@dataclass(frozen=True)
class Family:
    """Theorems that are joined, laid out in heights of type."""

    graph: Graph
    edges: tuple[Edge, ...]
    names: dict[str, str]
    words: tuple[Words, ...]
    plan: Plan


@dataclass(frozen=True)
class Style:
    """How families are written; ``flat`` where the special end is to the right, not below.

    ``on_a_line`` equations of a condition share a line, a name breaks after ``longest`` letters, and
    ``brief`` leaves the constants out.
    """

    flat: bool
    on_a_line: int = 3
    longest: int = 17
    brief: bool = False


@dataclass(frozen=True)
class Layout:
    """Families in type of one size with their upper left corners, the second of which counts downwards.

    ``width`` is that of the widest family, ``height`` that of all of them together.
    """

    families: tuple[Family, ...]
    corners: tuple[tuple[float, float], ...]
    flat: bool
    size: float
    width: float
    height: float


def laid_out(graph: Graph, room: tuple[float, float], ink: Ink, brief: bool) -> Layout:
    """The largest type in which all stands on the page; else what is as wide as the page, and longer.

    Families are kept whole where they fit; else each is taken apart, a star for each theorem that others
    become.
    """
    sizes = [share * ink.label_size for share in (NARROW_SIZES if ink.narrow else SIZES)]
    whole = Style(not ink.narrow, 3, 17, brief)
    stars = Style(True, 2 - ink.narrow, 14, True) if brief else Style(True)
    for graphs, style in ((graph.families(), whole), (_stars(graph), stars)):
        families = tuple(_family(each, style) for each in graphs)
        tried = [_layout(families, style.flat, size, room[0]) for size in sizes]
        fitting = [one for one in tried if one.width <= room[0]]
        for one in fitting:
            if one.height <= room[1]:
                return one
        if fitting:
            return fitting[0] if ink.narrow else fitting[-1]
    return _layout(families, True, 0.999 * sizes[-1] * room[0] / tried[-1].width, room[0])


def _stars(graph: Graph) -> tuple[Graph, ...]:
    """One graph for each theorem that others become: those others, and it."""
    found = []
    for end in graph.nodes:
        edges = tuple(e for e in graph.edges if e.to == end)
        if edges:
            found.append(Graph((*dict.fromkeys(e.origin for e in edges), end), edges))
    return tuple(sorted(found, key=lambda star: -len(star.edges)))


def _layout(families: tuple[Family, ...], flat: bool, size: float, room: float) -> Layout:
    plans = [f.plan for f in families]
    extents = [
        (size * p.length, size * p.breadth) if flat else (size * p.breadth, size * p.length) for p in plans
    ]
    gap = (2.5 * size, AIR * size)
    packed = min((_shelves(extents, gap, room), _columns(extents, gap, room)), key=lambda each: each[1])
    return Layout(families, packed[0], flat, size, max(wide for wide, _ in extents), packed[1])


def _family(graph: Graph, style: Style) -> Family:
    edges, flat = drawn_edges(graph), style.flat
    names = {name: worded(name, style.longest) for name in graph.nodes}
    words = tuple(words_of(edge, style.on_a_line, style.brief) for edge in edges)
    turn: Callable[[float, float], Size] = (lambda w, h: (w, h)) if flat else (lambda w, h: (h, w))
    boxes = {}
    for name, text in names.items():
        along, across = turn(*boxed(text.split("\n"), [1.0] * (text.count("\n") + 1), 0.9, 0.6))
        ports = max(sum(e.origin == name for e in edges), sum(e.to == name for e in edges))
        boxes[name] = (along, max(across, PORT * ports))
    labels = [turn(*boxed(*lines_of(w, 1.0), 0.6, 0.25)) for w in words]
    laid = plan(
        graph.layers(), [(e.origin, e.to) for e in edges], boxes, labels, (2.4, 0.6) if flat else (1.5, 0.9)
    )
    return Family(graph, edges, names, words, laid)


Packed = tuple[tuple[tuple[float, float], ...], float]
"""Upper left corners, and the height of all."""


def _shelves(extents: Sequence[Size], gap: Size, room: float) -> Packed:
    """Side by side in rows, in their order, with what is free shared out."""
    rows: list[list[int]] = []
    left = -1.0
    for k, (wide, _) in enumerate(extents):
        if rows and wide + gap[0] <= left:
            rows[-1].append(k)
            left -= wide + gap[0]
        else:
            rows.append([k])
            left = room - wide
    corners: dict[int, tuple[float, float]] = {}
    top = 0.0
    for row in rows:
        free = (room - sum(extents[k][0] for k in row)) / (len(row) + 1)
        high, x = max(extents[k][1] for k in row), free
        for k in row:
            corners[k] = (x, top + (high - extents[k][1]) / 2)
            x += extents[k][0] + free
        top += high + gap[1]
    return tuple(corners[k] for k in range(len(extents))), top - gap[1]


def _columns(extents: Sequence[Size], gap: Size, room: float) -> Packed:
    """Below each other in columns of equal width, the tallest first, each where there is most room."""
    wide = max(each for each, _ in extents)
    count = min(max(int((room + gap[0]) // (wide + gap[0])), 1), len(extents))
    ends = [0.0] * count
    corners: dict[int, tuple[float, float]] = {}
    for k in sorted(range(len(extents)), key=lambda k: -extents[k][1]):
        column = ends.index(min(ends))
        middle = (column + 0.5) * room / count
        corners[k] = (middle - extents[k][0] / 2, ends[column])
        ends[column] += extents[k][1] + gap[1]
    return tuple(corners[k] for k in range(len(extents))), max(ends) - gap[1]
