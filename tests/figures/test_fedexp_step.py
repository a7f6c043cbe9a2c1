"""FedExP's step over time: four panels with the numbers of the record."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from matplotlib.figure import Figure

from boundkit.figures.fedexp_step import GAPS, TITLES, figure
from boundkit.verification.tabular_result import TabularResult, tabulate_result
from tests.figures.pictures import drawn, line, outside, overlaps, same, words
from tests.representatives import aside
from tests.studies.demonstrations import quickly


@pytest.fixture(scope="module")
def found() -> TabularResult:
    return tabulate_result("fedexp_step", "", quickly.run("fedexp_step")[0])


@pytest.fixture(scope="module")
def page(found: TabularResult) -> Figure:
    return drawn(figure(found))


@pytest.mark.parametrize("preset", aside(["hall", "paper", "dark"], "hall", "dark"))
def test_words_are_on_the_page_and_not_on_each_other(found: TabularResult, page: Figure, preset: str) -> None:
    seen = page if preset == "hall" else drawn(figure(found, preset))
    assert outside(seen) == []
    assert overlaps(seen) == []


def test_the_curves_are_those_of_the_record(found: TabularResult, page: Figure) -> None:
    panels = np.array(page.axes).reshape(2, 2)
    for column, name in enumerate(TITLES):
        above, below = panels[:, column]
        assert same(line(above, "step fedexp").get_ydata(), found.columns[f"step {name}"])
        assert set(np.asarray(line(above, "step fedavg").get_ydata())) == {1.0}
        for gap in GAPS:
            assert same(line(below, f"gap {gap}").get_ydata(), found.columns[f"{gap} {name}"])
            assert same(line(below, f"gap {gap}").get_xdata(), found.columns["rounds"])
        for axes in (above, below):
            assert axes.get_yscale() == axes.get_xscale() == "log"
    assert panels[0, 0].get_ylim() == panels[0, 1].get_ylim()


def test_the_headline_has_its_numbers_and_the_note_what_the_theorem_allows(
    found: TabularResult, page: Figure
) -> None:
    said = words(page).replace("\N{NBSP}", " ")
    longest = found.array("step shared").max()
    ahead = found.array("fedavg shared")[9] / found.array("fedexp shared")[9]
    apart = found.array("step differ").max()
    assert f"are shared, FedExP steps up to {longest:.0f} times as far, its loss {ahead:.0f} times" in said
    assert (
        f"where they differ, up to {float(f'{apart:.2g}'):.0f} times, and its last iterate does not" in said
    )
    assert r"The theorem allows $\eta$ = 0.0167, where server steps are at most 3.4" in said


def test_whether_the_last_iterate_settles_is_seen_from_the_record(found: TabularResult) -> None:
    calm = {**found.columns, "fedexp differ": found.columns["fedexp shared"]}
    said = words(figure(replace(found, columns=calm))).replace("\N{NBSP}", " ")
    assert "its last iterate settles" in said


def test_the_last_iterate_is_drawn_as_points(page: Figure) -> None:
    below = np.array(page.axes).reshape(2, 2)[1, 1]
    widths = {gap: line(below, f"gap {gap}").get_linewidth() for gap in GAPS}
    assert line(below, "gap fedexp").get_marker() == "o"
    assert widths["fedexp"] < widths["fedavg"] == widths["fedexp_mean"]
