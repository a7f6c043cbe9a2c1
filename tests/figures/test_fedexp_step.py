"""FedExP's step over time: four panels with the numbers of the record."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from boundkit.figures.fedexp_step import GAPS, TITLES, figure
from tests.figures.pictures import line, same, words
from tests.figures.recorded import page_of, record_of

RECORD = record_of("fedexp_step")


def test_the_curves_are_those_of_the_record() -> None:
    page = page_of("fedexp_step")
    panels = np.array(page.axes).reshape(2, 2)
    for column, name in enumerate(TITLES):
        above, below = panels[:, column]
        assert same(line(above, "step fedexp").get_ydata(), RECORD.columns[f"step {name}"])
        assert set(np.asarray(line(above, "step fedavg").get_ydata())) == {1.0}
        for gap in GAPS:
            assert same(line(below, f"gap {gap}").get_ydata(), RECORD.columns[f"{gap} {name}"])
            assert same(line(below, f"gap {gap}").get_xdata(), RECORD.columns["rounds"])
        for axes in (above, below):
            assert axes.get_yscale() == axes.get_xscale() == "log"
    assert panels[0, 0].get_ylim() == panels[0, 1].get_ylim()


def test_the_headline_has_its_numbers_and_the_note_what_the_theorem_allows() -> None:
    page = page_of("fedexp_step")
    said = words(page).replace("\N{NBSP}", " ")
    longest = RECORD.array("step shared").max()
    ahead = RECORD.array("fedavg shared")[9] / RECORD.array("fedexp shared")[9]
    apart = RECORD.array("step differ").max()
    assert f"are shared, FedExP steps up to {longest:.0f} times as far, its loss {ahead:.0f} times" in said
    assert (
        f"where they differ, up to {float(f'{apart:.2g}'):.0f} times, and its last iterate does not" in said
    )
    assert r"The theorem allows $\eta$ = 0.0167, where server steps are at most 3.4" in said


def test_whether_the_last_iterate_settles_is_seen_from_the_record() -> None:
    calm = {**RECORD.columns, "fedexp differ": RECORD.columns["fedexp shared"]}
    said = words(figure(replace(RECORD, columns=calm))).replace("\N{NBSP}", " ")
    assert "its last iterate settles" in said


def test_the_last_iterate_is_drawn_as_points() -> None:
    below = np.array(page_of("fedexp_step").axes).reshape(2, 2)[1, 1]
    widths = {gap: line(below, f"gap {gap}").get_linewidth() for gap in GAPS}
    assert line(below, "gap fedexp").get_marker() == "o"
    assert widths["fedexp"] < widths["fedavg"] == widths["fedexp_mean"]
