"""Cells are stored as soon as they are computed; the number of workers changes no bit."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

from boundkit.cli import main
from boundkit.studies.rounds_to_target import (
    GridCell,
    RoundsQuery,
    RoundsTable,
    computation,
    compute_cells,
    make_table,
    rounds_to_target,
)
from boundkit.studies.rounds_to_target.computation import tune_cell
from tests.simulation.sweeps.long_sweep import records
from tests.studies.rounds_to_target.small import small_cells, small_query


@pytest.fixture(scope="module")
def whole() -> dict[GridCell, Mapping[str, Any]]:
    """The cells, in this process, nothing kept."""
    return dict(compute_cells(small_query(), small_cells()))


@pytest.mark.slow
def test_two_workers_give_the_same_bits(whole: dict[GridCell, Mapping[str, Any]]) -> None:
    assert dict(compute_cells(small_query(), small_cells(), jobs=2)) == whole


def test_computed_cells_are_stored_and_not_computed_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, whole: dict[GridCell, Mapping[str, Any]]
) -> None:
    assert len(list(islice(compute_cells(small_query(), small_cells(), tmp_path), 2))) == 2
    assert len(records(tmp_path)) == 2
    done: list[GridCell] = []

    def spy(cell: GridCell, query: RoundsQuery) -> dict[str, Any]:
        done.append(cell)
        return tune_cell(cell, query)

    monkeypatch.setattr(computation, "tune_cell", spy)
    assert dict(compute_cells(small_query(), small_cells(), tmp_path)) == whole
    assert done == small_cells()[2:]
    assert dict(compute_cells(small_query(), small_cells(), tmp_path)) == whole
    assert len(done) == 2
    list(compute_cells(small_query(seed=1), small_cells()[:1], tmp_path))  # another query has its own records
    assert len(done) == 3
    list(compute_cells(small_query(), small_cells()[:1], tmp_path, fresh=True))
    assert len(done) == 4


STUDY: dict[str, Any] = {"clients": 8, "C": 0.5, "eta": 0.01, "target": 0.999, "replicas": 2,
                         "B": [40, 60, 80, 100], "E": 1, "partition": "iid"}  # fmt: skip
COMMAND = [
    "rounds-to-target", "--model=softmax", "--clients=8", "--C=0.5", "--eta=0.01", "--target=0.999",
    "--replicas=2", "--B=40,60,80,100", "--E=1", "--partition=iid", "--jobs=1", "--out=out",
]  # fmt: skip


def assert_it_resumes(folder: Path, rounds: int) -> None:
    """At least two finished cells are not computed again, and the records are those of one call."""
    out, left = folder / "out", records(folder / "out")
    assert 2 <= len(left) < 5
    assert {p.name for p in out.iterdir()} == {".sweep", *left}  # and no table of half the cells
    stamped = {path.name.removesuffix(".json") for path in (out / ".sweep").iterdir()} & set(left)
    assert len(stamped) >= 2
    written = {name: (out / name).stat().st_mtime_ns for name in stamped}
    rounds_to_target("digits", "softmax", **STUDY, rounds=rounds, out=out)
    assert {name: (out / name).stat().st_mtime_ns for name in stamped} == written
    rounds_to_target("digits", "softmax", **STUDY, rounds=rounds, out=folder / "undisturbed")
    assert records(out) == records(folder / "undisturbed")
    assert len(records(out)) == 5 + 1


def test_an_interrupt_leaves_whole_cells_and_the_next_call_ends_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    done: list[GridCell] = []

    def interrupted(cell: GridCell, query: RoundsQuery) -> dict[str, Any]:
        if len(done) == 2:
            raise KeyboardInterrupt
        done.append(cell)
        return tune_cell(cell, query)

    monkeypatch.chdir(tmp_path)
    with monkeypatch.context() as patch:
        patch.setattr(computation, "tune_cell", interrupted)
        with pytest.raises(SystemExit) as ended:
            main([*COMMAND, "--rounds=3"])
    assert ended.value.code == 130
    finished = "2 of 5 cells are finished and kept in out, and the same command resumes"
    assert capsys.readouterr().err == f"boundkit: interrupted; {finished}\n"
    assert_it_resumes(tmp_path, 3)


def a_table(rounds: dict[GridCell, list[float | None]], **options: Any) -> RoundsTable:
    """The table of cells with these rounds of their replicas."""
    made = {
        cell: {"cell": cell.to_json(), "random": True, "steps": 2.0, "chosen": 0.5, "curves": [],
               "etas": [{"eta": 0.5, "rounds": own, "best": [0.5] * 3, "walked": 15, "diverged": 0,
                         "given_up": False}]}
        for cell, own in rounds.items()
    }  # fmt: skip
    return make_table(small_query(eta=0.5), made, **options)


SGD, AVG = GridCell("fedavg", 0.5, None, 1.0, "iid"), GridCell("fedavg", 0.5, 10, 5.0, "iid")


def test_speed_ups_are_over_fedsgd_or_the_first_row() -> None:
    found = a_table({SGD: [12.0, 10.0, 14.0], AVG: [3.0, 4.0, 5.0]})
    assert found.rows[0][0].speed_up is None
    assert found.rows[1][0].speed_up is not None
    assert found.rows[1][0].speed_up.factor == 3.0
    text = str(found)
    sgd, avg = (line.split() for line in text.splitlines()[1:3])
    assert sgd == ["FedSGD", "1", "inf", "2", "12.0", "10.0", "to", "14.0", "0.5"]
    assert avg == ["fedavg", "5", "10", "2", "4.0", "(3.0x)", "3.0", "to", "5.0", "0.5"]
    other = a_table({AVG: [3.0, 4.0, 5.0], SGD: [12.0, 10.0, 14.0]}, baseline="first")
    assert other.rows[1][0].speed_up is not None
    assert other.rows[1][0].speed_up.factor == pytest.approx(1 / 3)
    assert "relative to the first row (fedavg, C = 0.5, B = 10, E = 5)" in str(other)


def test_censored_rounds_are_bounds() -> None:
    never: list[float | None] = [None, None, None]
    text = str(a_table({SGD: never, AVG: [3.0, 4.0, None]}))
    assert "> 15.0" in text
    assert "4.0 (> 3.8x)" in text
    assert "3.0 to > 15" in text
    assert "not reached within 15 rounds" in text
    text = str(a_table({SGD: [3.0, 6.0, 9.0], AVG: never}))
    assert "> 15.0 (< 0.40x)" in text
    data = a_table({SGD: never, AVG: never}).to_dict()
    assert data["cells"][1]["speed_up"] is None
    assert data["cells"][1]["rounds"] == {
        "median": 15.0, "censored": True, "low": 15.0, "high": None, "coverage": 0.75
    }  # fmt: skip
