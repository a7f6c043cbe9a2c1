"""Client drift and surrogates in the plane: what is drawn is the record, and can be read."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from boundkit.figures import client_drift
from boundkit.figures.client_drift import CLIENTS
from boundkit.figures.looks import algorithm_look
from boundkit.figures.number_format import number
from boundkit.figures.surrogate_paths import ALGORITHMS
from boundkit.verification.tabular_result import TabularResult
from tests.figures.pictures import line, names, same, words
from tests.figures.recorded import page_of, record_of


def rows(record: TabularResult, field: str, who: str) -> list[Any]:
    """The points of ``who``, as the record has them."""
    columns = (record.columns[f"{field} {part}"] for part in ("who", "x1", "x2"))
    return [(x, y) for name, x, y in zip(*columns, strict=True) if name == who]


def test_the_paths_of_client_drift_are_those_of_the_record() -> None:
    record = record_of("client_drift")
    for axes, field in zip(page_of("client_drift").axes, ("few", "many"), strict=True):
        walks = [f"{client} from {where}" for client in CLIENTS for where in ("start", "rest")]
        for who in ("server", *walks):
            assert same(line(axes, who).get_xydata(), rows(record, field, who))
    rest = line(page_of("client_drift").axes[1], "rest").get_xydata()
    optimum = line(page_of("client_drift").axes[1], "optimum").get_xydata()
    assert np.linalg.norm(np.subtract(rest, optimum)) == pytest.approx(record.values["distance_many"])
    way = line(page_of("client_drift").axes[1], "fixed points")
    assert same(way.get_xdata(), record.columns["settled x1"])


def test_client_drift_says_how_far_and_why_the_steps_are_the_same() -> None:
    said = words(page_of("client_drift")).replace("\N{NBSP}", " ")
    assert "FedAvg settles at $x^*$ with 1 local step, 1.02 from $x^*$ with 20" in said
    assert r"$\eta$ = 0.2 and 240 gradients a client in both, so that $\tau$ alone differs" in said
    assert "20 steps settle 0.061" in said
    assert "240 rounds" in said
    assert "12 rounds" in said


def test_two_clients_are_told_apart_without_colour() -> None:
    axes = page_of("client_drift").axes[1]
    for where in ("start", "rest"):
        dashes = {line(axes, f"{client} from {where}").get_linestyle() for client in CLIENTS}
        assert len(dashes) == len(CLIENTS)


def test_both_runs_may_settle_away_from_the_optimum() -> None:
    record = record_of("client_drift")
    values = {**record.values, "tau_few": 5, "distance_few": 0.272}
    said = words(client_drift.figure(replace(record, values=values)))
    assert "FedAvg settles 0.272 from $x^*$ with 5 local steps" in said
    assert said.count("fixed point\n") == 2


def test_the_paths_and_ends_of_four_algorithms_are_those_of_the_record() -> None:
    record = record_of("surrogate_paths")
    ends = zip(*(record.columns[f"ends {part}"] for part in ("algorithm", "x1", "x2")), strict=True)
    for name, x, y in ends:
        for axes in page_of("surrogate_paths").axes:
            assert same(line(axes, f"path {name}").get_xydata(), rows(record, "paths", str(name)))
            assert same(line(axes, f"fixed point {name}").get_xydata(), [(x, y)])
            assert line(axes, f"fixed point {name}").get_marker() == algorithm_look(str(name)).marker
    whole, close = page_of("surrogate_paths").axes
    assert "enlarged" in names(whole)
    assert np.ptp(close.get_xlim()) < np.ptp(whole.get_xlim()) / 2


def test_every_algorithm_is_named_with_its_distance() -> None:
    said = words(page_of("surrogate_paths"))
    assert "2, 5 and 9 local steps" in said
    columns = record_of("surrogate_paths").columns
    distances = dict(zip(columns["ends algorithm"], columns["ends distance"], strict=True))
    for name in ALGORITHMS:
        assert f"{algorithm_look(name).title}\n" in said
        assert f"{number(distances[name])}" in said.partition("\n")[0] + said
    assert "optimum of the surrogate" in said
    assert "0.125, 0.312, 0.562" in said
