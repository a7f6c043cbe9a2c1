"""Bad input: exit code 2, one sentence on stderr, nothing on stdout."""

from __future__ import annotations

import io
import os
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from boundkit.cli import main


@settings(max_examples=30, deadline=None)
@given(
    name=st.sampled_from(["m", "C", "tau", "T", "eta", "eta_s", "L", "sigma", "gap", "x", ""]),
    value=st.one_of(
        st.text(alphabet="0123456789.,:e-+log naif", max_size=12),
        st.text(max_size=6),
        st.floats().map(str),
        st.integers().map(str),
    ),
    command=st.sampled_from(["predict", "tune", "rounds"]),
)
def test_any_word_is_answered_or_refused(boundkit: Any, name: str, value: str, command: str) -> None:
    extra = ("--eps", "0.5") if command == "rounds" else ()
    answer = boundkit(command, "fedavg_nonconvex_partial", *extra, "--json", "--", f"{name}={value}")
    assert answer.code in (0, 2)
    if answer.code == 2:
        assert answer.out == ""
        assert answer.err.count("\n") == 1
    else:
        assert isinstance(answer.json, dict)


@settings(max_examples=15, deadline=None)
@given(st.text(alphabet="Tmtau L0129.*/+-()sqrt", max_size=20))
def test_any_rule_is_answered_or_refused(boundkit: Any, text: str) -> None:
    answer = boundkit("rate", "sgd_nonconvex", f"--eta={text}", "--json")
    assert answer.code in (0, 2)
    assert (answer.out == "") == (answer.code == 2)


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


def test_no_arguments_is_help(boundkit: Any) -> None:
    answer = boundkit()
    assert answer.code == 0
    assert "predict" in answer.out
    assert answer.err == ""


def test_an_interrupt_leaves_with_130(boundkit: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("boundkit.theorems.theorem", interrupted)
    answer = boundkit("predict", "sgd_nonconvex")
    assert (answer.code, answer.out) == (130, "")
    assert "Traceback" not in answer.err


def test_a_reader_who_leaves_early_is_no_error(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    with open(writing, "w", encoding="utf-8") as stream:
        monkeypatch.setattr(sys, "stdout", stream)
        assert ended(["predict", "sgd_nonconvex", "T=1:200:200"]) == 0
    assert capsys.readouterr().err == ""
