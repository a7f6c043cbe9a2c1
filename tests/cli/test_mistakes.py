"""Bad input: exit code 2, one sentence on stderr, nothing on stdout."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st


@settings(max_examples=60, deadline=None)
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


@settings(max_examples=25, deadline=None)
@given(st.text(alphabet="Tmtau L0129.*/+-()sqrt", max_size=20))
def test_any_rule_is_answered_or_refused(boundkit: Any, text: str) -> None:
    answer = boundkit("rate", "sgd_nonconvex", f"--eta={text}", "--json")
    assert answer.code in (0, 2)
    assert (answer.out == "") == (answer.code == 2)


def test_a_long_refusal_is_cut_in_its_middle(boundkit: Any) -> None:
    answer = boundkit("predict", "sgd_nonconvex", "x" * 100_000)
    assert answer.code == 2
    assert len(answer.err) < 1500
    assert answer.err.startswith("boundkit: 'xxx")
    assert answer.err.endswith("xxx' is not name=value.\n")


@pytest.mark.parametrize("closed", ["stdout", "stderr"])
def test_a_stream_that_the_shell_closed_is_no_traceback(closed: str) -> None:
    """As after ``>&-``, where Python has None for the stream."""
    code = f"import sys; sys.{closed} = None; from boundkit.cli import main; main(['show', 'sgd'])"
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert ended.returncode == 2
    assert ended.stdout == ""
    said = "boundkit: the answer could not be written: stdout is closed.\n"
    assert ended.stderr == (said if closed == "stdout" else "")


def test_a_letter_that_the_terminal_does_not_know_is_no_traceback(tmp_path: Path) -> None:
    """The name of a file may be bytes that are no text, and a terminal may know ASCII alone."""
    name = os.fsdecode(b"\xff.tex")
    ended = subprocess.run(
        [sys.executable, "-m", "boundkit", "export", "sgd_nonconvex", "--out", name], cwd=tmp_path, text=True,
        env=os.environ | {"PYTHONIOENCODING": "ascii:strict", "PYTHONPATH": ":".join(sys.path)},
        capture_output=True, check=False,
    )  # fmt: skip
    assert (ended.returncode, ended.stderr) == (0, "")
    assert ended.stdout == "\\udcff.tex\n"


def test_no_arguments_is_help(boundkit: Any) -> None:
    answer = boundkit()
    assert answer.code == 0
    assert "predict" in answer.out
    assert answer.err == ""


def test_every_command_has_help(boundkit: Any) -> None:
    for command in ("list", "show", "predict", "tune", "rounds", "rate"):
        answer = boundkit(command, "--help")
        assert answer.code == 0, command
        assert "--json" in answer.out, command


def test_an_interrupt_leaves_with_130(boundkit: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("boundkit.theorems.theorem", interrupted)
    answer = boundkit("predict", "sgd_nonconvex")
    assert (answer.code, answer.out) == (130, "")
    assert "Traceback" not in answer.err


def test_a_reader_who_leaves_early_is_no_error() -> None:
    with subprocess.Popen(
        [sys.executable, "-m", "boundkit", "predict", "sgd_nonconvex", "T=1:20000:20000"],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    ) as process:  # fmt: skip
        assert process.stdout is not None
        assert process.stderr is not None
        os.read(process.stdout.fileno(), 10)
        process.stdout.close()
        assert process.stderr.read() == b""
    assert process.returncode == 0
