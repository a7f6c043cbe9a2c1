"""Layered layouts: few crossings, nothing on anything else, and boxes packed in rows."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from boundkit.figures.graph_drawing import GraphLayout, layered_layout, longest_path_layers, pack_rows

SIZE, GAP, PORT = (2.0, 4.0), (1.0, 0.5), 0.5


def layout(layers: list[list[str]], edges: list[tuple[str, str]]) -> GraphLayout:
    sizes = {node: SIZE for row in layers for node in row}
    return layered_layout(layers, edges, sizes, [(1.0, 1.0)] * len(edges), GAP, PORT)


def crossings(drawing: GraphLayout, edges: list[tuple[str, str]]) -> int:
    """Pairs of edges between two neighbouring layers whose ends are in opposite orders."""
    ends = [(drawing.nodes[a].across, drawing.nodes[b].across) for a, b in edges]
    return sum((a - c) * (b - d) < 0 for (a, b), (c, d) in combinations(ends, 2))


def test_order_inside_layers_removes_crossings() -> None:
    edges = [("a", "z"), ("b", "y"), ("c", "x")]
    assert crossings(layout([["a", "b", "c"], ["x", "y", "z"]], edges), edges) == 0
    star = [(f"s{k}", "hub") for k in range(9)]
    drawing = layout([[a for a, _ in star], ["hub"]], star)
    across = [drawing.nodes[a].across for a, _ in star]
    assert across == sorted(across), "symmetric nodes keep their order"


def test_boxes_labels_and_long_edges_keep_apart() -> None:
    edges = [("a", "b"), ("b", "c"), ("a", "c"), ("c", "a"), ("b", "d"), ("d", "b")]
    drawing = layout([["a"], ["b", "d"], ["c"]], edges)
    boxes = [*drawing.nodes.values(), *drawing.labels]
    for one, other in combinations(boxes, 2):
        distance = np.abs([one.along - other.along, one.across - other.across])
        assert (distance >= (np.array(one.size) + other.size) / 2 - 1e-9).any(), (one, other)
    for (start, end), path, label in zip(edges, drawing.paths, drawing.labels, strict=True):
        assert np.linalg.norm(path - [label.along, label.across], axis=1).min() < 0.3, (start, end)
        for name, box in drawing.nodes.items():
            away = (np.abs(path - [box.along, box.across]) - np.array(box.size) / 2).max(axis=1)
            assert away.min() > (-1e-9 if name in (start, end) else 0.1), (start, end, name)


def test_layers_follow_the_longest_path() -> None:
    rows = longest_path_layers(["d", "c", "b", "a"], [("a", "b"), ("b", "c"), ("a", "c")])
    assert rows == [["d", "a"], ["b"], ["c"]]
    assert longest_path_layers(["a", "b", "c", "s"], [("a", "b"), ("b", "c"), ("s", "c")]) == [
        ["a"], ["b", "s"], ["c"]
    ]  # fmt: skip


def test_rows_are_filled_and_their_free_width_is_shared() -> None:
    corners, height = pack_rows([(4.0, 2.0), (4.0, 3.0), (9.0, 1.0)], (1.0, 0.5), 10.0)
    assert height == 3.0 + 0.5 + 1.0
    assert corners[0] == pytest.approx((2 / 3, 0.0))
    assert corners[1] == pytest.approx((4 + 4 / 3, 0.0))
    assert corners[2] == pytest.approx((0.5, 3.5))
