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

SIZES = (1.0, 0.88, 0.76, 0.66, 0.58)
"""Type as shares of a label's: the largest is taken in which everything stands on a page."""

NARROW_SIZES = (1.0, 0.9, 0.8)
"""The same in a column of a paper, where the page may be long instead, but not wider."""


@dataclass(frozen=True)
class Family:
    """Theorems that are joined, laid out in type of one size."""

    graph: Graph
    edges: tuple[Edge, ...]
    names: dict[str, str]
    words: tuple[Words, ...]
    plan: Plan


@dataclass(frozen=True)
class Layout:
    """Families in rows, in type of one size; ``flat`` where the special end is to the right, not below."""

    families: tuple[Family, ...]
    rows: tuple[tuple[int, ...], ...]
    size: float
    flat: bool

    def extent(self, k: int) -> tuple[float, float]:
        """How wide and how high family k is."""
        laid = self.families[k].plan
        return (laid.length, laid.breadth) if self.flat else (laid.breadth, laid.length)

    @property
    def width(self) -> float:
        """The width of the widest family."""
        return max(self.extent(k)[0] for k in range(len(self.families)))

    @property
    def height(self) -> float:
        """The height of all rows, with air between them."""
        return sum(max(self.extent(k)[1] for k in row) for row in self.rows) + AIR * self.size * (
            len(self.rows) - 1
        )


def laid_out(graph: Graph, room: tuple[float, float], ink: Ink, brief: bool) -> Layout:
    """The largest type in which all stands on the page; else what is as wide as the page, and longer."""
    sizes = [share * ink.label_size for share in (NARROW_SIZES if ink.narrow else SIZES)]
    whole, stars = graph.families(), _stars(graph)
    tried = [_layout(whole, size, not ink.narrow, room[0], brief) for size in sizes]
    fitting = [one for one in tried if one.width <= room[0]]
    for one in fitting:
        if one.height <= room[1]:
            return one
    if fitting:
        return fitting[0] if ink.narrow else fitting[-1]
    tried = [_layout(stars, size, True, room[0], brief) for size in sizes]
    found = next((one for one in tried if one.width <= room[0]), tried[-1])
    while found.width > room[0]:
        found = _layout(stars, 0.99 * found.size * room[0] / found.width, True, room[0], brief)
    return found


def _stars(graph: Graph) -> tuple[Graph, ...]:
    """One graph for each theorem that others become: those others, and it."""
    found = []
    for end in graph.nodes:
        edges = tuple(e for e in graph.edges if e.to == end)
        if edges:
            found.append(Graph((*dict.fromkeys(e.origin for e in edges), end), edges))
    return tuple(sorted(found, key=lambda star: -len(star.edges)))


def _layout(graphs: Sequence[Graph], size: float, flat: bool, room: float, brief: bool) -> Layout:
    families = tuple(_family(each, size, flat, brief) for each in graphs)
    alone = Layout(families, (), size, flat)
    rows = _shelved([alone.extent(k)[0] for k in range(len(families))], 2.5 * size, room)
    return Layout(families, rows, size, flat)


def _family(graph: Graph, size: float, flat: bool, brief: bool) -> Family:
    edges = drawn_edges(graph)
    names = {name: worded(name, 17 if flat and not brief else 15) for name in graph.nodes}
    words = tuple(words_of(edge, 1 if brief else 3, brief) for edge in edges)
    turn: Callable[[float, float], Size] = (lambda w, h: (w, h)) if flat else (lambda w, h: (h, w))
    boxes = {}
    for name, text in names.items():
        along, across = turn(
            *boxed(text.split("\n"), [size] * (text.count("\n") + 1), 0.9 * size, 0.6 * size)
        )
        ports = max(sum(e.origin == name for e in edges), sum(e.to == name for e in edges))
        boxes[name] = (along, max(across, PORT * size * ports))
    labels = [turn(*boxed(*lines_of(w, size), 0.6 * size, 0.25 * size)) for w in words]
    gap = (2.4 * size, 0.6 * size) if flat else (1.5 * size, 0.9 * size)
    laid = plan(graph.layers(), [(e.origin, e.to) for e in edges], boxes, labels, gap)
    return Family(graph, edges, names, words, laid)


def _shelved(widths: Sequence[float], gap: float, room: float) -> tuple[tuple[int, ...], ...]:
    """Families side by side where there is room, in their order."""
    rows: list[list[int]] = []
    left = -1.0
    for place, width in enumerate(widths):
        if rows and width + gap <= left:
            rows[-1].append(place)
            left -= width + gap
        else:
            rows.append([place])
            left = room - width
    return tuple(map(tuple, rows))
