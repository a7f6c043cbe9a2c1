"""The table of arrows: every answer as a mark, a word and a colour, in every preset."""

from __future__ import annotations

import pytest
from matplotlib.colors import to_hex
from matplotlib.lines import Line2D
from matplotlib.patches import Rectangle

from boundkit.analysis.sensitivity import Sensitivity, sensitivity
from boundkit.figures.sensitivity import COLOURS, MARKS, figure
from boundkit.theorems import theorem
from tests.cases import each
from tests.figures.pictures import drawn, outside, overlaps, words
from tests.representatives import aside


@pytest.fixture(scope="module")
def found() -> Sensitivity:
    return sensitivity(theorem("fedavg_nonconvex_partial"), eta="1/(sqrt(T)*tau*L)")


@each("preset", aside(["hall", "paper", "dark"], "hall", "dark"))
def test_words_are_on_the_page_and_not_on_each_other(found: Sensitivity, preset: str) -> None:
    page = drawn(figure(found, preset))
    assert outside(page) == []
    assert overlaps(page) == []
    said = words(page)
    assert "down is better" in said
    assert "eta = 1/(L*sqrt(T)*tau)" in said


@each("preset", ["paper", "dark"])
def test_every_answer_has_its_mark_its_word_and_its_colour(found: Sensitivity, preset: str) -> None:
    axes = drawn(figure(found, preset)).axes[0]
    marks = [line for line in axes.get_lines() if isinstance(line, Line2D)]
    cells = [patch for patch in axes.patches if isinstance(patch, Rectangle)]
    shown = sum(len(row.effects) for row in found.rows)
    assert len(cells) == len({cell.get_gid() for cell in cells}) == shown
    assert sum(text.get_text() == "better" for text in axes.texts) == sum(
        e.word == "better" for row in found.rows for e in row.effects.values()
    )
    for row in found.rows:
        for reading, effect in row.effects.items():
            name = f"{row.title}, {reading}"
            own = [line for line in marks if str(line.get_gid()).rsplit(", ", 1)[0] == name]
            assert sorted(str(line.get_marker()) for line in own) == sorted(MARKS[effect.word])
            colours = {to_hex(line.get_color()) for line in own}
            assert colours == {COLOURS[effect.word][preset == "dark"].lower()}


def test_what_numbers_decided_has_a_star() -> None:
    page = figure(sensitivity(theorem("overlap_sgd_nonconvex_clock"), "tau,m"))
    assert "depends *" in words(drawn(page))
    assert "numerically" in words(page)
    assert "Up to constants" in words(page)
