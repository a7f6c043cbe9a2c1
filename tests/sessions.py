"""A command in a session of its own, whose processes can be counted when it has ended."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.simulation.sweeps.long_sweep import environment, wait_for

PROC = Path("/proc/self/stat").is_file()
"""Whether this system lists processes with their sessions as files."""
COMMAND = "from boundkit.cli import main; main()"
WORKER = "popen_loky"
"""In the command line of each worker process of joblib."""
LOOK = 0.15
"""Seconds between two looks at all processes, each of which costs some milliseconds."""
FEW_SECONDS = 10
"""A worker sees within a second that its parent has ended; the machine may be busy."""


@dataclass(frozen=True)
class Ended:
    """How the command ended: its exit code and what it said."""

    code: int
    out: str
    err: str

    @property
    def said(self) -> list[str]:
        """The lines on stderr, without the log of what was finished."""
        return [line for line in self.err.splitlines() if not line[:1].isdigit()]


class Session:
    """A command that runs, and all processes that it starts."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self.process = process

    def running(self) -> list[str]:
        """The command lines of the processes of the session."""
        return [line for pid, line in _processes() if _session_of(pid) == self.process.pid]

    def wait_for_workers(self, count: int = 2) -> None:
        """Until so many workers are there."""
        self.wait_until(lambda: sum(WORKER in line for line in self.running()) >= count)

    def wait_for_handlers(self) -> None:
        """Until SIGTERM is caught."""
        wait_for(lambda: self._ended() or _has(self.process.pid, "SigCgt", signal.SIGTERM))

    def wait_until(self, what: Callable[[], bool]) -> None:
        """Until it is so, or the command has ended."""
        wait_for(lambda: self._ended() or what(), every=LOOK)

    def ignores(self, signum: int) -> bool:
        """Whether the command ignores a signal."""
        return _has(self.process.pid, "SigIgn", signum)

    def send(self, signum: int, to_all: bool = False) -> None:
        """Send the signal to the command; or to all of its group, as a terminal does."""
        if to_all:
            os.killpg(self.process.pid, signum)
        else:
            self.process.send_signal(signum)

    def ended(self) -> Ended:
        """Wait for the command and for the end of the whole session."""
        out, err = self.process.communicate(timeout=60)
        wait_for(lambda: not self.running(), FEW_SECONDS, every=LOOK)
        return Ended(self.process.returncode, out, err)

    def _ended(self) -> bool:
        return self.process.poll() is not None


@contextmanager
def session(
    words: Sequence[str], folder: Path, ignored: int | None = None, code: str = COMMAND
) -> Iterator[Session]:
    """``boundkit`` with these words; ``ignored``: a signal that it is started with ignored."""

    def dispositions() -> None:
        signal.signal(signal.SIGINT, signal.SIG_DFL)  # tests may run in the background, where it is ignored
        if ignored is not None:
            signal.signal(ignored, signal.SIG_IGN)

    process = subprocess.Popen(
        [sys.executable, "-c", code, *words], cwd=folder, env=environment(), text=True,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True, preexec_fn=dispositions,
    )  # fmt: skip
    try:
        yield Session(process)
    finally:
        while _processes_of(process.pid):  # one that outlives its test slows all others
            os.killpg(process.pid, signal.SIGKILL)
            process.poll()
            time.sleep(0.05)
        process.communicate()


def _processes() -> Iterator[tuple[int, str]]:
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            try:
                line = (folder / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
            except OSError:
                continue
            yield int(folder.name), line


def _processes_of(session: int) -> list[int]:
    return [pid for pid, _ in _processes() if _session_of(pid) == session]


def _session_of(pid: int) -> int | None:
    """The session of a process, if it has not ended."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return None
    state, _, _, number = stat.rsplit(")", 1)[1].split()[:4]
    return None if state in "ZX" else int(number)


def _has(pid: int, mask: str, signum: int) -> bool:
    try:
        status = Path(f"/proc/{pid}/status").read_text(encoding="utf-8")
    except OSError:
        return False
    value = next(line.split()[1] for line in status.splitlines() if line.startswith(f"{mask}:"))
    return bool(int(value, 16) >> (signum - 1) & 1)
