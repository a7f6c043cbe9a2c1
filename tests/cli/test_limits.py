"""Requests that once filled the memory or blocked, in a process whose address space is limited."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.cli.conftest import Command

PROGRAM = """
import io, json, resource, sys
from contextlib import redirect_stderr, redirect_stdout
limit = 6 * 2**30
resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
from boundkit.cli import main
for argv in json.loads(sys.stdin.read()):
    out, err = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        try:
            main(argv)
        except SystemExit as left:
            code = left.code
    status = open("/proc/self/status").read()  # ru_maxrss begins with that of the parent
    peak = int(status.split("VmHWM:")[1].split()[0])
    print(json.dumps([code, out.getvalue(), err.getvalue(), peak * 1024]), flush=True)
"""
HUGE = 10**9
RATE = 1e-9
linux = pytest.mark.skipif(sys.platform != "linux", reason="the limit of an address space holds on Linux")


def written(path: Path, **changes: Any) -> str:
    problem = {"kind": "quadratic", "H": [1.0, 2.0], "e": [[0.0], [3.0]]}
    usual = {"problem": problem, "x0": [1.0], "rounds": 2, "eta": 0.1, "local_steps": 2}
    path.write_text(json.dumps(usual | changes))
    return str(path)


def limited(commands: list[list[str]]) -> list[list[Any]]:
    """Exit code, stdout, stderr and the peak of the resident memory after each command, in one process."""
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        input=json.dumps(commands),
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


@linux
def test_what_once_filled_the_memory_is_answered_or_refused(tmp_path: Path) -> None:
    steps = written(tmp_path / "steps.json", local_steps=HUGE, eta=RATE)
    rounds = written(tmp_path / "rounds.json", rounds=200_000, eta=1e-3)
    more_rounds = written(tmp_path / "more_rounds.json", rounds=10**7, eta=1e-3)
    kept = tmp_path / "pipe.json"
    os.mkfifo(kept)
    m = 200_000
    clients = {"kind": "quadratic", "H": [1.0, 3.0] * (m // 2), "e": [[0.0], [4.0]] * (m // 2)}
    many = written(tmp_path / "many.json", problem=clients)
    commands = [
        ["simulate", "fedavg", "/dev/zero"],
        ["simulate", "fedavg", str(kept)],
        ["predict", "fedavg_nonconvex_partial"],
        ["predict", "fedavg_nonconvex_partial", "eta=0.0001:0.001:200000"],
        ["simulate", "fedavg", steps, "--engine", "exact", "--json"],
        ["simulate", "fedavg", steps, "--json"],
        ["objective", "fedavg", steps, "--json"],
        ["simulate", "fedavg", many, "--engine", "exact", "--json"],
        ["simulate", "fedavg", many, "--json"],
        ["simulate", "fedavg", rounds, "--engine", "exact"],
        ["simulate", "fedavg", more_rounds, "--engine", "exact", "--json"],
    ]
    zero, pipe, point, grid, exact, step, objective, exact_many, step_many, long_text, long_json = limited(
        commands
    )
    for (code, out, err, _), said in (
        (zero, "cannot read /dev/zero: it is a device, and a regular file is needed."),
        (pipe, f"cannot read {kept}: it is a named pipe, and a regular file is needed."),
    ):
        assert (code, out, err) == (2, "", f"boundkit: {said}\n")
    assert (grid[0], "... and 190000 more points" in grid[1]) == (0, True)
    assert grid[3] - point[3] < 60 * 2**20  # text of all points needs more than 100 MiB
    left = np.exp(HUGE * np.log1p(-RATE * np.array([1.0, 2.0])))
    first = np.mean([0.0, 3.0] + left * (1 - np.array([0.0, 3.0])))
    for code, out, err, _ in (exact, step):
        assert (code, err) == (0, "")
        assert json.loads(out)["x"][1][0] == pytest.approx(first, rel=1e-12)
    limit = (1 - left) @ [0.0, 3.0] / (1 - left).sum()
    assert json.loads(objective[1])["fixed_point"][0] == pytest.approx(limit, rel=1e-9)
    after = np.mean([0.0, 4.0] + np.array([0.9, 0.7]) ** 2 * (1 - np.array([0.0, 4.0])))
    for code, out, err, _ in (exact_many, step_many):
        assert (code, err) == (0, "")
        assert json.loads(out)["x"][1][0] == pytest.approx(after, rel=1e-12)
    assert (long_text[0], long_text[2]) == (0, "")
    assert long_text[1].startswith("fedavg: 200000 rounds by the exact engine")
    assert long_text[3] - step_many[3] < 80 * 2**20  # text of all rounds needs about 160 MiB
    assert (long_json[0], long_json[1]) == (2, "")
    assert long_json[2].startswith("boundkit: the JSON of 10,000,001 rounds (d = 1) needs about 8.4 GiB")
    assert long_json[2].count("\n") == 1
    assert long_json[3] < 2.5 * 2**30


@pytest.mark.parametrize(
    "error", [MemoryError(), RuntimeError("[enforce fail] DefaultCPUAllocator: can't allocate memory")]
)
def test_memory_that_ran_out_is_one_sentence(
    boundkit: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    pytest.importorskip("torch")  # whose errors are known where it is loaded

    def failing(*_: Any, **__: Any) -> None:
        raise error

    monkeypatch.setattr("boundkit.simulation.simulate.trajectory", failing)
    answer = boundkit("simulate", "fedavg", written(tmp_path / "run.json"))
    assert (answer.code, answer.out) == (2, "")
    assert answer.err == (
        "boundkit: memory ran out; ask for fewer clients, parameters, rounds, replicas or points.\n"
    )
