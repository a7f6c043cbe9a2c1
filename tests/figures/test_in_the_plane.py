"""Client drift and surrogates in the plane: what is drawn is the record, and can be read."""

from __future__ import annotations

from dataclasses import replace
from importlib import import_module
from typing import Any

import numpy as np
import pytest
from matplotlib.figure import Figure

from boundkit.figures.algorithm_styles import look
from boundkit.figures.client_drift import CLIENTS
from boundkit.figures.number_format import number
from boundkit.figures.surrogate_paths import ALGORITHMS
from boundkit.verification.tabular_result import TabularResult, tabulate_result
from tests.figures.pictures import drawn, line, names, outside, overlaps, same, words
from tests.representatives import aside
from tests.studies.demonstrations import quickly

BOTH = ("client_drift", "surrogate_paths")


def shown(found: TabularResult, preset: str = "hall") -> Figure:
    return drawn(import_module(f"boundkit.figures.{found.name}").figure(found, preset))


@pytest.fixture(scope="module")
def found() -> dict[str, TabularResult]:
    return {name: tabulate_result(name, "", quickly.run(name)[0]) for name in BOTH}


@pytest.fixture(scope="module")
def pages(found: dict[str, TabularResult]) -> dict[str, Figure]:
    return {name: shown(found[name]) for name in BOTH}


def rows(found: TabularResult, field: str, who: str) -> list[Any]:
    """The points of ``who``, as the record has them."""
    columns = (found.columns[f"{field} {part}"] for part in ("who", "x1", "x2"))
    return [(x, y) for name, x, y in zip(*columns, strict=True) if name == who]


@pytest.mark.parametrize("name", BOTH)
@pytest.mark.parametrize("preset", aside(["hall", "paper", "dark"], "hall", "dark"))
def test_words_are_on_the_page_and_not_on_each_other(
    found: dict[str, TabularResult], pages: dict[str, Figure], name: str, preset: str
) -> None:
    page = pages[name] if preset == "hall" else shown(found[name], preset)
    assert outside(page) == []
    assert overlaps(page) == []


def test_the_paths_of_client_drift_are_those_of_the_record(
    found: dict[str, TabularResult], pages: dict[str, Figure]
) -> None:
    record = found["client_drift"]
    for axes, field in zip(pages["client_drift"].axes, ("few", "many"), strict=True):
        walks = [f"{client} from {where}" for client in CLIENTS for where in ("start", "rest")]
        for who in ("server", *walks):
            assert same(line(axes, who).get_xydata(), rows(record, field, who))
    rest = line(pages["client_drift"].axes[1], "rest").get_xydata()
    optimum = line(pages["client_drift"].axes[1], "optimum").get_xydata()
    assert np.linalg.norm(np.subtract(rest, optimum)) == pytest.approx(record.values["distance_many"])
    way = line(pages["client_drift"].axes[1], "fixed points")
    assert same(way.get_xdata(), record.columns["settled x1"])


def test_client_drift_says_how_far_and_why_the_steps_are_the_same(pages: dict[str, Figure]) -> None:
    said = words(pages["client_drift"]).replace("\N{NBSP}", " ")
    assert "FedAvg settles at $x^*$ with 1 local step, 1.02 from $x^*$ with 20" in said
    assert r"$\eta$ = 0.2 and 240 gradients a client in both, so that $\tau$ alone differs" in said
    assert "20 steps settle 0.061" in said
    assert "240 rounds" in said
    assert "12 rounds" in said


def test_two_clients_are_told_apart_without_colour(pages: dict[str, Figure]) -> None:
    axes = pages["client_drift"].axes[1]
    for where in ("start", "rest"):
        dashes = {line(axes, f"{client} from {where}").get_linestyle() for client in CLIENTS}
        assert len(dashes) == len(CLIENTS)


def test_both_runs_may_settle_away_from_the_optimum(found: dict[str, TabularResult]) -> None:
    record = found["client_drift"]
    values = {**record.values, "tau_few": 5, "distance_few": 0.272}
    said = words(shown(replace(record, values=values)))
    assert "FedAvg settles 0.272 from $x^*$ with 5 local steps" in said
    assert said.count("fixed point\n") == 2


def test_the_paths_and_ends_of_four_algorithms_are_those_of_the_record(
    found: dict[str, TabularResult], pages: dict[str, Figure]
) -> None:
    record = found["surrogate_paths"]
    ends = zip(*(record.columns[f"ends {part}"] for part in ("algorithm", "x1", "x2")), strict=True)
    for name, x, y in ends:
        for axes in pages["surrogate_paths"].axes:
            assert same(line(axes, f"path {name}").get_xydata(), rows(record, "paths", str(name)))
            assert same(line(axes, f"fixed point {name}").get_xydata(), [(x, y)])
            assert line(axes, f"fixed point {name}").get_marker() == look(str(name)).marker
    whole, close = pages["surrogate_paths"].axes
    assert "enlarged" in names(whole)
    assert np.ptp(close.get_xlim()) < np.ptp(whole.get_xlim()) / 2


def test_every_algorithm_is_named_with_its_distance(
    found: dict[str, TabularResult], pages: dict[str, Figure]
) -> None:
    said = words(pages["surrogate_paths"])
    assert "2, 5 and 9 local steps" in said
    distances = dict(zip(*(found["surrogate_paths"].columns[f"ends {c}"] for c in ("algorithm", "distance")),
                         strict=True))  # fmt: skip
    for name in ALGORITHMS:
        assert f"{look(name).title}\n" in said
        assert f"{number(distances[name])}" in said.partition("\n")[0] + said
    assert "optimum of the surrogate" in said
    assert "0.125, 0.312, 0.562" in said
