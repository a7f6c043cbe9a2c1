"""Every example of README.md runs, in the order in which a reader would type it."""

import os
import re
import shlex
import shutil
import subprocess
import sys
import traceback
from pathlib import Path
from typing import Any

import pytest

from boundkit.simulation.algorithms import ALGORITHMS
from boundkit.theorems import names
from tests.cli.conftest import run_command
from tests.docs.shown import consoles
from tests.docs.site import page
from tests.readme import blocks, commands, python_blocks
from tests.warm import plain, warm

ROOT = Path(__file__).resolve().parents[1]
SHOWN = ("tutorial", "step_size", "figures", "training_log", "plan", "practitioners")
"""Pages that show commands with what they print."""


@pytest.fixture
def desk(tmp_path: Path) -> Path:
    """An empty folder with the examples in it, where a reader may write what he likes."""
    if (ROOT / "examples").is_dir():
        shutil.copytree(ROOT / "examples", tmp_path / "examples")
    command = tmp_path / "bin" / "boundkit"
    command.parent.mkdir()
    command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m boundkit "$@"\n', encoding="utf-8")
    command.chmod(0o755)
    return tmp_path


def environment(desk: Path) -> dict[str, str]:
    """That of a reader whose command boundkit is this one."""
    return {
        **os.environ,
        "PATH": f"{desk / 'bin'}{os.pathsep}{os.environ['PATH']}",
        "PYTHONPATH": os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")])),
    }


def run(words: list[str], desk: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(words, cwd=desk, env=environment(desk), capture_output=True, text=True, timeout=600)


LONG = (
    "boundkit attack search",
    "boundkit attack mutants",
    "boundkit new-theorem",
    "boundkit check mine.py",
    "boundkit figure client_drift",
    "boundkit verify",
    "boundkit diagnose examples/own_model.py",
)
"""How commands begin that take seconds each, and that other tests and the tutorial ask for as well."""
HEAVY = ("torch", "matplotlib.figure", "scipy.optimize", "xarray", "typer", "rich.table")


def failed_of(typed: list[str], desk: Path) -> list[str]:
    """Each command that did not end with 0, and what it said. A pipe fails where any part of it does."""
    failed = []
    heavy = HEAVY if len(typed) > 5 else ()  # a few need not need them
    with warm(desk, environment(desk), *heavy) as boundkit:
        for command in typed:
            if plain(command):
                code, said = boundkit(command)
            else:
                ran = run(["bash", "-o", "pipefail", "-c", command], desk)
                code, said = ran.returncode, ran.stdout + ran.stderr
            if code:
                failed.append(f"$ {command}\nended with {code}:\n{said}")
    return failed


def failed_python(markdown: str) -> str:
    """The traceback of the first block that fails; they share one session. Empty if all is well."""
    session: dict[str, Any] = {"__name__": "session"}
    for block in python_blocks(markdown):
        try:
            exec(compile(block.text, f"block in line {block.line}", "exec"), session)
        except Exception:
            return traceback.format_exc()
    return ""


def readme() -> str:
    return (ROOT / "README.md").read_text(encoding="utf-8")


def test_commands_are_answered_and_others_show_their_output_elsewhere(
    desk: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In this process; each in one of its own is slow. tests/docs runs what its pages show with output."""
    monkeypatch.chdir(desk)
    elsewhere = {shown.command for name in SHOWN for shown in consoles(page(name))}
    typed = [c for c in commands(readme()) if not c.startswith(LONG) and c not in elsewhere]
    assert len(typed) > 8
    assert all(map(plain, typed))
    for command in typed:
        answer = run_command(*shlex.split(command)[1:])
        assert answer.code == 0, f"$ {command}\n{answer.out}{answer.err}"


@pytest.mark.slow
def test_every_command_runs_in_a_process_of_its_own(desk: Path) -> None:
    assert {start for start in LONG for c in commands(readme()) if c.startswith(start)} == set(LONG)
    said = failed_of(commands(readme()), desk)
    assert not said, "\n\n".join(said)


def test_every_python_block_runs(desk: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert python_blocks(readme()), "README.md shows no ```python block"
    monkeypatch.chdir(desk)
    said = failed_python(readme())
    assert not said, said


SAMPLE = """
```console
$ boundkit list \\
>   --json
[]
$ make demo
boundkit is not a command without its prompt
```
- In a list:
  ```sh
  $ boundkit show x | cat
  ```
````markdown
```python
raise SystemExit("shown, not run")
```
````
```python
x = 1
```
```python
assert x == 1
```
```
$ boundkit in a block of no language
```
"""


def test_the_reader_finds_what_a_person_would_type() -> None:
    assert commands(SAMPLE) == ["boundkit list --json", "boundkit show x | cat"]
    assert [block.text for block in python_blocks(SAMPLE)] == ["x = 1\n", "assert x == 1\n"]
    with pytest.raises(ValueError, match="line 2 is never closed"):
        blocks("\n```python\nx = 1\n")


def test_it_is_short_and_its_links_lead_somewhere() -> None:
    assert len(readme().splitlines()) <= 150
    targets = re.findall(r"\]\(([^)#]+)\)", readme())
    assert [target for target in targets if not (ROOT / target).exists()] == []
    counts = re.search(r"(\d+) theorems, (\d+) algorithms", readme())
    assert counts is not None
    assert [int(count) for count in counts.groups()] == [len(names()), len(ALGORITHMS)]
