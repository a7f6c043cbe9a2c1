"""What docs/sweeps.md shows is what happens."""

from __future__ import annotations

import os
import shlex
from pathlib import Path

import pytest

from tests.cases import each
from tests.cli.conftest import Command
from tests.readme import blocks, commands, python_blocks

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "sweeps.md").read_text(encoding="utf-8")


def test_the_first_sweep_prints_what_the_page_shows(
    boundkit: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, *shown = blocks(PAGE)[0].text.splitlines()
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    monkeypatch.chdir(tmp_path)
    answer = boundkit(*shlex.split(first)[2:], "--jobs", "1")
    assert answer.code == 0
    told, expected = answer.out.splitlines(), "\n".join(shown).splitlines()
    assert len(told) == len(expected)
    for line, other in zip(told, expected, strict=True):
        for word, said in zip(line.split(), other.split(), strict=True):
            if (
                "e-30" in said or "e-29" in said
            ):  # nothing but rounding, which differs from machine to machine
                assert float(word) < 1e-25
            else:
                assert word == said


@each("command", sorted({words.split()[1] for words in commands(PAGE)}))
def test_every_option_of_the_page_exists(boundkit: Command, command: str) -> None:
    known = boundkit(command, "--help").out
    for line in commands(PAGE):
        if line.split()[1] == command:
            for word in shlex.split(line):
                if word.startswith("--"):
                    assert word in known


def test_the_python_of_the_page_runs(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(ROOT)
    (block,) = python_blocks(PAGE)
    exec(compile(block.text, os.fspath(ROOT / "docs" / "sweeps.md"), "exec"), {})
    assert len(capsys.readouterr().out.splitlines()) == 4
