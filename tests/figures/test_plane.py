"""The plane: rings at their height, one scale both ways, and names that stand free."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from matplotlib.figure import Figure

from boundkit.figures.plane import PlanarQuadratic, PointLabel, even_scale, name_points, ring
from boundkit.figures.style import empty_figure, finish, style, theme_of
from tests.figures.pictures import drawn, names, overlaps, part


def test_a_ring_is_where_the_loss_has_its_height() -> None:
    bowl = PlanarQuadratic("F", np.array([[2.0, 0.5], [0.5, 1.0]]), np.array([1.0, -1.0]))
    away = ring(bowl, 0.7) - bowl.c
    assert np.einsum("ki,ij,kj->k", away, bowl.H, away) / 2 == pytest.approx(0.7)
    assert away[0] == pytest.approx(away[-1])


def page_with(points: list[tuple[float, float]], paths: list[np.ndarray], low: float = -1) -> Figure:
    with style("hall"):
        page = empty_figure()
        axes = page.subplots()
        finish(page, "Names", "A note.", theme_of(axes))
        even_scale(axes, np.array([low, -1.0]), np.array([1.0, 1.0]))
        said = [PointLabel(np.array(p), f"point {k}", "#000000") for k, p in enumerate(points)]
        name_points(axes, said, paths, 17)
    return drawn(page)


def test_one_scale_holds_both_ways_and_every_corner_is_inside() -> None:
    axes = page_with([(0, 0)], []).axes[0]
    (left, bottom), (right, top) = axes.transData.transform([(0, 0), (1, 1)])
    assert right - left == pytest.approx(top - bottom)
    assert axes.get_xlim()[0] <= -1
    assert axes.get_ylim() == pytest.approx((-1, 1))


def test_names_stand_beside_their_points_and_not_on_each_other() -> None:
    points = [(0.0, 0.0), (0.05, 0.0), (0.0, 0.08), (-0.9, -0.95), (0.9, 0.95)]
    page = page_with(points, [])
    axes = page.axes[0]
    boxes = [part(axes, f"name point {k}").get_window_extent() for k in range(len(points))]
    assert not any(a.overlaps(b) for a, b in combinations(boxes, 2))
    for box in boxes:
        assert axes.bbox.contains(*box.min)
        assert axes.bbox.contains(*box.max)
        for point in points:
            assert not box.contains(*axes.transData.transform(point))
    assert overlaps(page) == []


def test_a_name_keeps_off_the_paths_and_has_a_line_where_it_is_far() -> None:
    spiral = np.linspace(0, 8 * np.pi, 600)
    path = 0.04 * spiral[:, None] / np.pi * np.column_stack([np.cos(spiral), np.sin(spiral)])
    page = page_with([(0.0, 0.0)], [path], low=-2)
    axes = page.axes[0]
    box = part(axes, "name point 0").get_window_extent()
    assert not any(box.contains(x, y) for x, y in axes.transData.transform(path))
    assert "leader point 0" in names(axes)
    assert "leader point 0" not in names(page_with([(0.0, 0.0)], []).axes[0])
