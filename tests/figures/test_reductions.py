"""The graph of reductions as a picture: every theorem and condition is there, and nothing lies on another."""

from __future__ import annotations

from itertools import combinations

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import FancyBboxPatch
from matplotlib.text import Text
from numpy.typing import NDArray
from sympy import Rational

from boundkit.algebra import Reduction
from boundkit.algebra.notation import sigma_g, tau
from boundkit.analysis.reductions import Edge, ReductionGraph, reduction_graph
from boundkit.figures.reductions import drawn_edges, figure
from boundkit.theorems import catalogue
from tests.cases import each, thinned
from tests.figures.pictures import LAYOUTS, drawn, outside, overlaps, words

FIVE = ("sgd_nonconvex", "fedavg_nonconvex", "fedavg_nonconvex_partial", "fedavg_convex_partial",
        "fedavg_strongly_convex_partial")  # fmt: skip
SMALL = reduction_graph({name: catalogue()[name] for name in FIVE})


def edge(origin: str, to: str, holds: bool = True, **rest: object) -> Edge:
    given: dict[str, object] = {"when": {tau: 1}, "because": "" if holds else "so", **rest}
    return Edge(origin, Reduction(to=to, holds=holds, **given))  # type: ignore[arg-type]


def tree(layers: int, wide: int) -> ReductionGraph:
    """Theorems in layers, each of which becomes one of the layer below."""
    names = [[f"theorem_{k}_{i}_nonconvex" for i in range(wide if k else 1)] for k in range(layers)]
    edges = [
        edge(
            name, names[k][i % len(names[k])], factors={"initial gap": i + 2, "client drift": Rational(8, 3)}
        )
        for k in range(layers - 1)
        for i, name in enumerate(names[k + 1])
    ]
    return ReductionGraph(tuple(n for row in names for n in row), tuple(edges))


TREE = tree(3, 7)
BIG = ReductionGraph((*SMALL.nodes, *TREE.nodes), (*SMALL.edges, *TREE.edges))


def boxes(axes: Axes) -> dict[str, FancyBboxPatch]:
    found = axes.findobj(lambda artist: str(artist.get_gid()).startswith("box "))
    return {f"{b.get_gid()} {k}": b for k, b in enumerate(found) if isinstance(b, FancyBboxPatch)}


def way(axes: Axes, one: Edge) -> NDArray[np.float64]:
    gid = f"{'edge' if one.holds else 'refused'} {one.origin} {one.to}"
    lines = [a for a in axes.findobj(lambda a: a.get_gid() == gid) if isinstance(a, Line2D)]
    return np.concatenate([np.asarray(line.get_xydata()) for line in lines])


def clashes(page: Figure) -> list[str]:
    """Boxes that touch, and labels on boxes."""
    axes = drawn(page).axes[0]
    places = {name: box.get_window_extent() for name, box in boxes(axes).items()}
    found = [f"{a} on {b}" for a, b in combinations(places, 2) if places[a].overlaps(places[b])]
    labels = axes.findobj(lambda a: isinstance(a, Text) and str(a.get_gid()).startswith("label "))
    for label in labels:
        found += [
            f"{label.get_gid()} on {b}" for b in places if label.get_window_extent().overlaps(places[b])
        ]
    return found


@each("preset", thinned(LAYOUTS, 1))
@each("graph", [SMALL, BIG, tree(2, 12), tree(6, 2)], ids=["five", "big", "star", "deep"])
def test_all_is_there_and_nothing_lies_on_another(graph: ReductionGraph, preset: str) -> None:
    page = figure(graph, preset)
    said = words(page).replace(" ", "")
    for name in {e.origin for e in graph.edges} | {e.to for e in graph.edges}:
        assert name in said.replace("\n", "")
    assert overlaps(page) == []
    assert outside(page) == []
    assert clashes(page) == []


def test_each_edge_is_an_arrow_from_box_to_box() -> None:
    axes = drawn(figure(SMALL)).axes[0]
    places = {name.split()[1]: b.get_window_extent() for name, b in boxes(axes).items()}
    for one in drawn_edges(SMALL):
        points = axes.transData.transform(way(axes, one))
        assert places[one.origin].padded(2).contains(*points[0])
        assert places[one.to].padded(2).contains(*points[-1])


def test_what_must_not_hold_is_dashed_and_says_so() -> None:
    page = figure(SMALL)
    (line,) = page.axes[0].findobj(lambda a: a.get_gid() == "refused fedavg_nonconvex sgd_nonconvex")
    assert isinstance(line, Line2D)
    assert line.get_linestyle() == "--"
    assert "not at $\\sigma_g = 0$" in words(page)
    assert "Dashed" in words(page)
    alone = ReductionGraph(("a", "b"), (edge("a", "b"),))
    assert "Dashed" not in words(figure(alone))


def test_wrong_constants_are_not_drawn_beside_the_right_ones() -> None:
    right, wrong = edge("a", "b", factors={"x": 2}), edge("a", "b", holds=False)
    other = edge("a", "b", holds=False, when={sigma_g: 0})
    assert drawn_edges(ReductionGraph(("a", "b"), (right, wrong, other))) == (right, other)
