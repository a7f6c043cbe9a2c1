import re

import numpy as np
import pytest
from matplotlib.collections import FillBetweenPolyCollection
from matplotlib.colors import same_color
from matplotlib.figure import Figure

from boundkit.attack.falsification import as_record as record_of_search
from boundkit.attack.falsify import falsify
from boundkit.attack.search import REPLICAS
from boundkit.figures.bound_against_run import KINDS, WORTH_A_LABEL, figure, footnote, worst_of
from boundkit.figures.style import cause_style, colour
from boundkit.theorems import theorem
from boundkit.verification.record import Record, as_record
from boundkit.verification.verdict import Verdict
from tests.cases import each, thinned
from tests.figures.conftest import answered, small
from tests.figures.pictures import (
    LAYOUTS,
    drawn,
    end_labels,
    line,
    names,
    outside,
    overlaps,
    part,
    same,
    words,
)


@pytest.fixture(scope="module")
def page(record: Record) -> Figure:
    """The figure of the record as it is by default."""
    return drawn(figure(record))


@each("preset", ["paper", "dark"])
def test_every_term_has_the_colour_and_dashes_of_its_cause(record: Record, preset: str) -> None:
    axes = figure(record, preset).axes[0]
    assert set(record.causes.values()) == set(record.causes)
    assert len(record.causes) == 5
    for label, cause in record.causes.items():
        seen = line(axes, f"term {label}")
        assert same_color(seen.get_color(), colour(cause, dark=preset == "dark"))
        assert (seen.get_linestyle() == "-") == (cause_style(cause).dashes == "solid")


def test_the_plotted_numbers_are_those_of_the_record(record: Record, page: Figure) -> None:
    axes = page.axes[0]
    curves = record.curves
    assert curves is not None
    assert same(line(axes, "measured").get_xdata(), curves.horizon)
    assert same(line(axes, "measured").get_ydata(), curves.measured)
    for label, values in curves.terms.items():
        assert same(line(axes, f"term {label}").get_ydata(), np.broadcast_to(values, curves.horizon.shape))
    total = np.asarray(line(axes, "bound").get_ydata(), dtype=float)
    assert total == pytest.approx(np.sum([v * np.ones(60) for v in curves.terms.values()], axis=0), rel=1e-14)
    assert curves.measured[-1] / total[-1] == pytest.approx(record.verdict["ratio"], rel=1e-9)
    assert axes.get_xscale() == axes.get_yscale() == "log"
    assert axes.get_xlim() == (1, 60)


def test_a_sampled_run_has_its_band_and_an_exact_one_has_none(sampled: Verdict, page: Figure) -> None:
    kept = as_record(sampled)
    assert kept.curves is not None
    other = figure(kept)
    band = part(other.axes[0], "band")
    assert isinstance(band, FillBetweenPolyCollection)
    (path,) = band.get_paths()
    heights = np.asarray(path.vertices, dtype=float)[:, 1]
    assert heights.max() == pytest.approx(kept.curves.high.max())
    assert heights.min() == pytest.approx(kept.curves.low.min())
    assert "8 replicas" in words(other)
    assert "band" not in names(page.axes[0])
    assert "exact expectation" in words(page)


@pytest.fixture(scope="module")
def records() -> dict[str, Record]:
    """Of theorems of five and of two terms, and of runs of one and nine rounds."""
    made = {"five terms": as_record(small()), "two terms": as_record(small("sgd_nonconvex", local_steps=1))}
    return made | {f"{rounds} rounds": as_record(small(rounds=rounds)) for rounds in (1, 9)}


@each("preset", thinned(LAYOUTS, 1))
def test_no_texts_overlap_or_leave_the_page(records: dict[str, Record], preset: str) -> None:
    pages = [("five terms", kind) for kind in KINDS] + list(zip(list(records)[1:], KINDS * 2, strict=False))
    for name, kind in pages:
        page = figure(records[name], preset, kind)
        assert overlaps(page) == [], (name, kind)
        assert outside(page) == [], (name, kind)
        assert (line(page.axes[0], "measured").get_marker() == "o") == name.endswith(" rounds")


def test_labels_stand_in_the_order_of_their_curves(record: Record, page: Figure) -> None:
    labels = end_labels(page.axes[0])
    ends = [label.y for label in labels.labels]
    heights = [text.get_window_extent().y0 for text in labels.texts]
    assert ends == sorted(ends)
    assert heights == sorted(heights)
    assert {label.text.split("  ")[0] for label in labels.labels} == {*record.causes, "bound", "measured"}


@pytest.fixture(scope="module")
def stacked(record: Record) -> Figure:
    """The figure with the shares of the terms."""
    return drawn(figure(record, kind="stacked"))


def test_labels_of_shares_stand_in_the_middle_of_their_bands(record: Record, stacked: Figure) -> None:
    assert record.curves is not None
    last = np.array([values[-1] for values in record.curves.terms.values()])
    shares = 100 * last / last.sum()
    middles = (np.cumsum(shares) - shares / 2)[shares >= WORTH_A_LABEL]
    labels = end_labels(stacked.axes[1]).labels
    assert sorted(label.y for label in labels) == pytest.approx(middles.tolist())


def test_a_term_that_is_zero_is_left_out_and_named() -> None:
    page = figure(as_record(small(noise=0.0)))
    assert not {"term stochastic noise", "term noise drift"} & names(page.axes[0])
    assert "term client drift" in names(page.axes[0])
    assert "0 here: stochastic noise, noise drift." in words(page)


@pytest.mark.parametrize(
    ("answer", "ratio", "interval", "said"),
    [
        ("holds", 0.123, [0.12, 0.13], ": holds, measured is 0.12 of the bound"),
        ("holds", 0.996, [0.99, 0.999], ": holds, measured is 0.996 of the bound"),
        ("violated", 1.4, [1.2, 1.6], ": violated, measured is 1.4 times the bound"),
        ("violated", 0.5, [0.5, 0.5], ": violated, measured is 0.50 of the bound; another check fell short"),
        ("undecided", 1.01, [0.97, 1.05], ": undecided, measured is between 0.970 and 1.1 of the bound"),
        ("holds", None, None, ": holds"),
    ],
)
def test_the_headline_is_the_verdict(
    record: Record, answer: str, ratio: float | None, interval: list[float] | None, said: str
) -> None:
    page = figure(answered(record, answer, ratio, interval))
    assert (
        page.get_suptitle().replace("\n", " ")
        == f"FedAvg, non-convex, partial participation, as published{said}"
    )
    if ratio is not None and ratio > 1:
        assert "times the bound" in end_labels(page.axes[0]).labels[-1].text


def test_shares_fill_the_panel_and_have_the_hatches_of_their_causes(record: Record, stacked: Figure) -> None:
    upper, lower = stacked.axes
    assert lower.get_xlim() == upper.get_xlim()
    assert record.curves is not None
    total = sum(v[-1] for v in record.curves.terms.values())
    top = 0.0
    for label, cause in record.causes.items():
        area = part(lower, f"share {label}")
        assert isinstance(area, FillBetweenPolyCollection)
        assert area.get_hatch() == cause_style(cause).hatch
        (path,) = area.get_paths()
        corners = np.asarray(path.vertices, dtype=float)
        last = corners[corners[:, 0] == 60, 1]
        assert last.max() - last.min() == pytest.approx(
            100 * record.curves.terms[label][-1] / total, abs=1e-9
        )
        top = max(top, float(last.max()))
    assert top == pytest.approx(100)


@pytest.mark.parametrize(
    ("name", "measured", "end"),
    [
        ("dp_fedavg_nonconvex", f"mean of {REPLICAS} replicas", "at least"),
        ("fedavg_nonconvex_drift_lower", "exact expectation", "at"),
    ],
)
def test_the_worst_run_of_a_search_says_how_it_was_measured(name: str, measured: str, end: str) -> None:
    """Noise of the algorithm, not of the gradients, makes a run random as well."""
    result = falsify(theorem(name), evaluations=3)
    assert f"Measured: {measured}" in footnote(record_of_search(result), [])
    assert re.search(rf"worst run {end} [\d.]", worst_of(result))
