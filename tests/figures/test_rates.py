"""Exponents by cause and letter: those of the record, each beside its prediction."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from matplotlib.colors import same_color

from boundkit.algebra import BoundkitError
from boundkit.figures.looks import colour
from boundkit.figures.rates import blocks_of, exponents_of, figure, in_columns
from boundkit.figures.style import PRESETS
from boundkit.figures.tightness import QUICK
from boundkit.studies.demonstration_records import read_demonstration
from tests.cases import each, thinned
from tests.figures.pictures import LAYOUTS, line, names, outside, overlaps, words
from tests.figures.summaries import SLOPES, THEOREMS, slope, summary_of

RECORD = Path(__file__).resolve().parents[2] / "examples" / "records" / "verified.json"


@each("preset", thinned(LAYOUTS, 1))
def test_every_exponent_of_the_kept_record_is_drawn_and_no_words_touch(preset: str) -> None:
    found = read_demonstration(RECORD)
    page = figure(found, preset)
    drawn: list[float] = []
    for axes in page.axes:
        for name in names(axes):
            if name.startswith("measured "):
                drawn += np.asarray(line(axes, name).get_xdata(), dtype=float).tolist()
    assert sorted(drawn) == sorted(one.measured for one in exponents_of(found))
    assert len(drawn) > 300
    assert not overlaps(page)
    assert not outside(page)


@each("preset", PRESETS)
def test_a_dot_has_the_colour_of_its_cause_and_its_prediction_beside_it(preset: str) -> None:
    page = figure(summary_of(THEOREMS, SLOPES), preset)
    (axes,) = [a for a in page.axes if "measured client drift, eta" in names(a)]
    dot, mark = (line(axes, f"{kind} client drift, eta") for kind in ("measured", "predicted"))
    assert same_color(dot.get_color(), colour("client drift", dark=preset == "dark"))
    assert np.asarray(dot.get_xdata()).tolist() == [2.01]
    assert np.asarray(mark.get_xdata()).tolist() == [2.0]
    assert np.array_equal(dot.get_ydata(), mark.get_ydata())
    assert "4 of 5 exponents are measured as predicted, within 0.1; the others are slack" in words(page)


def test_a_record_that_was_made_quickly_says_so() -> None:
    found = summary_of(THEOREMS, SLOPES)
    assert QUICK in words(figure(found))
    whole = replace(found, values={**found.values, "quick": False})
    assert QUICK not in words(figure(whole))


def test_what_is_violated_is_said_and_marked() -> None:
    page = figure(summary_of(THEOREMS, [*SLOPES, slope("client drift", "m", 1.0, 0.0, "violated")]))
    assert "1 are violated" in words(page)
    (axes,) = [a for a in page.axes if "violated client drift, m" in names(a)]
    assert np.asarray(line(axes, "violated client drift, m").get_xdata()).tolist() == [1.0]


def test_columns_are_as_even_as_their_order_allows() -> None:
    blocks = blocks_of(exponents_of(read_demonstration(RECORD)))
    parts = in_columns(blocks, 3)
    assert [block for part in parts for block in part] == blocks
    tall = [sum(len(block.rows) + 1 for block in part) for part in parts]
    assert max(tall) <= sum(tall) / 3 + max(len(block.rows) + 1 for block in blocks)


def test_a_record_without_slopes_is_refused() -> None:
    with pytest.raises(BoundkitError, match="no slope was fitted"):
        figure(summary_of(THEOREMS, []))
