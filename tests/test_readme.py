"""Every example of README.md runs, in the order in which a reader would type it."""

import os
import runpy
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from boundkit.theorems import names
from tests.readme import blocks, commands, python_blocks
from tests.warm import plain, warm

ROOT = Path(__file__).resolve().parents[1]


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
    "boundkit sensitivity --quiz",
    "boundkit attack search",
    "boundkit attack mutants",
    "boundkit new-theorem",
    "boundkit check mine.py",
    "boundkit figure client_drift",
    "boundkit verify fedavg_nonconvex_partial examples/digits",
    "boundkit diagnose examples/own_model.py",
)
"""How commands begin that take seconds each, and that other tests ask for as well."""
HEAVY = ("torch", "matplotlib.figure", "scipy.optimize", "xarray", "typer", "rich.table")


def failed_commands(markdown: str, desk: Path) -> list[str]:
    """Each command that did not end with 0, and what it said. A pipe fails where any part of it does."""
    return failed_of(commands(markdown), desk)


def failed_of(typed: list[str], desk: Path) -> list[str]:
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


def failed_python(markdown: str, desk: Path) -> str:
    """The traceback of the first block that fails; they share one session. Empty if all is well."""
    session = desk / "session.py"
    session.write_text(
        "".join(
            f"exec(compile({block.text!r}, 'README.md, block in line {block.line}', 'exec'))\n"
            for block in python_blocks(markdown)
        ),
        encoding="utf-8",
    )
    ran = run([sys.executable, str(session)], desk)
    return ran.stderr if ran.returncode else ""


def readme() -> str:
    return (ROOT / "README.md").read_text(encoding="utf-8")


def test_every_command_runs(desk: Path) -> None:
    assert commands(readme()), "README.md shows no command that begins with `$ boundkit`"
    said = failed_of([c for c in commands(readme()) if not c.startswith(LONG)], desk)
    assert not said, "\n\n".join(said)


@pytest.mark.slow
def test_every_long_command_runs(desk: Path) -> None:
    typed = [c for c in commands(readme()) if c.startswith(LONG)]
    assert len(typed) == len(LONG)
    said = failed_of(typed, desk)
    assert not said, "\n\n".join(said)


def test_every_python_block_runs(desk: Path) -> None:
    assert python_blocks(readme()), "README.md shows no ```python block"
    said = failed_python(readme(), desk)
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


def test_a_failing_example_is_seen(desk: Path) -> None:
    typed = ["boundkit no-such-command | cat", "boundkit predict no_such_theorem", "boundkit list"]
    failed = failed_commands("\n".join(["```console", *(f"$ {command}" for command in typed), "```"]), desk)
    assert len(failed) == 2
    for command, said in zip(typed, failed, strict=False):
        assert said.startswith(f"$ {command}\nended with 2:\n")
        assert "no-such-command" in said or "unknown theorem" in said
    assert failed_python("```python\nx = 1\n```\n```python\nassert x == 1\n```", desk) == ""
    assert "block in line 4" in failed_python("```python\nx = 1\n```\n```python\nassert x == 2\n```", desk)


def test_the_table_is_that_of_the_catalogue() -> None:
    """Stale? make pages."""
    script = runpy.run_path(str(ROOT / "docs" / "pages.py"))
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    assert script["front_page"](text) == text
    assert all(f"[{name}](boundkit/theorems/{name}.py)" in text for name in names())
