"""Turns against draws, as their record has them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from matplotlib.colors import same_color
from matplotlib.figure import Figure

from boundkit.figures.cause_styles import colour
from boundkit.figures.cyclic import DRAWN, ORDERED, SAMPLED, TURNS, figure
from boundkit.figures.style import PRESETS
from boundkit.studies.demonstrations.turns import turns_against_draws
from boundkit.verification.tabular_result import TabularResult, tabulate_result
from tests.figures.pictures import drawn, line, outside, overlaps, same, words


@pytest.fixture(scope="module")
def found() -> TabularResult:
    return tabulate_result("turns", "", turns_against_draws((0.1, 0.3, 1.0), rounds=30))


@pytest.fixture(scope="module")
def pages(found: TabularResult) -> dict[str, Figure]:
    return {preset: drawn(figure(found, preset)) for preset in PRESETS}


@pytest.fixture(scope="module")
def page(pages: dict[str, Figure]) -> Figure:
    return pages["hall"]


@pytest.mark.parametrize("preset", PRESETS)
def test_words_are_on_the_page_and_not_on_each_other(pages: dict[str, Figure], preset: str) -> None:
    assert outside(pages[preset]) == []
    assert overlaps(pages[preset]) == []


def test_the_curves_are_those_of_the_record(found: TabularResult, page: Figure) -> None:
    paths, long_run = page.axes
    assert same(line(paths, DRAWN).get_ydata(), found.array("path_drawn"))
    assert same(line(paths, TURNS).get_ydata(), found.array("path_in_turns"))
    assert same(line(paths, "ends").get_ydata(), found.array("path_in_turns")[::3])
    spread, bias = found.array("spread"), found.array("bias_squared")
    curves = {DRAWN: found.array("drawn"), TURNS: spread + bias, "turns: spread": spread,
              "turns: bias$^2$": bias}  # fmt: skip
    for name, values in curves.items():
        assert same(line(long_run, name).get_ydata(), values)
        assert same(line(long_run, name).get_xdata(), found.array("eta"))


@pytest.mark.parametrize("preset", ["hall", "dark"])
def test_each_part_has_the_colour_of_its_cause(pages: dict[str, Figure], preset: str) -> None:
    long_run = pages[preset].axes[1]
    for name, cause in ((DRAWN, SAMPLED), ("turns: spread", SAMPLED), ("turns: bias$^2$", ORDERED)):
        assert same_color(line(long_run, name).get_color(), colour(cause, preset == "dark"))
    assert line(long_run, DRAWN).get_marker() != line(long_run, "turns: spread").get_marker()


def test_the_headline_says_where_turns_win_and_where_they_lose(found: TabularResult, page: Figure) -> None:
    said = words(page)
    assert r"At $\eta$ = 0.1 groups in turn end at 0.025, draws from all at 0.051" in said
    assert r"from $\eta$ = 1 on turns end higher" in said
    never = {**found.columns, "drawn": list(2 * np.array(found.columns["drawn"]))}
    assert "end higher" not in words(drawn(figure(replace(found, columns=never))))
