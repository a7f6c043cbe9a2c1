"""Sentences for bad input, in one golden file: exit code 2, one line on stderr, nothing on stdout or on disk.

``messages.txt`` holds a command and its sentence in each paragraph; 9{321} stands for 321 nines.
After a change of wording: ``UPDATE_MESSAGES=1 pytest tests/cli/test_messages.py``, and read the difference.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
from pathlib import Path

import pytest

from tests.cli.conftest import Command

GOLDEN = Path(__file__).with_name("messages.txt")
EXAMPLES = Path(__file__).parents[2] / "examples"
PROMPT = "$ boundkit "


def entries() -> dict[str, str]:
    """The sentence of each command."""
    paragraphs = GOLDEN.read_text(encoding="utf-8").strip().split("\n\n")
    return dict(each.removeprefix(PROMPT).split("\n", 1) for each in paragraphs)


def arguments(command: str) -> list[str]:
    return [
        re.sub(r"(\d)\{(\d+)\}", lambda found: found[1] * int(found[2]), word)
        for word in shlex.split(command)
    ]


def test_bad_input_has_the_sentences_of_the_golden_file(
    boundkit: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copy(EXAMPLES / "two_clients.json", tmp_path / "run.json")
    (tmp_path / "file").touch()
    monkeypatch.chdir(tmp_path)
    expected, printed = entries(), {}
    for command in expected:
        answer = boundkit(*arguments(command))
        assert (answer.code, answer.out) == (2, ""), command
        assert answer.err.startswith("boundkit: "), command
        assert answer.err.endswith("\n"), command
        assert answer.err.count("\n") == 1, command
        assert sorted(path.name for path in tmp_path.iterdir()) == ["file", "run.json"], command
        printed[command] = answer.err.removeprefix("boundkit: ").strip()
    if os.environ.get("UPDATE_MESSAGES"):
        GOLDEN.write_text(
            "\n".join(f"{PROMPT}{command}\n{line}\n" for command, line in printed.items()), encoding="utf-8"
        )
    assert printed == expected


def test_sentences_are_the_same_with_json(
    boundkit: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    commands = ("predict", "rounds", "rate", "tune", "show", "list")
    for command, sentence in entries().items():
        if command.split()[0] in commands and "--json" not in command and " " in command:
            answer = boundkit(*arguments(command), "--json")
            assert (answer.code, answer.out, answer.err) == (2, "", f"boundkit: {sentence}\n"), command
