"""All theorems on one axis: the ratios of the record, sorted, and names that do not touch."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from matplotlib.axes import Axes

from boundkit.algebra import BoundkitError
from boundkit.figures.looks import LEAST, verdict_look
from boundkit.figures.tightness import QUICK, dots_of, figure
from boundkit.studies.demonstration_records import read_demonstration
from tests.cases import each, thinned
from tests.figures.pictures import LAYOUTS, line, names, outside, overlaps, words
from tests.figures.summaries import THEOREMS, summary_of, tight

RECORD = Path(__file__).resolve().parents[2] / "examples" / "records" / "verified.json"


def ratios(axes: Axes) -> dict[str, tuple[float, float]]:
    """The place of each dot."""
    found = {}
    for name in names(axes):
        if name.startswith("worst "):
            dot = line(axes, name)
            (x,), (y,) = (np.asarray(end, dtype=float) for end in (dot.get_xdata(), dot.get_ydata()))
            found[name.removeprefix("worst ")] = (float(x), float(y))
    return found


@each("preset", thinned(LAYOUTS, 1))
def test_every_theorem_of_the_kept_record_has_its_dot_and_no_words_touch(preset: str) -> None:
    found = read_demonstration(RECORD)
    page = figure(found, preset)
    seen = ratios(page.axes[0])
    columns = found.columns
    kept = dict(zip(columns["theorems theorem"], columns["theorems ratio"], strict=True))
    assert {name: x for name, (x, _) in seen.items()} == {
        name: max(ratio, LEAST) for name, ratio in kept.items() if ratio is not None
    }
    assert sum(name.startswith("name ") for name in names(page.axes[0])) > 8
    assert not overlaps(page)
    assert not outside(page)


def test_the_tightest_is_on_top_and_the_kinds_look_unlike() -> None:
    page = figure(summary_of(THEOREMS, []))
    height = {name: y for name, (_, y) in ratios(page.axes[0]).items()}
    assert sorted(height, key=lambda name: height[name]) == ["loose", "middle", "open", "tight", "below"]
    looks = {verdict_look(t.kind, t.answer).marker for t in THEOREMS}
    assert looks == {line(page.axes[0], f"worst {n}").get_marker() for n in ("loose", "open", "below")}
    said = words(page)
    assert "3 upper bounds: 1 are attained within 1\N{NBSP}%, half are within a factor of 4" in said
    assert "2 more apply to no run." in said


def test_a_record_that_was_made_quickly_says_so() -> None:
    found = summary_of(THEOREMS, [])
    assert QUICK in words(figure(found))
    whole = replace(found, values={**found.values, "quick": False})
    assert QUICK not in words(figure(whole))


def test_what_is_violated_comes_first() -> None:
    page = figure(summary_of([*THEOREMS, tight("wrong", "upper", 3.0, "violated")], []))
    assert "1 of 6 theorems is violated" in words(page)
    assert line(page.axes[0], "worst wrong").get_marker() == "X"


def test_a_record_without_ratios_is_refused() -> None:
    nothing = summary_of([tight("nothing", "upper", None)], [])
    assert dots_of(nothing) == []
    with pytest.raises(BoundkitError, match="no theorem of this record has a ratio"):
        figure(nothing)
