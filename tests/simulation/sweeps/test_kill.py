"""SIGKILL in the middle of a sweep: whole records stay, and the next call completes it."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from boundkit.simulation.sweeps.simulations import simulate_all
from tests.sessions import PROC, session
from tests.simulation.sweeps.long_sweep import (
    REPLICAS,
    SEEDS,
    environment,
    points_of,
    records,
    uninterrupted,
    write_long_run,
)

SWEEPS = """
import os, random, shutil, signal, sys, time
from pathlib import Path
from boundkit.simulation import atomic_files as files
from boundkit.simulation.sweeps.simulations import simulate_all
from tests.simulation.sweeps.long_sweep import REPLICAS, points_of, records

def sweep(out):
    list(simulate_all(points_of(Path("run.json")), out, replicas=REPLICAS))

sweep(Path("first"))
began = time.monotonic()
sweep(Path("second"))
whole, random = time.monotonic() - began, random.Random(int(sys.argv[1]))
files._folders.clear()  # each child has started anew
for kill in range(int(sys.argv[2])):
    if len(records(Path("out"))) == len(records(Path("first"))):
        shutil.rmtree("out")
    child = os.fork()
    if child == 0:
        sweep(Path("out"))
        os._exit(0)
    time.sleep(random.uniform(0, whole / 2))
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    for name, content in records(Path("out")).items():
        assert content == (Path("first") / name).read_bytes(), name
"""


def stamps_and_temporary_files(out: Path) -> tuple[set[str], list[str]]:
    every = [path.name for path in out.rglob("*") if path.is_file()]
    left = [name for name in every if name.startswith(".boundkit-")]
    return {path.name.removesuffix(".json") for path in (out / ".sweep").glob("*.json")}, left


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the sweeps that are killed are forked")
@pytest.mark.parametrize("seed", [0, pytest.param(1, marks=pytest.mark.slow)])
def test_a_killed_sweep_resumes(tmp_path: Path, seed: int) -> None:
    run = write_long_run(tmp_path, rounds=20)
    kills = 12 if seed == 0 else 200
    command = [sys.executable, "-c", SWEEPS, str(seed), str(kills)]
    done = subprocess.run(
        command, cwd=tmp_path, env=environment(), capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
    list(simulate_all(points_of(run), tmp_path / "out", replicas=REPLICAS))
    assert records(tmp_path / "out") == records(tmp_path / "first")
    assert stamps_and_temporary_files(tmp_path / "out") == ({*records(tmp_path / "first")}, [])


@pytest.mark.slow
@pytest.mark.skipif(not PROC, reason="processes of a session are counted in /proc")
def test_a_killed_command_with_workers_resumes(tmp_path: Path) -> None:
    run, out, rng = write_long_run(tmp_path), tmp_path / "out", random.Random(2)
    words = ["sweep", "fedavg", "run.json", f"seed={','.join(map(str, SEEDS))}", f"--replicas={REPLICAS}"]
    for _ in range(6):
        with session([*words, "--jobs=2", "--out=out"], tmp_path) as running:
            running.wait_for_workers()
            time.sleep(rng.uniform(0, 3))
            running.send(signal.SIGKILL)
            running.ended()
        for content in records(out).values():
            assert json.loads(content)["outcome"] == "done"
    with session([*words, "--jobs=2", "--out=out"], tmp_path) as running:
        assert running.ended().code == 0
    left = records(out)
    assert left == uninterrupted(run, tmp_path / "whole")
    assert stamps_and_temporary_files(out) == ({*left}, [])
