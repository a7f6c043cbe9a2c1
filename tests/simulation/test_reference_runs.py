"""Recorded runs of published code, replayed. The files say which code, at which commit."""

import json
from pathlib import Path
from typing import Any

import numpy as np

from boundkit.simulation.engines import trajectory
from boundkit.simulation.run_file import run_from_spec
from tests.cases import each
from tests.simulation.oracle import fedavg

FILES = sorted((Path(__file__).parent / "recorded").glob("fedavg*.json"))


def recorded(path: Path) -> dict[str, Any]:
    data: dict[str, Any] = json.loads(path.read_text())
    return data


@each("engine", ["step", "collapsed", "exact"])
@each("arrays", ["numpy", "torch"])
@each("path", FILES, ids=lambda p: p.stem)
def test_published_code_is_replayed(path: Path, engine: str, arrays: str) -> None:
    data = recorded(path)
    x = trajectory(run_from_spec(data["algorithm"], data["run"]), engine, arrays=arrays).x
    expected = np.array(data["x"])
    np.testing.assert_allclose(x, expected, rtol=0, atol=data["tolerance"] * np.abs(expected).max())


@each("path", FILES, ids=lambda p: p.stem)
def test_the_oracle_of_these_tests_replays_it_too(path: Path) -> None:
    data = recorded(path)
    expected = np.array(data["x"])
    x = fedavg(data["run"])
    np.testing.assert_allclose(x, expected, rtol=0, atol=data["tolerance"] * np.abs(expected).max())


def test_there_are_recordings() -> None:
    assert len(FILES) >= 3
    assert all("repo" in recorded(path)["recorded_from"] for path in FILES)
