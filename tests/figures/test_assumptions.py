"""The lattice of assumptions as a figure: complete, and nothing lies on anything else."""

from __future__ import annotations

from itertools import combinations

import networkx as nx
import numpy as np
import pytest
from matplotlib.lines import Line2D
from matplotlib.text import Text

from boundkit.analysis.lattice import LATTICE
from boundkit.figures.assumptions import AssumptionPanel, figure, panel
from tests.cases import each, thinned
from tests.figures.pictures import LAYOUTS, drawn, line, names, outside, overlaps, words


@pytest.fixture(scope="module", params=[28.0, 40.0], ids=["paper", "half a slide"])
def panels(request: pytest.FixtureRequest) -> list[AssumptionPanel]:
    return [panel(subject, LATTICE, request.param) for subject in LATTICE.subjects.values()]


def test_every_assumption_has_a_box_and_every_relation_an_arrow(panels: list[AssumptionPanel]) -> None:
    assert {name for one in panels for name in one.names if name not in one.guests} == set(
        LATTICE.assumptions
    )
    arrows = {arrow for one in panels for arrow in one.arrows}
    solid = nx.DiGraph((a, b) for kind, a, b in arrows if kind == "solid")
    for rule in LATTICE.implications:
        if len(rule.premises) == 1:
            assert nx.has_path(solid, rule.premises[0].name, rule.conclusion.name), rule
    assert {(a, b) for kind, a, b in arrows if kind == "against"} == {
        (c.assumptions[0].name, c.assumptions[-1].name) for c in LATTICE.conflicts
    }
    struck = {(a, b) for kind, a, b in arrows if kind == "struck"}
    assert len(struck) >= 20
    assert struck <= {(r.given[0].name, r.fails.name) for r in LATTICE.refutations}


def test_boxes_are_apart_stronger_ones_above_and_arrows_pass_beside_them(
    panels: list[AssumptionPanel],
) -> None:
    for one in panels:
        boxes = one.layout.nodes
        for (a, first), (b, second) in combinations(boxes.items(), 2):
            apart = [
                abs(first.along - second.along) >= (first.size[0] + second.size[0]) / 2,
                abs(first.across - second.across) >= (first.size[1] + second.size[1]) / 2,
            ]
            assert any(apart), (a, b)
        for (kind, start, end), path in zip(one.arrows, one.layout.paths, strict=True):
            assert kind != "solid" or boxes[start].along < boxes[end].along, (start, end)
            for name, box in boxes.items():
                away = np.abs(path - [box.along, box.across]) - np.array(box.size) / 2
                clearance = away.max(axis=1)
                if name in (start, end):
                    touching = clearance[0 if name == start else -1]
                    assert touching == pytest.approx(0, abs=1e-9), (start, end)
                else:
                    assert clearance.min() > 0.1, (start, end, name)
        for name, box in boxes.items():
            assert box.across - box.size[1] / 2 >= -1e-9, name
            assert box.across + box.size[1] / 2 <= one.layout.breadth + 1e-9, name
            assert box.along + box.size[0] / 2 <= one.layout.length + 1e-9, name


@each("preset", thinned(LAYOUTS, 1))
def test_one_subject_on_a_page(preset: str) -> None:
    for subject in ("dissimilarity", "convexity"):
        page = drawn(figure([subject], preset))
        assert overlaps(page) == []
        assert outside(page) == []
        boxes = {f"box {a.name}" for a in LATTICE.subjects[subject].assumptions}
        assert boxes <= names(page.axes[0])
        assert f"Assumptions on {subject}" in words(page)


def test_all_subjects_on_a_page() -> None:
    page = drawn(figure((), "paper"))
    assert overlaps(page) == []
    assert outside(page) == []
    titles = [t for t in page.axes[0].findobj(Text) if str(t.get_gid()).startswith("title ")]
    assert len(titles) == len(LATTICE.subjects)


def test_crosses_are_on_their_lines_and_not_on_text() -> None:
    axes = drawn(figure(["dissimilarity"])).axes[0]
    crosses = [a for a in axes.findobj(Line2D) if str(a.get_gid()).startswith("cross ")]
    assert len(crosses) >= 5
    for cross in crosses:
        body = line(axes, str(cross.get_gid()).removeprefix("cross "))
        place = np.array([np.ravel(cross.get_xdata())[0], np.ravel(cross.get_ydata())[0]])
        assert np.linalg.norm(body.get_xydata() - place, axis=1).min() < 3.0
        for text in axes.findobj(Text):
            box = text.get_window_extent()
            assert not box.contains(*axes.transData.transform(place)) or not text.get_text()
