"""Rounds against the largest gradient: points that were run, and the bound below them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from matplotlib.figure import Figure

from boundkit.figures.clipping import figure
from boundkit.studies.demonstrations.clipping import ClippingDemonstration
from boundkit.verification.tabular_result import TabularResult, tabulate_result
from tests.cases import each
from tests.figures.pictures import drawn, line, same, words

LARGEST = np.array([4.0, 8.0, 16.0, 32.0, 64.0])


@pytest.fixture(scope="module")
def found() -> TabularResult:
    bound = np.array([166.6, 251.4, 402.7, 671.3, 1150.8])
    made = ClippingDemonstration(
        LARGEST, np.ceil(1.003 * bound), 1 / LARGEST, LARGEST, bound, np.full(5, 700.0), 3, 1.0, 700.0
    )
    return tabulate_result("clipping", "", made)


@pytest.fixture(scope="module")
def page(found: TabularResult) -> Figure:
    return drawn(figure(found))


def test_the_curves_are_those_of_the_record(found: TabularResult, page: Figure) -> None:
    (axes,) = page.axes
    for column in ("best", "bound", "episodepp"):
        assert same(line(axes, column).get_xdata(), LARGEST)
        assert same(line(axes, column).get_ydata(), found.columns[column])
    assert line(axes, "best").get_linestyle() == "None"  # what lies between was not run
    assert [tick.get_text() for tick in axes.get_xticklabels()] == ["4", "8", "16", "32", "64"]
    assert line(axes, "best").get_marker() != line(axes, "episodepp").get_marker()


def test_the_headline_has_both_ends_and_the_other_algorithm(found: TabularResult, page: Figure) -> None:
    assert "168 to 1155 rounds, EPISODE++ 700 throughout" in words(page)
    moved = {**found.columns, "episodepp": [690.0, 700.0, 700.0, 700.0, 710.0]}
    assert "EPISODE++ 690 to 710 throughout" in words(drawn(figure(replace(found, columns=moved))))


@each(
    ("rounds", "said"),
    [
        ([700.0] * 5, "the first is the faster up to $M$ = 32"),
        ([2000.0] * 5, "the first is always the faster"),
        ([100.0] * 5, "the first is never the faster"),
        ([100.0, 700.0, 300.0, 700.0, 300.0], "the first is the faster at $M$ = 8, 32"),
    ],
)
def test_the_headline_says_where_which_is_faster(
    found: TabularResult, rounds: list[float], said: str
) -> None:
    moved = replace(found, columns={**found.columns, "episodepp": rounds})
    assert said in words(figure(moved)).replace("\N{NBSP}", " ")


def test_a_target_that_was_never_reached_leaves_a_gap(found: TabularResult) -> None:
    columns = {**found.columns, "best": [168.0, None, 404.0, 674.0, 1155.0]}
    (axes,) = drawn(figure(replace(found, columns=columns))).axes
    assert np.isnan(np.asarray(line(axes, "best").get_ydata(), dtype=float)).tolist() == [
        False, True, False, False, False
    ]  # fmt: skip
