"""Turns against draws, as their record has them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from matplotlib.colors import same_color

from boundkit.figures.cyclic import DRAWN, ORDERED, SAMPLED, TURNS, figure
from boundkit.figures.looks import colour
from tests.cases import each
from tests.figures.pictures import drawn, line, same, words
from tests.figures.recorded import page_of, record_of

RECORD = record_of("cyclic")


def test_the_curves_are_those_of_the_record() -> None:
    page = page_of("cyclic")
    paths, long_run = page.axes
    assert same(line(paths, DRAWN).get_ydata(), RECORD.array("path_drawn"))
    assert same(line(paths, TURNS).get_ydata(), RECORD.array("path_in_turns"))
    assert same(line(paths, "ends").get_ydata(), RECORD.array("path_in_turns")[::3])
    spread, bias = RECORD.array("spread"), RECORD.array("bias_squared")
    curves = {DRAWN: RECORD.array("drawn"), TURNS: spread + bias, "turns: spread": spread,
              "turns: bias$^2$": bias}  # fmt: skip
    for name, values in curves.items():
        assert same(line(long_run, name).get_ydata(), values)
        assert same(line(long_run, name).get_xdata(), RECORD.array("eta"))


@each("preset", ["hall", "dark"])
def test_each_part_has_the_colour_of_its_cause(preset: str) -> None:
    long_run = page_of("cyclic", preset).axes[1]
    for name, cause in ((DRAWN, SAMPLED), ("turns: spread", SAMPLED), ("turns: bias$^2$", ORDERED)):
        assert same_color(line(long_run, name).get_color(), colour(cause, preset == "dark"))
    assert line(long_run, DRAWN).get_marker() != line(long_run, "turns: spread").get_marker()


def test_the_headline_says_where_turns_win_and_where_they_lose() -> None:
    page = page_of("cyclic")
    said = words(page)
    assert r"At $\eta$ = 0.1 groups in turn end at 0.025, draws from all at 0.051" in said
    assert r"from $\eta$ = 0.5 on turns end higher" in said
    never = {**RECORD.columns, "drawn": list(2 * np.array(RECORD.columns["drawn"]))}
    assert "end higher" not in words(drawn(figure(replace(RECORD, columns=never))))
