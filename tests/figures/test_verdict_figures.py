"""Tightness and rates of all verdicts: every number of the record, sorted, and no words touch."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from matplotlib.axes import Axes
from matplotlib.colors import same_color

from boundkit.figures import rates, tightness
from boundkit.figures.rates import by_cause, exponents_of
from boundkit.figures.style import LEAST, colour, verdict_style
from boundkit.studies.demonstration_records import read_demonstration
from boundkit.studies.verdict_summary import NAME, SHOWS, FittedSlope, InstanceRatio, Summary, TheoremRatio
from boundkit.verification.tabular_result import TabularResult, tabulate_result
from tests.cases import each, thinned
from tests.figures.pictures import LAYOUTS, line, names, outside, overlaps, words

VERIFIED = read_demonstration(Path(__file__).resolve().parents[2] / "examples" / "records" / "verified.json")


def tight(theorem: str, kind: str, ratio: float | None, answer: str = "holds") -> TheoremRatio:
    return TheoremRatio(theorem, "fedavg", kind, answer, ratio, ratio, ratio, "worst", "exact", "exact")


def slope(cause: str, letter: str, measured: float, predicted: float, outcome: str = "holds") -> FittedSlope:
    return FittedSlope("one", cause or "bound", cause, letter, measured, 0.01, predicted, outcome)


THEOREMS = [
    tight("loose", "upper", 1e-4), tight("tight", "upper", 1.0), tight("middle", "upper", 0.25),
    tight("open", "order", 0.5), tight("below", "lower", 1.01), tight("nothing", "upper", None),
]  # fmt: skip
SLOPES = [
    slope("client drift", "eta", 2.01, 2.0), slope("client drift", "tau", 2.0, 2.0),
    slope("initial gap", "T", -1.0, -1.0), slope("initial gap", "eta", -1.3, -1.0),
    slope("", "T", -0.5, -0.5),
]  # fmt: skip


def summary_of(theorems: list[TheoremRatio] = THEOREMS, slopes: list[FittedSlope] = SLOPES) -> TabularResult:
    instances = [InstanceRatio("loose", "worst", 1e-4), InstanceRatio("loose", "other", 1e-5)]
    return tabulate_result(NAME, SHOWS, Summary(theorems, instances, slopes, 2, quick=True))


def places(axes: Axes, prefix: str) -> dict[str, tuple[list[float], list[float]]]:
    """The places of the dots whose names begin so, by the rest of the name."""
    found = {}
    for name in names(axes):
        if name.startswith(prefix):
            dot = line(axes, name)
            x, y = (np.asarray(end, dtype=float).tolist() for end in (dot.get_xdata(), dot.get_ydata()))
            found[name.removeprefix(prefix)] = (x, y)
    return found


@each("preset", thinned(LAYOUTS, 1))
def test_every_theorem_of_the_kept_record_has_its_dot(preset: str) -> None:
    page = tightness.figure(VERIFIED, preset)
    columns = VERIFIED.columns
    kept = dict(zip(columns["theorems theorem"], columns["theorems ratio"], strict=True))
    assert {name: x for name, ((x,), _) in places(page.axes[0], "worst ").items()} == {
        name: max(ratio, LEAST) for name, ratio in kept.items() if ratio is not None
    }
    assert len(places(page.axes[0], "worst ")) > 80
    assert sum(name.startswith("name ") for name in names(page.axes[0])) > 8
    assert (overlaps(page), outside(page)) == ([], [])


@each("preset", thinned(LAYOUTS, 1))
def test_every_exponent_that_is_not_as_predicted_is_named(preset: str) -> None:
    page, every = rates.figure(VERIFIED, preset), exponents_of(VERIFIED)
    drawn = [x for xs, _ in places(page.axes[0], "holds ").values() for x in xs]
    assert sorted(drawn) == sorted(one.difference for one in every if one.off)
    said = words(page)
    assert all(f"{cause or rates.WHOLE}: " in said for cause in by_cause(every))
    assert (overlaps(page), outside(page)) == ([], [])


def test_the_tightest_is_on_top_and_the_kinds_look_unlike() -> None:
    page = tightness.figure(summary_of())
    height = {name: y for name, (_, (y,)) in places(page.axes[0], "worst ").items()}
    assert sorted(height, key=lambda name: height[name]) == ["loose", "middle", "open", "tight", "below"]
    looks = {verdict_style(t.kind, t.answer).marker for t in THEOREMS}
    assert looks == {line(page.axes[0], f"worst {n}").get_marker() for n in ("loose", "open", "below")}
    said = words(page)
    assert "3 upper bounds: 1 are attained within 1\N{NBSP}%, half are within a factor of 4" in said
    assert "2 more apply to no run." in said


@each("preset", ["paper", "dark"])
def test_an_exponent_has_the_colour_of_its_cause_and_those_as_predicted_are_one_mark(preset: str) -> None:
    page = rates.figure(summary_of(), preset)
    drift = line(page.axes[0], "as predicted client drift")
    assert same_color(drift.get_color(), colour("client drift", dark=preset == "dark"))
    assert np.asarray(drift.get_xdata()) == pytest.approx([0, 0.01])
    assert list(places(page.axes[0], "holds ")) == ["initial gap, eta, one"]
    assert "initial gap: 1 of 2" in words(page)
    assert "4 of 5 exponents are measured as predicted, within 0.1; the others are slack" in words(page)


def test_what_is_violated_is_said_and_marked() -> None:
    page = tightness.figure(summary_of([*THEOREMS, tight("wrong", "upper", 3.0, "violated")]))
    assert "1 of 6 theorems is violated" in words(page)
    assert line(page.axes[0], "worst wrong").get_marker() == "X"
    page = rates.figure(summary_of(slopes=[*SLOPES, slope("client drift", "m", 1.0, 0.0, "violated")]))
    assert "1 are violated" in words(page)
    assert places(page.axes[0], "violated ")["client drift, m, one"][0] == [1.0]
