"""Phase diagrams: what is painted, hatched, drawn and said, in every preset."""

from itertools import combinations
from typing import Any

import numpy as np
import pytest
from matplotlib.axes import Axes
from matplotlib.collections import QuadMesh
from matplotlib.colors import same_color
from matplotlib.figure import Figure
from matplotlib.path import Path
from matplotlib.text import Text
from matplotlib.transforms import Affine2D

from boundkit.analysis.regimes import Regimes, regimes
from boundkit.figures.labelled_areas import tinted
from boundkit.figures.labels import CELLS
from boundkit.figures.regimes import figure
from boundkit.figures.style import colour, theme_of
from boundkit.theorems import theorem
from tests.cases import thinned
from tests.figures.pictures import drawn, names, outside, overlaps, part, shrunk, words
from tests.representatives import aside

PARTIAL = "fedavg_nonconvex_partial"
ASKED: dict[str, tuple[str, str, str, dict[str, Any]]] = {
    "steps and share": (PARTIAL, "tau", "C", {}),
    "step and spread": (PARTIAL, "eta", "sigma_g", {"T": 5000, "eta_s": 2}),
    "rounds and step": ("fedavg_strongly_convex_partial", "T", "eta", {}),
    "under a rule": ("fedavg_nonconvex", "T", "tau", {"m": 10, "eta": "sqrt(m/(tau*T))/L"}),
}


@pytest.fixture(scope="module", params=thinned(ASKED, 2))
def found(request: pytest.FixtureRequest) -> Regimes:
    name, x, y, values = ASKED[request.param]
    return regimes(theorem(name), x, y, **values)


@pytest.fixture(scope="module")
def page(found: Regimes) -> Figure:
    return drawn(figure(found, "paper"))


@pytest.mark.parametrize("preset", aside(["hall", "paper"], "hall"))
def test_words_are_on_the_page_and_not_on_each_other(found: Regimes, page: Figure, preset: str) -> None:
    page = page if preset == "paper" else figure(found, preset)
    assert outside(page) == []
    turned = {text.get_text() for text in page.axes[0].texts if text.get_rotation() % 180}
    assert [pair for pair in overlaps(page) if not turned & set(pair)] == []
    for one, other in combinations([turned_box(text) for text in page.axes[0].texts], 2):
        assert not one.intersects_path(other)
    said = words(page)
    for label, (share, _) in found.shares.items():
        assert label in said or share < 1e-4
    assert f"{found.theorem.title}: what dominates over" in said
    assert ("Hatched" in said) == (found.outside > 0)
    assert ("outside" in names(page.axes[0])) == (found.outside > 0)


def turned_box(text: Text) -> Path:
    """The outline of a text, turned as it is, without the air around its letters."""
    angle, (x, y) = text.get_rotation(), text.get_transform().transform(text.get_position())
    text.set_rotation(0)
    box = shrunk(text.get_window_extent())
    text.set_rotation(angle)
    flat = Affine2D().scale(box.width, box.height).translate(*box.min)
    return Path.unit_rectangle().transformed(flat.rotate_deg_around(x, y, angle))


def test_cells_have_the_colour_of_the_cause_that_dominates_there(found: Regimes, page: Figure) -> None:
    (axes,) = page.axes
    areas = mesh(axes)
    painted = areas.to_rgba(np.asarray(areas.get_array()).reshape(CELLS, CELLS))
    x, y, codes, _ = found.between(CELLS)
    causes = [term.cause for term in found.theorem.terms]
    for column, row in np.random.default_rng(0).integers(0, CELLS, (40, 2)):
        wanted = tinted(colour(causes[codes[column, row]]), theme_of(axes))
        assert same_color(tuple(painted[row, column]), wanted)
        heights = [float(found.window.at(t.expr, x[column], y[row])) for t in found.theorem.terms]
        assert heights[codes[column, row]] == max(heights)


def test_a_name_lies_in_its_own_area(found: Regimes, page: Figure) -> None:
    (axes,) = page.axes
    _, _, codes, _ = found.between(CELLS)
    labels = [term.label for term in found.theorem.terms]
    inside = [text for text in axes.texts if str(text.get_gid()).startswith("name ")]
    assert inside
    for text in inside:
        box = text.get_window_extent().transformed(axes.transAxes.inverted())
        corners = [(int(x * CELLS), int(y * CELLS)) for x in (box.x0, box.x1) for y in (box.y0, box.y1)]
        assert {labels[codes[corner]] for corner in corners} == {str(text.get_gid()).removeprefix("name ")}


def test_lines_are_the_bounding_crossovers_and_end_where_a_third_term_takes_over(
    found: Regimes, page: Figure
) -> None:
    (axes,) = page.axes
    wanted = {f"crossover {' = '.join(one.terms)}" for one in found.crossovers if one.bounds}
    assert wanted
    assert {name for name in names(axes) if name.startswith("crossover")} == wanted
    for line in axes.lines:
        if str(line.get_gid()).startswith("crossover"):
            x, y = (np.asarray(values, dtype=float) for values in line.get_data())
            seen = np.isfinite(x)
            heights = [
                np.broadcast_to(found.window.at(t.expr, x[seen], y[seen]), int(seen.sum()))
                for t in found.theorem.terms
            ]
            low, high = np.sort(heights, axis=0)[-2:]
            assert low == pytest.approx(high, rel=1e-5)


def test_a_short_formula_stands_beside_its_line_and_a_long_one_does_not() -> None:
    name, x, y, values = ASKED["steps and share"]
    found = regimes(theorem(name), x, y, **values)
    (text,) = [text for text in figure(found).axes[0].texts if text.get_gid() == "formula C"]
    assert text.get_text().startswith(r"$C = \dfrac{3 \eta_s}{8 L \eta")
    (axes,) = figure(found, "paper").axes
    assert not [text for text in axes.texts if text.get_gid() == "formula C"]


def mesh(axes: Axes) -> QuadMesh:
    areas = part(axes, "areas")
    assert isinstance(areas, QuadMesh)
    return areas
