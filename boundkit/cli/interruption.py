"""SIGINT and SIGTERM on the command line: one line on stderr, no worker process left, exit code 130 or 143.

The handlers are installed for the process of a command only; a library must not change them. A signal ends
the process from within its handler. No exception is raised, which the code in between could swallow or print
as a traceback; only a command with partial answers needs one, see ``raising``.
"""

from __future__ import annotations

import _thread
import os
import signal
import sys
import time

TYPE_CHECKING = False  # as in boundkit/__init__.py
if TYPE_CHECKING:
    from collections.abc import Callable, Sized
    from pathlib import Path
    from types import FrameType, TracebackType
    from typing import Any, Self

SIGNALS = (signal.SIGINT, signal.SIGTERM)
PATIENCE = 3.0
"""Seconds that the main thread has for the handler: it may be inside a long call of a compiled library."""
ANSWERING = 20.0
"""Further seconds that a command has to answer with what it has; a second signal ends it at once."""
_TRACKERS = ("joblib.externals.loky.backend.resource_tracker", "multiprocessing.resource_tracker")
"""Processes that outlive this one by a moment and remove what its pools leave, which they would warn of."""

_KILL = getattr(signal, "SIGKILL", signal.SIGTERM)  # Windows has one way to end a process

_own_process = False
_raises = False
_received: int | None = None
_stderr = 2
_ending = _thread.allocate_lock()


def _files_written() -> str:
    files = sys.modules.get("boundkit.simulation.atomic_files")  # it may be half imported
    written = tuple(getattr(files, "finished", ()))
    if not written:
        return "nothing was written"
    path = f"{written[0]} was written, and is whole"
    return path if len(written) == 1 else f"{len(written)} files were written, each whole"


_describe: Callable[[], str] = _files_written


class Interrupted(KeyboardInterrupt):
    """A signal inside ``raising``."""


def start(own_process: bool) -> None:
    """Reset the state of an earlier command; for ``own_process`` install the handlers.

    A signal that is ignored from outside, as ``nohup`` and shells do for jobs in the background, stays so.
    """
    global _own_process, _raises, _received, _stderr, _describe
    _own_process, _raises, _received, _stderr, _describe = own_process, False, None, 2, _files_written
    if not own_process:
        return
    for each in SIGNALS:
        if signal.getsignal(each) is not signal.SIG_IGN:
            signal.signal(each, _handle)
    reader, writer = os.pipe()
    os.set_blocking(writer, False)
    signal.set_wakeup_fd(writer, warn_on_full_buffer=False)
    _start_blocked(_watch, reader)
    silent = [f"ignore::UserWarning:{module}" for module in _TRACKERS]
    os.environ["PYTHONWARNINGS"] = ",".join(filter(None, [os.environ.get("PYTHONWARNINGS"), *silent]))


def _start_blocked(target: Callable[[int], None], reader: int) -> None:
    """Start a thread that gets no signals: they are for the main thread, which blocks them at times."""
    if not hasattr(signal, "pthread_sigmask"):
        _thread.start_new_thread(target, (reader,))
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, SIGNALS)
    _thread.start_new_thread(target, (reader,))
    signal.pthread_sigmask(signal.SIG_SETMASK, before)


def describe(status: Callable[[], str]) -> None:
    """Set the text after "interrupted; ": a function, called at the signal."""
    global _describe
    _describe = status


def resumable(finished: Sized, total: int, items: str, out: Path | None, fresh: bool = False) -> None:
    """Let the line report how many items are finished, where they are stored, and what resumes."""

    def describe_records() -> str:
        count = f"{len(finished)} of {total} {items}"
        if out is None:
            return f"{count} were finished and none is kept; with --out DIR they are, and the command resumes"
        same = "the same command without --fresh" if fresh else "the same command"
        return f"{count} are finished and kept in {out}, and {same} resumes"

    describe(describe_records)


def received() -> bool:
    """Whether a signal was raised as an exception."""
    return _received is not None


class raising:
    """Within it the first signal raises KeyboardInterrupt, for a command that answers with what it has."""

    def __enter__(self) -> Self:
        global _raises
        _raises, self._hook = True, sys.unraisablehook
        if _own_process:
            sys.unraisablehook = self._unraisable
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        global _raises
        _raises, sys.unraisablehook = False, self._hook

    def _unraisable(self, unraisable: Any) -> None:
        """Raise it again where it could not be raised, as in a destructor, in place of printing it."""
        if isinstance(unraisable.exc_value, Interrupted):
            _thread.start_new_thread(_raise_again, (_thread.get_ident(),))
        else:
            self._hook(unraisable)


def conclude() -> int:
    """Report the interruption, and end the process if it is the command's own; the exit code."""
    signum = _received or signal.SIGINT
    if _own_process:
        _end(signum)
    print(_line(), file=sys.stderr)
    return 128 + signum


def _line() -> str:
    try:
        return f"boundkit: interrupted; {_describe()}"
    except Exception:  # a list that another thread is changing is no reason to stay
        return "boundkit: interrupted"


def _raise_again(main_thread: int) -> None:
    """In a thread: raise the signal that was received, when the main thread has left what ignored it."""
    global _received
    time.sleep(0.01)
    signum, _received = signal.Signals(_received or signal.SIGINT), None
    if hasattr(signal, "pthread_kill"):
        signal.pthread_kill(main_thread, signum)  # which ends a call that waits, too
    else:
        _thread.interrupt_main(signum)


def _handle(signum: int, frame: FrameType | None) -> None:
    global _received
    if _raises and _received is None:
        _received = signum
        _silence()
        raise Interrupted
    _end(signum)


def _silence() -> None:
    """Reserve stderr for the line: errors of threads without workers are dropped."""
    global _stderr
    if _stderr == 2:
        _stderr = os.dup(2)
        _discard(2)


def _discard(stream: int) -> None:
    null = os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, stream)
    os.close(null)


def _watch(reader: int) -> None:
    """End the process, in a thread, where the main thread is too long inside a compiled library to do it."""
    while True:
        (signum,) = os.read(reader, 1)
        if signum in SIGNALS and signal.getsignal(signum) is _handle:
            time.sleep(PATIENCE)
            if received():
                time.sleep(ANSWERING)
            _end(signum)
            time.sleep(PATIENCE)
            os._exit(128 + signum)  # the main thread began to end, and was held up


def _end(signum: int) -> None:
    """Print the line, end the workers, remove temporary files, and leave."""
    if not _ending.acquire(blocking=False):
        return
    try:
        clear = b"\r\x1b[K\x1b[?25h" if "rich.progress" in sys.modules and os.isatty(_stderr) else b""
        os.write(_stderr, clear + _line().encode(errors="replace") + b"\n")
    except OSError:
        pass
    try:
        _discard(1)
        _discard(2)
        _end_workers()
        remove = getattr(sys.modules.get("boundkit.simulation.atomic_files"), "remove_temporary_files", None)
        if remove is not None:
            remove()
    finally:
        os._exit(128 + signum)


def _end_workers() -> None:
    """Kill the processes of all pools, which joblib and multiprocessing start as children of this one."""
    active = getattr(sys.modules.get("multiprocessing.process"), "active_children", None)
    children = [] if active is None else active()
    for child in children:
        pid = child.pid
        if pid is not None and pid > 0:
            try:
                os.kill(pid, _KILL)  # processes of joblib have no method for it
            except OSError:  # it has ended by itself
                continue
    for child in children:
        child.join(PATIENCE / 2)
