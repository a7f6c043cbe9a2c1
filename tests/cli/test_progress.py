"""Bars on a terminal: one inside another has a line of its own, and none where nobody watches."""

import io
import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout
from pathlib import Path
from typing import Any

import pytest

from boundkit.analysis import progress as hearing
from boundkit.cli import main
from boundkit.cli import progress as bars
from boundkit.cli.progress import long_runs_shown, progress, silent


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def watched(monkeypatch: pytest.MonkeyPatch) -> Terminal:
    """A terminal for this test; a fixture would lose it to pytest's own capture."""
    written = Terminal()
    monkeypatch.setattr(sys, "stderr", written)
    monkeypatch.setenv("TERM", "xterm")
    return written


def test_a_bar_inside_another_is_a_line_of_the_same_display(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = watched(monkeypatch)
    with progress("outer") as outer:
        outer(1, 4)
        display = bars._RUNNING.get()
        assert display is not None
        with progress("inner") as inner:
            inner(2, 3)
            assert bars._RUNNING.get() is display
            assert [(t.description, t.completed, t.total) for t in display.tasks] == [
                ("outer", 1, 4),
                ("inner", 2, 3),
            ]
        assert [t.description for t in display.tasks] == ["outer"]
    assert bars._RUNNING.get() is None
    assert "outer" in terminal.getvalue()


def test_silence_and_files_show_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = watched(monkeypatch)
    with silent(), progress("outer") as tell:
        tell(1, 2)
    assert terminal.getvalue() == ""
    file = io.StringIO()
    monkeypatch.setattr(sys, "stderr", file)
    with progress("outer") as tell:
        tell(1, 2)
    assert file.getvalue() == ""


POWER = {"kind": "power_of_choice", "d": 2, "count": 1}
TURNS = {
    "problem": {"kind": "quadratic", "H": [1.0, 1.0], "e": [[-1.0], [1.0]]},
    "eta": 0.1,
    "local_steps": 1,
}
"""A choice by losses that ends in a cycle of two models."""
RUN = ("fedavg, 300 rounds", 300)
COMMANDS: dict[str, tuple[dict[str, Any], str, tuple[str, int]]] = {
    "simulate": ({"noise": 0.5}, "simulate fedavg RUN", RUN),
    "many local steps": (
        {"noise": 0.5, "local_steps": 2000, "rounds": 3}, "simulate fedavg RUN", ("fedavg, 3 rounds", 6000),
    ),
    "exact": ({}, "simulate fedavg RUN --engine exact", RUN),
    "exact, with states": ({}, "simulate scaffold RUN --engine exact", ("scaffold, 300 rounds", 300)),
    "sweep of one": ({"noise": 0.5}, "sweep fedavg RUN eta=0.1", RUN),
    "verify": (
        {"noise": 0.5}, "verify fedavg_nonconvex RUN --no-slopes", ("verify fedavg_nonconvex", 300),
    ),
    "objective": (
        {"participation": POWER} | TURNS, "objective fedavg RUN", ("fedavg, 1,002 rounds", 1002),
    ),
    "diagnose": ({"noise": 0.5}, "diagnose RUN --replicas 2", ("fedavg, 300 rounds", 600)),
    "ledger": ({}, "proof fedavg_nonconvex RUN", RUN),
    "demonstrate": ({}, "demonstrate equal_hessians", RUN),
}  # fmt: skip
"""Changes of a run, a command, and what its bar is told at the end."""


def told_on_a_terminal(monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...]) -> dict[str, list[Any]]:
    """What the bars of a command are told on a terminal, where every run is a long one."""
    told: dict[str, list[Any]] = {}

    @contextmanager
    def task(display: Any, what: str) -> Iterator[Any]:
        heard = told.setdefault(what, [])
        yield lambda done, total: heard.append((done, total))

    terminal = watched(monkeypatch)
    monkeypatch.setattr(bars, "_task", task)
    monkeypatch.setattr(hearing, "_LONG", 0.0)
    with redirect_stdout(io.StringIO()), pytest.raises(SystemExit) as left:
        main(words)
    assert left.value.code == 0, terminal.getvalue()
    return told


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_tells_how_far_a_long_run_is(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    changes, line, (what, total) = COMMANDS[name]
    problem = {"kind": "quadratic", "H": [1.0, 2.0], "e": [[0.0], [3.0]]}
    spec = {"problem": problem, "x0": [1.0], "rounds": 300, "eta": 0.01, "local_steps": 2}
    (tmp_path / "run.json").write_text(json.dumps(spec | changes))
    typed = (str(tmp_path / "run.json") if word == "RUN" else word for word in line.split())
    told = told_on_a_terminal(monkeypatch, tuple(typed))
    assert what in told
    assert (total, total) in told[what]
    assert all(0 <= done <= of for done, of in told[what])


def test_a_sweep_of_several_long_runs_is_told_by_its_longest(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[Any] = []

    def measured(run: Any, **options: Any) -> float:
        seen.append((run.rounds, options["replicas"]))
        return 3700.0

    monkeypatch.setattr("boundkit.simulation.sweeps.simulations.expected_seconds", measured)
    monkeypatch.setattr("boundkit.cli.sweep._MANY", 100)
    problem = {"kind": "quadratic", "H": [1.0], "e": [[0.0]]}
    spec = {"problem": problem, "x0": [1.0], "rounds": 5, "eta": 0.1, "local_steps": 1}
    (tmp_path / "run.json").write_text(json.dumps(spec))
    words = ("sweep", "fedavg", str(tmp_path / "run.json"), "rounds=5,50", "--replicas", "2", "--jobs", "1")
    told = told_on_a_terminal(monkeypatch, words)
    assert told["sweep fedavg, the longest run about 1:01:40"][-1] == (2, 2)
    assert seen == [(50, 2)]


def test_short_runs_and_files_have_no_bar(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = watched(monkeypatch)
    with long_runs_shown(), hearing.reported("a short run") as tell:
        tell(1, 2)
    assert terminal.getvalue() == ""
    monkeypatch.setattr(hearing, "_LONG", 0.0)
    monkeypatch.setattr(sys, "stderr", io.StringIO())
    with long_runs_shown(), hearing.reported("a run beside a file") as tell:
        tell(1, 2)
    with hearing.reported("a run in a program") as tell:
        tell(1, 2)
    assert hearing.REPORTER.get() is None
