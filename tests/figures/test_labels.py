from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from matplotlib.figure import Figure

from boundkit.analysis.compare import compare
from boundkit.analysis.predict import predict
from boundkit.analysis.regimes import regimes
from boundkit.figures.bound_against_run import setting
from boundkit.figures.compare import figure as compare_page
from boundkit.figures.labels import Label, label_ends, spread
from boundkit.figures.regimes import figure as regimes_page
from boundkit.figures.terms import figure as terms
from boundkit.theorems import theorem
from boundkit.verification.record import Record
from tests.cases import each
from tests.figures.pictures import drawn, end_labels, outside, overlaps, words

places = st.lists(st.floats(-100, 100), min_size=1, max_size=8).map(sorted)


@given(places, st.floats(0.1, 30), st.data())
def test_labels_keep_their_order_and_their_distance(
    wanted: list[float], typical: float, data: st.DataObject
) -> None:
    heights = [typical * data.draw(st.floats(0.5, 2)) for _ in wanted]
    found = np.array(spread(wanted, heights, -50.0, 50.0))
    needed = (np.array(heights)[:-1] + np.array(heights)[1:]) / 2
    assert np.all(np.diff(found) >= needed - 1e-9 * (1 + np.abs(found[1:])))
    if needed.sum() <= 100:
        assert found[0] >= -50 - 1e-9
        assert found[-1] <= 50 + 1e-9
    else:
        assert found[0] + found[-1] == pytest.approx(0, abs=1e-9)


@given(places)
def test_labels_that_do_not_clash_stay_where_they_belong(wanted: list[float]) -> None:
    apart = [w + 10 * i for i, w in enumerate(wanted)]
    assert spread(apart, [9.0] * len(apart), -1000, 1000) == pytest.approx(apart)


def crowd(scale: str = "linear") -> Figure:
    figure = Figure(figsize=(5, 3), layout="constrained")
    axes = figure.subplots()
    labels = []
    for i in range(5):
        (line,) = axes.plot([1, 10], [1, 2 + 0.01 * i], color=f"C{i}")
        labels.append(Label(10, 2 + 0.01 * i, f"curve number {i}", f"C{i}", line))
    labels.append(Label(10, 0.0, "nothing at all", "black"))
    axes.set_yscale(scale)
    axes.set_xlim(1, 10)
    label_ends(axes, [*labels, None], size=10)
    return figure


@each("scale", ["linear", "log"])
def test_a_crowd_is_spread_in_order_inside_the_figure(scale: str) -> None:
    figure = crowd(scale)
    assert overlaps(figure) == []
    texts = end_labels(figure.axes[0]).texts
    heights = [t.get_window_extent().y0 for t in texts]
    assert heights == sorted(heights)
    assert [t.get_text() for t in texts] == ["nothing at all", *(f"curve number {i}" for i in range(5))]
    assert max(t.get_window_extent().x1 for t in texts) <= figure.bbox.x1


def test_labels_follow_a_change_of_size() -> None:
    figure = drawn(crowd())
    figure.set_size_inches(8, 5)
    figure.set_dpi(220)
    assert overlaps(figure) == []
    assert min(t.get_window_extent().x0 for t in end_labels(figure.axes[0]).texts) > figure.axes[0].bbox.x1


def test_what_was_said_of_the_clients_stands_in_every_caption() -> None:
    nova = theorem("fednova_nonconvex")
    given: dict[str, Any] = {"tau_i": [2, 5, 9], "solver": "proximal", "prox_step": 0.1}
    page = terms(predict(nova, T=[10, 100, 1000], **given))
    assert outside(page) == []
    map_page = regimes_page(regimes(nova, "T", "sigma", **given))
    pair = compare(nova, theorem("fedavg_nonconvex"), T=[10, 100, 1000], tau=5, **given)
    for one in (page, map_page, compare_page(pair)):
        said = words(one).replace("\N{NBSP}", " ")
        assert r"$\tau_i$ = (2, 5, 9)" in said
        assert "solver = proximal" in said


def a_record(**run: Any) -> Record:
    whole = {"rounds": 7, "eta": 0.1, "local_steps": 2, **run}
    return Record("t", "", {"constant_values": {}}, whole, {}, None, {})


@each(
    ("problem", "clients"),
    [
        ({"kind": "quadratic", "H": [1.0, 1.0], "e": [[0.0], [1.0]]}, {"m": 2}),
        ({"kind": "polynomial", "coefficients": [[1, 0, 0]] * 3}, {"m": 3}),
        ({"kind": "logistic", "clients": 30}, {"m": 30}),
        ({"kind": "x", "p": [1]}, {"m": 1}),
        ({"kind": "x"}, {}),
    ],
)
def test_the_setting_has_the_clients_of_every_kind_of_problem(
    problem: dict[str, Any], clients: dict[str, int]
) -> None:
    assert setting(a_record(problem=problem)) == {**clients, "T": 7, "eta": 0.1, "tau": 2}


def test_a_rate_that_falls_has_its_offset() -> None:
    found = setting(a_record(problem={"kind": "x"}, eta={"first": 0.3, "offset": 8}))
    assert (found["eta"], found["offset"]) == (0.3, 8)
