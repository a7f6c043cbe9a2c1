"""Streams that are closed, long words, and hostile formulas: one sentence, and nothing is executed."""

from __future__ import annotations

import io
import os
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from boundkit.cli import main
from boundkit.cli.commands import COMMANDS
from tests.cli.parameters import places, prepare, words
from tests.fuzz.formulas import HOSTILE


def ended(words: list[str]) -> object:
    with pytest.raises(SystemExit) as left:
        main(words)
    return left.value.code


@pytest.mark.parametrize("closed", ["stdout", "stderr"])
def test_a_stream_that_the_shell_closed_is_no_traceback(
    closed: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """As after ``>&-``, where Python has None for the stream."""
    monkeypatch.setattr(sys, closed, None)
    assert ended(["show", "sgd"]) == 2
    if closed == "stderr":
        sys.stderr.close()  # it was opened on the null device
    said = "boundkit: the answer could not be written: stdout is closed.\n"
    assert capsys.readouterr() == ("", said if closed == "stdout" else "")


def test_a_letter_that_the_terminal_does_not_know_is_no_traceback(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The name of a file may be bytes that are no text, and a terminal may know ASCII alone."""
    monkeypatch.chdir(tmp_path)
    terminal = io.TextIOWrapper(io.BytesIO(), encoding="ascii", errors="strict")
    monkeypatch.setattr(sys, "stdout", terminal)
    assert ended(["export", "sgd_nonconvex", "--out", os.fsdecode(b"\xff.tex")]) == 0
    assert terminal.buffer.getvalue() == b"\\udcff.tex\n"
    assert capsys.readouterr().err == ""


def test_a_reader_who_leaves_early_is_no_error(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    with open(writing, "w", encoding="utf-8") as stream:
        monkeypatch.setattr(sys, "stdout", stream)
        assert ended(["predict", "sgd_nonconvex", "T=1:200:200"]) == 0
    assert capsys.readouterr().err == ""


LONG = "fedavg_" * 800
TEXTS = list(places("text", "path"))


@pytest.mark.parametrize("command", COMMANDS)
def test_a_long_word_is_shortened_in_every_message(
    boundkit: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: str
) -> None:
    monkeypatch.chdir(tmp_path)
    prepare(tmp_path)
    for named, parameter, figure in TEXTS:
        if named == command:
            answer = boundkit(*words(command, parameter, LONG, figure))
            assert answer.code in (0, 2), parameter.name
            assert "fedavg_" * 10 not in answer.err, parameter.name
            assert answer.err.count("\n") == (answer.code == 2), parameter.name


ASKED = (
    ("rate", "sgd_nonconvex", "--eta"),
    ("rate", "fedavg_nonconvex_partial", "--eta_s"),
    ("rate", "fedavg_nonconvex_partial", "--reach"),
)
SECONDS = 10.0
"""Of processor time, which is far more than any of them takes."""


@pytest.mark.parametrize("words", ASKED, ids=" ".join)
def test_hostile_formulas_are_answered_or_refused(
    boundkit: Any, words: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for text in HOSTILE:
        began = time.process_time()
        answer = boundkit(*words[:-1], f"{words[-1]}={text}")
        assert answer.code in (0, 2), text
        if answer.code == 2:
            assert answer.out == ""
            assert answer.err.startswith("boundkit: ")
            assert answer.err.count("\n") == 1
            assert len(answer.err) < 2000
        assert time.process_time() - began < SECONDS, text[:100]
    assert list(tmp_path.iterdir()) == []
