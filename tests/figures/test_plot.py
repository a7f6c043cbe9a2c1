from collections.abc import Callable, Iterator
from typing import Any

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.colors import same_color
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

import boundkit as bk
from boundkit.attack.falsification import Falsification
from boundkit.figures.plot import plot
from boundkit.figures.style import colour
from boundkit.proofs import Ledger
from boundkit.studies.diagnosis import Diagnosis
from boundkit.verification.record import Record
from boundkit.verification.verdict import Verdict
from tests.figures.pictures import line, names, overlaps, part, same
from tests.notebooks.shown import example


@pytest.fixture(autouse=True)
def _no_figures_left() -> Iterator[None]:
    plt.close("all")
    yield
    plt.close("all")


def test_verdict_and_record_are_the_same_picture(exact: Verdict, record: Record) -> None:
    one, other = Figure().subplots(), Figure().subplots()
    assert plot(exact, one) is one
    assert plot(record, other) is other
    assert names(one) == names(other) == {"bound", "measured", *(f"term {label}" for label in record.causes)}
    for name in names(one):
        assert same(line(one, name).get_xydata(), line(other, name).get_xydata())


def test_without_axes_a_figure_of_pyplot_is_made_and_the_users_settings_stay(exact: Verdict) -> None:
    before = mpl.rcParams.copy()
    axes = bk.plot(exact)
    assert plt.get_fignums() == [1]
    assert axes.figure is plt.figure(1)
    assert dict(mpl.rcParams) == dict(before)
    assert overlaps(plt.figure(1)) == []


def test_on_given_axes_pyplot_is_not_touched_and_the_ground_decides_the_ink(record: Record) -> None:
    axes = Figure().subplots()
    axes.set_facecolor("black")
    plot(record, axes)
    assert plt.get_fignums() == []
    assert same_color(line(axes, "term client drift").get_color(), colour("client drift", dark=True))


def test_a_prediction_with_one_axis_shows_its_terms() -> None:
    prediction = bk.predict("fedavg_nonconvex", tau=[1, 2, 3])
    axes = plot(prediction, Figure().subplots())
    assert same(line(axes, "bound").get_ydata(), prediction.total)
    assert axes.get_title() == "fedavg_nonconvex"


def test_a_prediction_with_two_axes_shows_totals_coloured_by_what_dominates() -> None:
    prediction = bk.predict("fedavg_nonconvex_partial", tau=range(1, 101), C=[0.01, 1], eta=0.002)
    axes = plot(prediction, Figure(figsize=(8, 5), layout="constrained").subplots())
    assert same(line(axes, "bound at C = 0.01").get_ydata(), np.asarray(prediction.total)[:, 0])
    causes = {t.label: t.cause for t in prediction.theorem.terms}
    drawn = [np.asarray(piece.get_ydata(), dtype=float) for piece in axes.lines if piece.get_gid() is None]
    styles = [(p.get_color(), p.get_linestyle()) for p in axes.lines if p.get_gid() is None]
    for column in (0, 1):
        dominant, holds = np.asarray(prediction.dominant)[:, column], np.asarray(prediction.holds)[:, column]
        total = np.asarray(prediction.total)[:, column]
        for place in range(99):  # each stretch between neighbours has the colour of one of its ends
            ends = slice(place, place + 2)
            mine = [
                style for y, style in zip(drawn, styles, strict=True) if np.array_equal(y[ends], total[ends])
            ]
            assert any(same_color(paint, colour(causes[dominant[place]])) for paint, _ in mine)
            assert {dashes == "-" for _, dashes in mine} <= set(holds[ends].tolist())
    key = axes.get_legend()
    assert key is not None
    assert [t.get_text() for t in key.get_texts()] == [
        "initial gap", "client drift", "partial participation", "outside the step condition",
    ]  # fmt: skip
    assert overlaps(axes.figure) == []  # type: ignore[arg-type]


@pytest.mark.parametrize("value", [3, "fedavg_nonconvex", None, [1, 2]])
def test_what_cannot_be_drawn_is_refused_in_one_sentence(value: object) -> None:
    with pytest.raises(bk.BoundkitError, match=r"cannot be drawn; these can: a verdict, .* a round\.$"):
        plot(value)
    assert plt.get_fignums() == []


@pytest.mark.parametrize("ask", [bk.predict, bk.tune])
def test_a_bound_at_a_point_is_a_bar_a_term(ask: Callable[[str], Any]) -> None:
    found = ask("fedavg_nonconvex_partial")
    axes = plot(found, Figure(figsize=(8, 5), layout="constrained").subplots())
    for label, value in found.terms.items():
        bar = part(axes, f"term {label}")
        assert isinstance(bar, Rectangle)
        assert bar.get_width() == pytest.approx(value, rel=1e-12)
        assert same_color(bar.get_facecolor(), colour(label))
    assert overlaps(axes.figure) == []  # type: ignore[arg-type]


def test_a_trajectory_shows_its_loss_gap_and_the_band_of_its_replicas() -> None:
    problem = bk.Quadratic.random(4, 2, noise=1.0)
    run = bk.simulate("fedavg", problem, rounds=12, eta=0.1, replicas=5)
    axes = plot(run, Figure().subplots())
    assert same(line(axes, "loss_gap").get_ydata(), run.mean("loss_gap"))
    assert "band" in names(axes)
    quiet = plot(bk.simulate("fedavg", problem.without_noise(), rounds=12, eta=0.1), Figure().subplots())
    assert "band" not in names(quiet)


def test_a_sensitivity_and_reductions_are_drawn_as_the_figures_draw_them() -> None:
    found = bk.sensitivity("sgd_nonconvex")
    cells = names(plot(found, Figure().subplots()))
    assert {f"{row.title}, {reading}" for row in found.rows for reading in row.effects} <= cells
    axes = plot(bk.reductions("sgd_strongly_convex"), Figure(figsize=(10, 6)).subplots())
    assert {f"label {e.origin} {e.to}" for e in bk.reductions("sgd_strongly_convex").graph.edges} <= names(
        axes
    )


def test_a_diagnosis_shows_the_interval_of_each_cost() -> None:
    found = example("diagnose")
    assert isinstance(found, Diagnosis)
    axes = plot(found, Figure().subplots())
    for cost in found.costs:
        if cost.loss is not None:
            ends = line(axes, f"interval {cost.source}").get_xdata()
            assert same(ends, [cost.loss.low, cost.loss.high])


def test_an_attack_shows_the_bound_against_its_worst_run_at_every_horizon() -> None:
    found = example("falsify")
    assert isinstance(found, Falsification)
    assert found.worst is not None
    assert found.run is not None
    axes = plot(found, Figure(figsize=(8, 5), layout="constrained").subplots())
    bound, measured = (line(axes, name) for name in ("bound", "measured"))
    rounds = found.run["rounds"]
    assert np.asarray(bound.get_xdata())[-1] == rounds
    letters = [q.name for q in found.theorem.quantities]
    at = bk.predict(found.theorem, **{name: found.worst.values[name][0] for name in letters})
    assert np.asarray(bound.get_ydata())[0] == pytest.approx(at.total, rel=1e-12)
    last = np.asarray(measured.get_ydata())[-1] / np.asarray(bound.get_ydata())[-1]
    assert last == pytest.approx(found.ratio, rel=1e-6)
    assert axes.get_title() == "FedAvg, non-convex, full participation: worst run at 0.33 of the bound"
    assert overlaps(axes.figure) == []  # type: ignore[arg-type]


def test_a_ledger_is_a_waterfall_from_measured_to_the_bound() -> None:
    found = example("ledger")
    assert isinstance(found, Ledger)
    axes = plot(found, Figure(figsize=(10, 6), layout="constrained").subplots())
    first = part(axes, "measured")
    assert isinstance(first, Rectangle)
    assert first.get_width() == pytest.approx(100 * found.measured / found.bound)
    most = max(found.steps, key=lambda step: step.slack)
    bar = part(axes, f"step {most.name}")
    assert isinstance(bar, Rectangle)
    assert bar.get_width() == pytest.approx(100 * most.slack / found.bound)
    assert "fedavg_nonconvex" in axes.get_title()
    assert overlaps(axes.figure) == []  # type: ignore[arg-type]
