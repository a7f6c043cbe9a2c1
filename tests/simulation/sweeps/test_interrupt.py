"""Ctrl-C in the middle of a sweep leaves whole records, and the next call ends as if nothing had been."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from boundkit.cli import main
from boundkit.simulation.sweeps import simulations as module
from boundkit.simulation.sweeps.simulations import SweepPoint, simulate_all
from tests.simulation.sweeps.long_sweep import (
    REPLICAS,
    SEEDS,
    environment,
    points_of,
    records,
    uninterrupted,
    wait_for,
    write_long_run,
)

COMMAND = [
    "sweep", "fedavg", "run.json", f"seed={','.join(map(str, SEEDS))}", f"--replicas={REPLICAS}", "--out=out"
]  # fmt: skip


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """What the sweep leaves when nothing happens to it."""
    folder = tmp_path_factory.mktemp("whole")
    return uninterrupted(write_long_run(folder), folder / "out")


def restore_sigint() -> None:
    """Obey Ctrl-C, which processes started in the background ignore."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def test_an_interrupted_sweep_resumes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    run, out = write_long_run(tmp_path, rounds=20), tmp_path / "out"
    expected = uninterrupted(run, tmp_path / "whole")
    simulated, started = module._simulated, []

    def interrupted(point: SweepPoint, options: dict[str, Any]) -> dict[str, Any]:
        started.append(point)
        if len(started) == 4:
            raise KeyboardInterrupt
        return simulated(point, options)

    monkeypatch.setattr(module, "_simulated", interrupted)
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SystemExit) as ended:
        main([*COMMAND, "--jobs=1"])
    assert ended.value.code == 130
    finished = "3 of 8 runs are finished and kept in out, and the same command resumes"
    assert capsys.readouterr().err == f"8 runs\nboundkit: interrupted; {finished}\n"
    left = records(out)
    assert len(left) == 3
    assert left.items() <= expected.items()
    assert {path.name.removesuffix(".json") for path in (out / ".sweep").iterdir()} == set(left)
    assert {path.name for path in out.iterdir()} == {".sweep", *left}
    list(simulate_all(points_of(run), out, replicas=REPLICAS))
    assert len(started) == 4 + len(SEEDS) - 3
    assert records(out) == expected


@pytest.mark.slow
@pytest.mark.parametrize("jobs", [1, 2])
def test_a_sweep_resumes_after_the_signal_of_a_terminal(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, jobs: int, whole: dict[str, bytes]
) -> None:
    run, out = write_long_run(tmp_path), tmp_path / "out"
    command = [sys.executable, "-m", "boundkit", *COMMAND, f"--jobs={jobs}"]
    process = subprocess.Popen(
        command, cwd=tmp_path, env=environment(), stderr=subprocess.PIPE, text=True, start_new_session=True,
        preexec_fn=restore_sigint,
    )  # fmt: skip
    try:
        wait_for(lambda: process.poll() is not None or len(list((out / ".sweep").glob("*.json"))) >= 2)
        os.killpg(process.pid, signal.SIGINT)  # what a terminal does: workers hear of it as well
        _, err = process.communicate(timeout=60)
    finally:
        process.kill()  # a process that outlives its test slows all others
    assert process.returncode == 130
    *before, last = err.splitlines()
    assert before == ["8 runs"]
    assert last.startswith("boundkit: interrupted; ")
    assert err.endswith(" of 8 runs are finished and kept in out, and the same command resumes\n")
    left = records(out)
    assert 2 <= len(left) < len(SEEDS)
    for content in left.values():
        assert json.loads(content)["outcome"] == "done"
    stamped = {path.name.removesuffix(".json") for path in (out / ".sweep").iterdir()}
    assert stamped <= set(left)  # nothing half-written lies about, here or there
    assert {p.name for p in out.iterdir()} == {".sweep", *left}

    redone = []
    true = module._simulated

    def spy(point: SweepPoint, options: dict[str, Any]) -> dict[str, Any]:
        redone.append(point)
        return true(point, options)

    monkeypatch.setattr(module, "_simulated", spy)
    list(simulate_all(points_of(run), out, replicas=REPLICAS))
    assert len(redone) == len(SEEDS) - len(stamped)
    assert records(out) == whole
