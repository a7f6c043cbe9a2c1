"""A sweep that takes a few seconds, so that something may happen in its middle."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable
from pathlib import Path

from boundkit.simulation.run_file import read_run
from boundkit.simulation.sweeps.simulations import SweepPoint, grid_points, simulate_all

ROOT = Path(__file__).resolve().parents[3]
SEEDS = list(range(8))
REPLICAS = 2


def write_long_run(folder: Path, rounds: int = 300) -> Path:
    """A file with the run: about a sixth of a second."""
    problem = {"kind": "quadratic", "H": [1.0, 0.5], "e": [[0.0], [1.0]]}
    spec = {"problem": problem, "x0": [2.0], "rounds": rounds, "eta": 0.01, "local_steps": 4, "noise": 1.0}
    path = folder / "run.json"
    path.write_text(json.dumps(spec))
    return path


def points_of(run: Path) -> list[SweepPoint]:
    """The run at every seed."""
    return grid_points(read_run("fedavg", run), {"seed": SEEDS})


def uninterrupted(run: Path, out: Path) -> dict[str, bytes]:
    """The records of the sweep in this process, from beginning to end."""
    list(simulate_all(points_of(run), out, replicas=REPLICAS))
    return records(out)


def records(out: Path) -> dict[str, bytes]:
    """Every record under the folder, by name."""
    return {path.name: path.read_bytes() for path in out.glob("[!.]*.json")}


def environment() -> dict[str, str]:
    """For a process that is to find this boundkit, on one thread."""
    return {**os.environ, "PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1"}


def wait_for(what: Callable[[], bool], seconds: float = 60, every: float = 0.02) -> None:
    """Until it is so; ``every``: seconds between two looks."""
    end = time.monotonic() + seconds
    while not what():
        assert time.monotonic() < end, "it never came about"
        time.sleep(every)
