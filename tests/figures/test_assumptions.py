"""The lattice as a picture: everything that is known is in it, and nothing lies on anything else."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from matplotlib.lines import Line2D
from matplotlib.text import Text

from boundkit.algebra import BoundkitError
from boundkit.analysis.lattice import LATTICE
from boundkit.figures.assumptions import curve, figure
from boundkit.figures.lattice_layout import Box, broken, crossings, layers, ordered, placed
from boundkit.figures.lattice_panel import Panel, boxed, panel, reduced
from boundkit.figures.save import save
from tests.figures.pictures import drawn, line, names, outside, overlaps, words
from tests.representatives import aside


@pytest.fixture(scope="module")
def panels() -> list[Panel]:
    return [panel(s, LATTICE, 8.0, 0.95 * 72 * 3.35) for s in LATTICE.subjects.values()]


def test_every_assumption_has_a_box_and_every_relation_an_arrow_or_one_that_says_more(
    panels: list[Panel],
) -> None:
    shown = {name for one in panels for name in one.boxes if name not in one.guests}
    assert shown == set(LATTICE.assumptions)
    arrows = {(a.kind, a.start, a.end) for one in panels for a in one.arrows}
    for rule in LATTICE.implications:
        if len(rule.premises) == 1:
            above, below = rule.premises[0].name, rule.conclusion.name
            ways = [(a, b) for kind, a, b in arrows if kind == "solid"]
            assert _leads(above, below, ways), (above, below)
    assert {(a, b) for kind, a, b in arrows if kind == "against"} == {
        (c.assumptions[0].name, c.assumptions[-1].name) for c in LATTICE.conflicts
    }


def _leads(start: str, end: str, ways: list[tuple[str, str]]) -> bool:
    seen, fresh = {start}, {start}
    while fresh:
        fresh = {b for a, b in ways if a in fresh} - seen
        seen |= fresh
    return end in seen


def test_a_cross_says_only_what_is_refuted(panels: list[Panel]) -> None:
    said = {(r.given[0].name, r.fails.name) for r in LATTICE.refutations}
    struck = [(a.start, a.end) for one in panels for a in one.arrows if a.kind == "struck"]
    assert len(struck) >= 20
    assert set(struck) <= said


def test_boxes_lie_beside_each_other_and_stronger_ones_above(panels: list[Panel]) -> None:
    for one in panels:
        for a, b in combinations(one.boxes.values(), 2):
            assert abs(a.x - b.x) >= (a.width + b.width) / 2 or abs(a.y - b.y) >= (a.height + b.height) / 2
        for arrow in one.arrows:
            if arrow.kind == "solid":
                assert one.boxes[arrow.start].y > one.boxes[arrow.end].y
        for name, box in one.boxes.items():
            assert box.width >= boxed(one.words[name], 8.0)[0] - 1e-9
            assert box.x - box.width / 2 >= -1e-6
            assert box.x + box.width / 2 <= one.width + 1e-6


def test_hardly_a_line_runs_under_a_box(panels: list[Panel]) -> None:
    under = []
    for one in panels:
        for arrow in one.arrows:
            way = curve(one.boxes[arrow.start], one.boxes[arrow.end], arrow.bend, 1.0)
            for name, box in one.boxes.items():
                if name not in (arrow.start, arrow.end):
                    under += [(arrow.start, arrow.end, name)] * any(box.holds(x, y) for x, y in way)
    assert under == []


@pytest.mark.parametrize("preset", ["hall", "paper", "dark"])
@pytest.mark.parametrize("subject", ["dissimilarity", "convexity"])
def test_one_subject_on_a_page(subject: str, preset: str) -> None:
    page = drawn(figure([subject], preset))
    assert overlaps(page) == []
    assert outside(page) == []
    found = names(page.axes[0])
    for assumption in LATTICE.subjects[subject].assumptions:
        assert f"box {assumption.name}" in found
    assert f"Assumptions on {subject}" in words(page)


@pytest.mark.parametrize("preset", aside(["paper", "dark"], "dark"))
def test_all_subjects_on_a_page(preset: str) -> None:
    page = drawn(figure((), preset))
    assert overlaps(page) == []
    assert outside(page) == []
    titles = [t for t in page.axes[0].findobj(Text) if str(t.get_gid()).startswith("title ")]
    assert len(titles) == len(LATTICE.subjects)


def test_crosses_are_on_their_lines_and_not_on_words() -> None:
    page = drawn(figure(["dissimilarity"], "hall"))
    axes = page.axes[0]
    crosses = [a for a in axes.findobj(Line2D) if str(a.get_gid()).startswith("cross ")]
    assert len(crosses) >= 5
    for cross in crosses:
        body = line(axes, str(cross.get_gid()).removeprefix("cross "))
        place = np.array([np.ravel(cross.get_xdata())[0], np.ravel(cross.get_ydata())[0]])
        assert np.linalg.norm(body.get_xydata() - place, axis=1).min() < 3.0
        for text in axes.findobj(Text):
            box = text.get_window_extent()
            assert not box.contains(*axes.transData.transform(place)) or not text.get_text()


def test_the_same_bytes_every_time(tmp_path: object) -> None:
    from pathlib import Path

    folder = Path(str(tmp_path))
    for name in ("a.svg", "b.svg"):
        save(figure(["noise"]), folder / name)
    assert (folder / "a.svg").read_bytes() == (folder / "b.svg").read_bytes()


def test_an_unknown_subject_or_preset_is_refused() -> None:
    with pytest.raises(BoundkitError, match="unknown subject 'nois'; did you mean 'noise'"):
        figure(["nois"])
    with pytest.raises(BoundkitError, match="unknown preset"):
        figure(["noise"], "hal")


def test_layers_follow_the_longest_way() -> None:
    rows = layers(["d", "c", "b", "a"], [("a", "b"), ("b", "c"), ("a", "c")])
    assert rows == [["d", "a"], ["b"], ["c"]]
    assert layers(["a", "b", "c"], [("a", "b")], [("b", "c")]) == [["a"], ["b", "c"]]


def test_ordering_takes_crossings_away() -> None:
    edges = [("a", "y"), ("b", "x")]
    assert crossings([["a", "b"], ["x", "y"]], edges) == 1
    assert crossings(ordered([["a", "b"], ["x", "y"]], edges), edges) == 0


def test_wide_rows_are_broken_and_rows_are_centred() -> None:
    sizes = dict.fromkeys("abcd", (10.0, 5.0))
    assert broken([list("abcd")], sizes, 2.0, 24.0) == [["a", "b"], ["c", "d"]]
    boxes, width, height = placed([["a", "b"], ["c"]], sizes, (2.0, 3.0))
    assert (width, height) == (22.0, 13.0)
    assert boxes["c"] == Box(11.0, 2.5, 10.0, 5.0)
    assert reduced([("a", "c"), ("a", "b"), ("b", "c")]) == [("a", "b"), ("b", "c")]
