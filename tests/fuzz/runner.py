"""Runs many cases in a worker process and judges what they left behind.

``python -m tests.fuzz.runner --first 0 --count 1000`` runs seeds; ``--reproduce SEED`` shows one case and
runs it here. A worker that does not answer is killed and the next one goes on.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import select
import shlex
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.fuzz.command_lines import ROOT, Case, make_case
from tests.fuzz.formulas import MARK

DOCUMENTED = (0, 1, 2, 130)
SECONDS, SECONDS_UNBOUNDED = 120.0, 2.0
"""Of processor time, after which a command is interrupted: it hangs, or it is one that goes on by design."""
PATIENCE = 300.0
"""Seconds after an interrupt by the clock on the wall: a process that does not answer is killed."""
CASES_OF_A_WORKER = 400
LONGEST_MESSAGE = 2000


@dataclass(frozen=True)
class Defect:
    """What is wrong with the answer to one case, and how to see it again."""

    seed: int
    kind: str
    detail: str
    bounded: bool

    def __str__(self) -> str:
        case = make_case(self.seed, self.bounded)
        more = " --bounded" if self.bounded else ""
        files = "".join(f"\n  {name}: {content[:400]!r}" for name, content in case.files.items())
        return (
            f"{self.kind}: boundkit {shlex.join(case.argv)[:600]}{files}\n  {self.detail[-1500:]}\n"
            f"  again: python -m tests.fuzz.runner --reproduce {self.seed}{more}"
        )


class Worker:
    """A process that runs cases, one at a time."""

    def __init__(self, bounded: bool) -> None:
        environment = os.environ | {
            "PYTHONPATH": os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")])),
            "OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1", "MPLBACKEND": "Agg",
        }  # fmt: skip
        command = [sys.executable, "-m", "tests.fuzz.worker", *["bounded"] * bounded]
        self.process = subprocess.Popen(
            command, cwd=ROOT, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL, start_new_session=True,
        )  # fmt: skip
        self.cases = 0
        self.interrupted = False
        """Whether a case was: a module may be half imported then, which no later command of a user meets."""

    def answer(self, seed: int, bounded: bool, seconds: float, unbounded: float) -> dict[str, Any] | None:
        """What the case left behind; None where the process died or did not answer, and was killed."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(f"{seed} {bounded} {seconds} {unbounded}\n".encode())
        self.process.stdin.flush()
        self.cases += 1
        limit = max(seconds, unbounded) + PATIENCE
        if select.select([self.process.stdout], [], [], limit)[0]:
            line = self.process.stdout.readline()
            if line:
                answer: dict[str, Any] = json.loads(line)
                self.interrupted |= bool(answer["interrupted"])
                return answer
            self._wait_for_its_end()
        self.kill()
        return None

    @property
    def ended(self) -> bool:
        """Whether the process has ended. It is not reaped here, so that its number stays its own."""
        if self.process.returncode is not None:
            return True
        return os.waitid(os.P_PID, self.process.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None

    def _wait_for_its_end(self) -> None:
        until = time.monotonic() + 30
        while not self.ended and time.monotonic() < until:
            time.sleep(0.05)

    def kill(self) -> None:
        """End the process and all that it started; a second call does nothing."""
        if self.process.returncode is not None:
            return
        with suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        for pipe in (self.process.stdin, self.process.stdout):
            if pipe is not None:
                with suppress(BrokenPipeError):
                    pipe.close()
        self.process.wait()


def run_seeds(
    seeds: Iterable[int],
    bounded: bool = False,
    seconds: float = SECONDS,
    unbounded: float = SECONDS_UNBOUNDED,
) -> Iterator[tuple[dict[str, Any], list[Defect]]]:
    """Every seed's answer with its defects."""
    worker = Worker(bounded)
    try:
        for seed in seeds:
            if worker.ended or worker.interrupted or worker.cases >= CASES_OF_A_WORKER:
                worker.kill()
                worker = Worker(bounded)
            answer = worker.answer(seed, bounded, seconds, unbounded)
            case = make_case(seed, bounded)
            if answer is None:
                code = worker.process.returncode
                kind = "hang" if code == -signal.SIGKILL else "crash"
                yield (
                    {"seed": seed, "seconds": PATIENCE, "code": None},
                    [Defect(seed, kind, f"the process ended with {code}", bounded)],
                )
                continue
            yield answer, [Defect(seed, kind, detail, bounded) for kind, detail in judged(case, answer)]
    finally:
        worker.kill()


def judged(case: Case, answer: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """What is wrong with an answer: its kind and detail."""
    code, out, err = answer["code"], answer["out"], answer["err"]
    if answer["thrown"] is not None:
        kind = "hang" if answer["interrupted"] and not case.unbounded else "traceback"
        yield kind, answer["thrown"]
        return
    if answer["interrupted"] and not case.unbounded:
        yield "hang", f"interrupted after {answer['seconds']} s\n{err}"
        return
    if code not in DOCUMENTED or (code == 130 and not answer["interrupted"]):
        yield "exit code", f"{code!r}\n{err}"
    lost = answer["interrupted"] and "Exception ignored in" in err and "KeyboardInterrupt" in err
    if "Traceback (most recent call last)" in err and not lost:
        yield "traceback", err
    elif re.search(r"^[^ ].*:\d+: \w*Warning: ", err, re.MULTILINE):
        yield "warning", err
    if code == 2:
        beside = re.compile(r"warning: |  \w+ +\S|\d+ runs$")  # candidates; the size of a sweep
        lines = [line for line in err.split("\n")[:-1] if not beside.match(line)]
        if len(lines) != 1 or not lines[0].startswith("boundkit: ") or not err.endswith("\n"):
            yield "message", f"not one sentence: {err}"
        elif lines[0][-1] not in ".?!)":
            yield "message", f"not a whole sentence: {err}"
        elif len(lines[0]) > LONGEST_MESSAGE:
            yield "message", f"{len(lines[0])} characters: {err}"
        if out:
            yield "output", f"refused, but stdout has {out[:300]!r}"
    if code in (0, 1) and _asks_for_json(case.argv) and not answer["interrupted"]:
        fault = _not_json(out)
        if fault:
            yield "output", fault
    for name, fault in answer["written"].items():
        if name == MARK:
            yield "execution", "a formula was executed"
        if code in (2, 130):
            fault = fault or ("written, though refused" if code == 2 else None)
        if fault:
            yield "file", f"{name}: {fault} (exit code {code}: {err[-300:]})"


def _asks_for_json(argv: tuple[str, ...]) -> bool:
    """Whether ``--json`` is there and is no value of another option."""
    before = ["", *argv][: len(argv)]
    asked = [word == "--json" and not last.startswith("-") for last, word in zip(before, argv, strict=True)]
    return any(asked) and not {"--help", "--version", "--"} & set(argv)


def _not_json(out: str) -> str | None:
    """Why the text is not one JSON value, or None."""

    def refuse(name: str) -> None:
        raise ValueError(f"{name} is not JSON")

    try:
        json.loads(out, parse_constant=refuse)
    except ValueError as error:
        return f"--json gave no JSON ({error}): {out[:300]!r}"
    return None


def counts_of(defects: Iterable[Defect]) -> dict[str, int]:
    """How many defects there are of each kind."""
    return dict(Counter(each.kind for each in defects))


def reproduce(seed: int, bounded: bool) -> None:
    """Print the case of a seed and run it here, in an empty folder that stays."""
    from boundkit.cli import main

    case = make_case(seed, bounded)
    folder = Path(tempfile.mkdtemp(prefix="boundkit-fuzz-"))
    for name, content in case.files.items():
        (folder / name).write_bytes(content)
    print(f"cd {folder}\nboundkit {shlex.join(case.argv)}"[:3000], flush=True)  # noqa: T201
    os.chdir(folder)
    main(case.argv)


def _main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--bounded", action="store_true", help="leave out commands that search or train")
    parser.add_argument("--reproduce", type=int, metavar="SEED")
    given = parser.parse_args()
    if given.reproduce is not None:
        reproduce(given.reproduce, given.bounded)
        return
    total: list[Defect] = []
    for _, defects in run_seeds(range(given.first, given.first + given.count), given.bounded):
        total += defects
        for each in defects:
            print(each, flush=True)  # noqa: T201
    print(f"{given.count} cases; defects {counts_of(total)}")  # noqa: T201


if __name__ == "__main__":
    _main()
