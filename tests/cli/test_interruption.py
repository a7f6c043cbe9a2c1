"""SIGINT and SIGTERM: one line on stderr, exit code 130 or 143, and no process that is left."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

import boundkit as bk
from boundkit.cli import interruption
from tests.cli.conftest import Command
from tests.sessions import PROC, Session, session
from tests.simulation.sweeps.long_sweep import environment, records, write_long_run

CODES: dict[int, int] = {signal.SIGINT: 130, signal.SIGTERM: 143}
NAME = "sgd_strongly_convex"
needs_proc = pytest.mark.skipif(not PROC, reason="processes of a session are counted in /proc")
slow = pytest.mark.slow

SWEEP = ("sweep", "fedavg", "run.json", "seed=0:999:1000", "--out=out", "--jobs=2")
MANY = {
    "sweep": SWEEP,
    "verify": ("verify", "--all", "--out=out", "--jobs=2"),
    "falsify": ("attack", "search", "--all", "--budget=60", "--out=out", "--jobs=2"),
    "mutate": ("attack", "mutants", "--all", "--budget=60", "--out=out", "--jobs=2"),
    "multiprocessing": (*SWEEP, "--backend=multiprocessing"),
}


def start(words: tuple[str, ...], folder: Path, **options: Any) -> Any:
    write_long_run(folder, rounds=3000)
    return session(words, folder, **options)


def send(running: Session, signum: int) -> None:
    """SIGINT as a terminal sends it, to all; SIGTERM to the command alone."""
    running.send(signum, to_all=signum == signal.SIGINT)


@needs_proc
@pytest.mark.parametrize(
    ("name", "signum", "later"),
    [
        ("sweep", signal.SIGINT, 0.2),
        *(
            pytest.param(name, signum, later, marks=slow)
            for name in MANY
            for signum in CODES
            for later in (0.0, 0.2, 1.0, 4.0)
        ),
    ],
)
def test_no_worker_is_left(tmp_path: Path, name: str, signum: int, later: float) -> None:
    with start(MANY[name], tmp_path) as running:
        if name == "multiprocessing":
            running.wait_until(lambda: len(running.running()) >= 3)
        else:
            running.wait_for_workers()
        time.sleep(later)
        send(running, signum)
        ended = running.ended()
    assert ended.code == CODES[signum]
    (line,) = ended.said
    assert line.startswith("boundkit: interrupted; ")
    assert line.endswith("are finished and kept in out, and the same command resumes")
    assert not list((tmp_path / "out").rglob(".boundkit-*"))
    for record in records(tmp_path / "out").values():
        json.loads(record)


@needs_proc
def test_workers_end_with_a_parent_that_is_killed(tmp_path: Path) -> None:
    with start(SWEEP, tmp_path) as running:
        running.wait_for_workers()
        time.sleep(0.5)
        running.send(signal.SIGKILL)
        ended = running.ended()
    assert (ended.code, ended.err) == (-signal.SIGKILL, "1000 runs\n")


@needs_proc
@pytest.mark.parametrize(
    ("signum", "later"),
    [
        (signal.SIGTERM, 0.3),
        *(pytest.param(s, 0.05 * k, marks=slow) for s in CODES for k in range(25)),
    ],
)  # fmt: skip
def test_a_command_that_is_still_importing_says_it_too(tmp_path: Path, signum: int, later: float) -> None:
    with start(SWEEP, tmp_path) as running:
        running.wait_for_handlers()
        time.sleep(later)
        send(running, signum)
        ended = running.ended()
    assert (ended.code, ended.out) == (CODES[signum], "")
    (line,) = ended.said
    assert line.startswith("boundkit: interrupted; ")


def test_little_is_imported_before_the_handlers() -> None:
    code = (
        "import sys\nbefore = set(sys.modules)\nfrom boundkit.cli import main\n"
        "own = before | set(sys.builtin_module_names)\n"
        "print(sorted(name for name in set(sys.modules) - own if not name.startswith('boundkit')))"
    )
    done = subprocess.run(
        [sys.executable, "-S", "-c", code], env=environment(), capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "['__future__']"


def test_an_interrupt_before_the_handlers_is_one_line(
    boundkit: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(**_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("boundkit.simulation.atomic_files.finished", set())  # other tests write, too
    monkeypatch.setattr(interruption, "start", interrupted)
    answer = boundkit("list")
    assert (answer.code, answer.out) == (130, "")
    assert answer.err == "boundkit: interrupted; nothing was written\n"


@contextmanager
def searching(folder: Path, **options: Any) -> Iterator[Session]:
    """A falsify command that has evaluated three candidates."""
    code = "from tests.cli.printing_search import run; run()"
    words = ("attack", "search", NAME, "--budget=600", "--out=out")
    with session(words, folder, code=code, **options) as running:
        assert running.process.stdout is not None
        for _ in range(3):
            running.process.stdout.readline()
        yield running


@needs_proc
@pytest.mark.parametrize("later", [pytest.param(s, marks=slow) for s in (0.0, 0.005, 0.02, 0.1, 0.3)])
def test_a_second_signal_is_no_traceback(tmp_path: Path, later: float) -> None:
    with searching(tmp_path) as running:
        running.send(signal.SIGINT)
        time.sleep(later)
        running.send(signal.SIGINT)
        ended = running.ended()
    assert ended.code == 130
    (line,) = ended.said
    assert line.startswith("boundkit: interrupted; ")
    assert not list((tmp_path / "out").glob(".boundkit-*"))


@needs_proc
def test_a_search_that_is_terminated_answers_with_what_it_has_though_another_signal_is_ignored(
    tmp_path: Path,
) -> None:
    with searching(tmp_path, ignored=signal.SIGINT) as running:
        assert running.ignores(signal.SIGINT)
        running.send(signal.SIGTERM)
        ended = running.ended()
    assert ended.code == 143
    assert ended.said == ["boundkit: interrupted; the answer so far is printed and written to out"]
    assert "interrupted after" in ended.out
    assert json.loads((tmp_path / "out" / f"{NAME}.json").read_text())["interrupted"]


LONG_CALL = """
import hashlib, sys
from boundkit.cli import interruption
interruption.PATIENCE = 0.2
interruption.start(own_process=True)
print(flush=True)
hashlib.pbkdf2_hmac("sha256", b"", b"", 2_000_000_000)
"""


@slow
@needs_proc
def test_a_long_call_of_a_compiled_library_is_ended_too(tmp_path: Path) -> None:
    with session((), tmp_path, code=LONG_CALL) as running:
        assert running.process.stdout is not None
        running.process.stdout.readline()
        time.sleep(0.1)
        running.send(signal.SIGTERM)
        ended = running.ended()
    assert (ended.code, ended.said) == (143, ["boundkit: interrupted; nothing was written"])


def test_a_library_changes_no_handler(boundkit: Command) -> None:
    before = [signal.getsignal(signum) for signum in CODES], signal.set_wakeup_fd(-1), sys.unraisablehook
    signal.set_wakeup_fd(before[1])
    assert bk.verify(bk.theorem("fedavg_surrogate_optimum"), slopes=False).answer == "holds"
    assert boundkit("list").code == 0
    assert boundkit("attack", "search", NAME, "--evaluations", "2").code == 0
    after = [signal.getsignal(signum) for signum in CODES], signal.set_wakeup_fd(-1), sys.unraisablehook
    signal.set_wakeup_fd(after[1])
    assert after == before


def test_an_exception_that_cannot_be_raised_is_raised_again(monkeypatch: pytest.MonkeyPatch) -> None:
    class Dying:
        def __del__(self) -> None:
            signal.raise_signal(signal.SIGTERM)

    def search() -> None:
        with interruption.raising():
            one = Dying()
            del one
            time.sleep(10)

    monkeypatch.setattr(interruption, "_own_process", True)
    before, stderr = signal.signal(signal.SIGTERM, interruption._handle), os.dup(2)
    try:
        with pytest.raises(KeyboardInterrupt):
            search()
        assert interruption.received()
    finally:
        signal.signal(signal.SIGTERM, before)
        os.dup2(stderr, 2)
        os.close(stderr)
        interruption.start(own_process=False)


@pytest.mark.parametrize(
    ("out", "fresh", "said"),
    [
        (None, False, "2 of 5 runs were finished and none is kept; with --out DIR they are, and the command "
         "resumes"),
        (Path("out"), False, "2 of 5 runs are finished and kept in out, and the same command resumes"),
        (Path("out"), True, "2 of 5 runs are finished and kept in out, and the same command without --fresh "
         "resumes"),
    ],
)  # fmt: skip
def test_what_is_kept_is_said(
    out: Path | None, fresh: bool, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    interruption.start(own_process=False)
    done: list[int] = []
    interruption.resumable(done, 5, "runs", out, fresh)
    done += [1, 2]
    assert interruption.conclude() == 130
    assert capsys.readouterr().err == f"boundkit: interrupted; {said}\n"
