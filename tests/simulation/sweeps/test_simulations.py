"""Many runs: rows that say how each ended, records that resume, divergence that stays an outcome."""

import csv
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from boundkit.simulation.engines import local_steps
from boundkit.simulation.simulate import simulate
from boundkit.simulation.sweeps import simulations as module
from boundkit.simulation.sweeps.simulations import (
    SweepPoint,
    SweepRow,
    grid_points,
    simulate_all,
    write_table,
)
from tests.simulation.sweeps.test_grid import a_run

AXES: dict[str, list[Any]] = {"eta": [0.1, 0.3], "tau": [1, 3]}


def rows(points_of: list[SweepPoint], **given: Any) -> list[SweepRow]:
    return sorted(simulate_all(points_of, **given), key=lambda row: row.place)


def test_a_row_is_the_mean_of_the_last_round_and_its_standard_error() -> None:
    points_of = grid_points(a_run(), AXES)
    for point, row in zip(points_of, rows(points_of, replicas=20), strict=True):
        trajectory = simulate(point.run, replicas=20)
        last = trajectory.observed["loss_gap"][:, -1]
        mean, error = row.final["loss_gap"]
        assert mean == pytest.approx(last.mean())
        assert error == pytest.approx(last.std(ddof=1) / np.sqrt(20))
        assert list(row.final) == ["loss_gap", "gradient_norm_squared", "distance_squared"]
        assert (row.outcome, row.diverged_at, row.settings) == ("done", None, point.settings)


def test_a_run_is_measured_by_its_first_second(monkeypatch: pytest.MonkeyPatch) -> None:
    """A clock that says 0.3 s after every round: ten million rounds take three million seconds.

    Without compiled local steps, which report their progress more often than once a round.
    """
    monkeypatch.setattr(local_steps, "_failed", True)
    seconds = iter(0.3 * k for k in range(10**6))
    monkeypatch.setattr(module, "monotonic", lambda: next(seconds))
    assert module.expected_seconds(a_run(rounds=10**7)) == pytest.approx(3e6, rel=1e-3)
    assert module.expected_seconds(a_run(rounds=10**7), engine="exact") is not None
    assert module.expected_seconds(a_run(rounds=2)) is None


def test_divergence_is_an_outcome_and_leaves_no_number(tmp_path: Path) -> None:
    points_of = grid_points(a_run(rounds=2000), {"eta": [0.1, 50.0]})
    calm, wild = rows(points_of, replicas=3, out=tmp_path)
    assert (calm.outcome, wild.outcome) == ("done", "diverged")
    assert wild.diverged_at is not None
    assert wild.final == {}
    kept = json.loads(Path(str(wild.record)).read_text())
    assert kept["outcome"] == "diverged"
    assert np.isfinite(kept["loss"]).all()
    with write_table([calm, wild], tmp_path).open() as file:
        table = list(csv.DictReader(file))
    assert [line["loss_gap"] for line in table] == [repr(calm.final["loss_gap"][0]), ""]
    assert table[1]["diverged_at"] == str(wild.diverged_at)


def test_a_record_replays(tmp_path: Path) -> None:
    from boundkit.simulation.run_file import run_from_spec

    (row,) = rows(grid_points(a_run(), {"eta": [0.3]}), replicas=5, out=tmp_path)
    kept = json.loads(Path(str(row.record)).read_text())
    assert kept["varied"] == {"eta": 0.3}
    again = simulate(run_from_spec("fedavg", kept["run"]), replicas=5)
    assert again.to_dict()["loss"] == kept["loss"]


def counted(monkeypatch: pytest.MonkeyPatch) -> list[SweepPoint]:
    """The points that are computed from now on."""
    computed: list[SweepPoint] = []
    true = module._simulated

    def spy(point: SweepPoint, options: dict[str, Any]) -> dict[str, Any]:
        computed.append(point)
        return true(point, options)

    monkeypatch.setattr(module, "_simulated", spy)
    return computed


def test_a_second_call_reads_and_computes_the_rest(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = rows(grid_points(a_run(), AXES), out=tmp_path)
    computed = counted(monkeypatch)
    assert rows(grid_points(a_run(), AXES), out=tmp_path) == first
    assert computed == []
    more = rows(grid_points(a_run(), {"eta": [0.1, 0.2, 0.3], "tau": [1, 3]}), out=tmp_path)
    assert [p.settings["eta"] for p in computed] == [0.2, 0.2]
    assert [r.final for r in more if r.settings["eta"] != 0.2] == [r.final for r in first]


@pytest.mark.parametrize("spoil", ["torn", "unstamped", "edited"])
def test_damaged_records_are_recomputed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, spoil: str) -> None:
    first = rows(grid_points(a_run(), AXES), out=tmp_path)
    victim = Path(str(first[2].record))
    text = victim.read_text()
    if spoil == "unstamped":
        (tmp_path / ".sweep" / f"{victim.name}.json").unlink()
    else:
        victim.write_text(text[: len(text) // 2] if spoil == "torn" else text.replace("done", "gone"))
    computed = counted(monkeypatch)
    assert rows(grid_points(a_run(), AXES), out=tmp_path) == first
    assert [p.settings for p in computed] == [first[2].settings]
    assert victim.read_text() == text
