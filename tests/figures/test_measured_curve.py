"""A person's own measurement over a bound: its files, its arguments, and its picture."""

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import boundkit as bk
from boundkit.cli import main
from boundkit.figures.measured_curve import as_measurement, curves_along, read_measurement
from tests.cases import each

NAME = "fedavg_nonconvex"
AT: dict[str, Any] = {"eta": 0.01, "tau": 5, "m": 10}
GOOD = "round,measured,low,high\n10,0.5,0.4,0.7\n1,3,2.5,4\n100,0.1,0.1,0.2\n"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "my.csv"
    path.write_text(GOOD, encoding="utf-8")
    return path


def test_the_bound_is_that_of_the_measured_rounds(file: Path) -> None:
    measurement = read_measurement(file)
    assert measurement.x.tolist() == [1, 10, 100]
    bound, curves = curves_along(bk.predict(NAME, **AT), measurement)
    each = [bk.predict(NAME, **AT, T=rounds).total for rounds in (1, 10, 100)]
    assert sum(curves.terms.values()) == pytest.approx(each, rel=1e-12)
    assert (curves.measured.tolist(), curves.high.tolist()) == ([3, 0.5, 0.1], [4, 0.7, 0.2])
    assert "L" in bound.assumed
    assert "tau" not in bound.assumed
    own = bk.predict(NAME, **AT, T=[1, 5, 1000])  # the places of both are drawn
    _, both = curves_along(own, measurement)
    assert both.horizon.tolist() == [1, 5, 10, 100, 1000]
    assert np.isnan(both.measured).tolist() == [False, True, False, False, True]


@each(
    ("text", "words"),
    [
        ("", "is empty"),
        ("round,loss\n1,2\n", "unknown column 'loss'"),
        ("measured\n1\n", "the column round is missing"),
        ("round,measured,low\n1,2,1\n", "low and high go together"),
        ("round,measured\n1,2,3\n", "row 2 has 3 cells, but there are 2 columns"),
        ("round,measured\n1,two\n", "row 2 has 'two' in the column measured, which is no number"),
        ("round,measured\n1,nan\n", "measured = nan was given, but a finite number at least 0"),
        ("round,measured\n0,1\n", "round = 0 was given, but a finite number above 0"),
        ("round,measured\n1,1\n1,2\n", "round = 1 is given twice"),
        ("round,measured\n", "at least one point"),
        ("round,measured,low,high\n1,2,3,4\n", "low must be at most measured"),
    ],
)
def test_a_file_that_is_none_has_one_sentence(file: Path, text: str, words: str) -> None:
    file.write_text(text, encoding="utf-8")
    with pytest.raises(bk.BoundkitError, match=re.escape(words)) as refusal:
        read_measurement(file)
    assert str(refusal.value).startswith(str(file))


def test_every_kind_of_argument_is_the_same_curve() -> None:
    pandas, xarray = pytest.importorskip("pandas"), pytest.importorskip("xarray")
    bound = bk.predict(NAME, **AT)
    rounds, values = [2, 4, 8], [3.0, 2.0, 1.0]
    series = pandas.Series(values, index=rounds)
    for measured in (
        series,
        series.to_frame("measured"),
        pandas.DataFrame({"round": rounds, "measured": values}),
        xarray.DataArray(values, dims="round", coords={"round": rounds}),
    ):
        one = as_measurement(measured, bound)
        assert (one.x.tolist(), one.measured.tolist()) == (rounds, values)
    assert as_measurement(values, bound).x.tolist() == [1, 2, 3]
    assert as_measurement(np.array(values), bk.predict(NAME, eta=0.01, tau=rounds)).x.tolist() == rounds


@each(
    ("bound", "measured", "words"),
    [
        ({"tau": [1, 2]}, [1.0], "1 values were measured, but the prediction has 2 along tau"),
        ({"tau": [1, 2], "T": [1, 2]}, [1.0, 1.0], "along one axis, but the prediction has 2"),
        ({"T": 20}, [1.0], "T = 20 was given, but the rounds come from the measurement"),
        ({}, 3.0, "a float was given as measured"),
        ({}, ["a"], "measured must hold numbers"),
        ({}, [-1.0], "measured = -1 was given"),
    ],
)
def test_a_measurement_that_does_not_fit_is_refused(
    bound: dict[str, Any], measured: object, words: str
) -> None:
    with pytest.raises(bk.BoundkitError, match=words):
        bk.plot(bk.predict(NAME, **bound), measured=measured)


def test_plot_draws_bound_terms_and_measurement() -> None:
    bound = bk.predict(NAME, **AT)
    axes = bk.plot(bound, measured=[3.0, 2.0, 1.0], kind="stacked", preset="paper")
    lines = {line.get_gid(): line for line in axes.lines}
    assert lines["measured"].get_ydata() == pytest.approx([3.0, 2.0, 1.0])
    assert lines["bound"].get_ydata() == pytest.approx([bk.predict(NAME, **AT, T=t).total for t in (1, 2, 3)])
    assert {"term initial gap", "term client drift"} <= set(lines)
    shares = axes.figure.axes[1]
    assert len(shares.collections) == len(bound.terms)
    axes.figure.clear()
    along = bk.plot(bk.predict(NAME, eta=0.01, tau=[1, 2, 4]), measured=[0.3, 0.2, 0.1])
    assert "local steps" in along.get_xlabel()
    along.figure.clear()


def test_the_command_draws_the_file_and_writes_its_numbers(
    file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["figure", "bound-against-run", NAME, "eta=0.01", "tau=5", "--measured", str(file)]
    for form in ("svg", "csv"):
        with pytest.raises(SystemExit) as left:
            main([*words, "--json", "--out", str(tmp_path / f"a.{form}")])
        assert left.value.code == 0
    assert json.loads(capsys.readouterr().out.splitlines()[0])["figure"] == "bound_against_run"
    header, *rows = (tmp_path / "a.csv").read_text().splitlines()
    assert header.startswith("horizon,measured,low,high,initial gap")
    assert [row.split(",")[1] for row in rows] == ["3.0", "0.5", "0.1"]
    with pytest.raises(SystemExit) as left:
        main([*words, "--seed", "3"])
    assert left.value.code == 2
    assert "--seed is about a run" in capsys.readouterr().err


def test_the_numbers_of_a_figure_are_read_as_a_measurement(
    file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file.write_text("round,measured\n1,3\n10,0.5\n", encoding="utf-8")
    first, second = tmp_path / "first.csv", tmp_path / "second.csv"
    for measured, out in ((file, first), (first, second)):
        words = ["figure", "bound-against-run", NAME, "eta=0.01", "T=1,5,10"]
        with pytest.raises(SystemExit) as left:
            main([*words, "--measured", str(measured), "--out", str(out)])
        assert left.value.code == 0
    assert first.read_text() == second.read_text()
    assert first.read_text().startswith("horizon,measured,initial gap")  # no band was given
    assert capsys.readouterr().err == ""
