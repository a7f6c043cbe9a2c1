"""Runs the cases of the seeds on stdin in this process, each in an empty folder, as a shell would see it.

One line of JSON a case, on the stdout that the process began with: what the command left behind.
"""

from __future__ import annotations

import gc
import json
import os
import resource
import shutil
import signal
import sys
import tempfile
import time
import traceback
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from tests.fuzz.command_lines import Case, make_case

MOST_MEMORY = 12 * 2**30
"""Bytes of address space: a command that wants more than this shall not take the machine with it."""
BEFORE = (
    "torch", "scipy.optimize", "scipy.stats", "matplotlib.figure", "matplotlib.backends.backend_agg",
    "matplotlib.backends.backend_svg", "matplotlib.backends.backend_pdf", "xarray", "h5netcdf", "joblib",
    "rich.table", "sklearn.datasets", "PEPit", "cvxpy",
)  # fmt: skip
"""Loaded before cases that are interrupted: an extension that is, while it loads, is broken from then on."""
AGAIN = 20.0
"""Seconds after which an interrupt is repeated: one that falls into a weak reference's callback is lost."""
_KEPT_OUTPUT = 2_000_000
_ENDS = {
    b"\x89PNG": b"IEND\xaeB`\x82",
    b"%PDF": b"%%EOF\n",
    b"<?xml": b"</svg>\n",
    b"<!doctype html": b"</html>\n",
}
"""How a whole file ends, by how it begins."""


def run_case(case: Case, folder: Path, out: Path, err: Path, seconds: float) -> dict[str, Any]:
    """Run ``boundkit`` with the words of the case; it is interrupted after so many seconds.

    They are of processor time, so that a busy machine makes no hang; but of the clock where other processes
    may do the work.
    """
    from boundkit.cli import main

    for name, content in case.files.items():
        (folder / name).write_bytes(content)
    began, busy = time.perf_counter(), time.process_time()
    interrupted: list[float] = []

    def interrupt(*_: object) -> None:
        interrupted.append(time.perf_counter() - began)
        signal.raise_signal(signal.SIGINT)

    signal.signal(signal.SIGINT, signal.default_int_handler)
    timer, alarm = (
        (signal.ITIMER_REAL, signal.SIGALRM) if case.unbounded else (signal.ITIMER_PROF, signal.SIGPROF)
    )
    signal.signal(alarm, interrupt)
    code: Any = None
    thrown: str | None = None
    where = os.getcwd()
    os.chdir(folder)
    _redirect(out, err)
    signal.setitimer(timer, seconds, AGAIN)
    try:
        main(case.argv)
    except SystemExit as left:
        code = left.code
    except BaseException:
        thrown = traceback.format_exc()
    finally:
        signal.setitimer(timer, 0)
        _flush()
        os.chdir(where)
    return {
        "seed": case.seed,
        "code": code,
        "thrown": thrown,
        "interrupted": bool(interrupted),
        "seconds": round(time.perf_counter() - began, 3),
        "processor": round(time.process_time() - busy, 3),
        "out": _text(out),
        "err": _text(err),
        "written": _written(folder, set(case.files)),
    }


def _redirect(out: Path, err: Path) -> None:
    """File descriptors 1 and 2 to files, for what is written past sys.stdout as well."""
    for path, number in ((out, 1), (err, 2)):
        opened = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        os.dup2(opened, number)
        os.close(opened)


def _flush() -> None:
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except (OSError, ValueError):
            continue


def _text(path: Path) -> str:
    with path.open("rb") as file:
        return file.read(_KEPT_OUTPUT).decode(errors="backslashreplace")


def _written(folder: Path, given: set[str]) -> dict[str, str | None]:
    """The new files, with what is wrong with their content."""
    found = {}
    for path in sorted(folder.rglob("*")):
        name = str(path.relative_to(folder))
        if path.is_file() and name not in given:
            found[os.fsencode(name).decode(errors="backslashreplace")] = _half_written(path)
    return found


def _half_written(path: Path) -> str | None:
    """Why a file is not whole; None where nothing says so."""
    content = path.read_bytes()
    if path.name.startswith("."):
        return "a temporary file is left behind"
    if not content:
        return "it is empty"
    if content.startswith((b"{", b"[")):
        try:
            json.loads(content, parse_constant=_refuse_constant)
        except ValueError as error:
            return f"it is not JSON: {error}"
    ending = next((end for start, end in _ENDS.items() if content.startswith(start)), b"")
    return None if content.endswith(ending) else "its end is missing"


def _refuse_constant(name: str) -> None:
    raise ValueError(f"{name} is no JSON")


def serve() -> None:
    """Answer seeds until stdin ends: ``SEED BOUNDED SECONDS SECONDS_UNBOUNDED`` on a line."""
    resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY, MOST_MEMORY))
    for module in BEFORE if "bounded" not in sys.argv else ():
        if find_spec(module.partition(".")[0]) is not None:
            import_module(module)
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    with tempfile.TemporaryDirectory() as base:
        out, err = Path(base) / "out", Path(base) / "err"
        _redirect(out, err)
        for count, line in enumerate(sys.stdin):
            seed, bounded, long, short = line.split()
            folder = Path(base) / "case"
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir()
            case = make_case(int(seed), bounded == "True")
            answer = run_case(case, folder, out, err, float(short if case.unbounded else long))
            print(json.dumps(answer), file=answers, flush=True)
            if count % 50 == 49:
                gc.collect()


if __name__ == "__main__":
    serve()
