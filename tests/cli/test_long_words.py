"""What a user typed is shortened where a message repeats it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from boundkit.cli.commands import COMMANDS
from tests.cases import each
from tests.cli.parameters import places, prepare, words

LONG = "fedavg_" * 800
TEXTS = list(places("text", "path"))
SPACED = "fed avg " * 700


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


@each(
    "said",
    [
        ("predict", "sgd_nonconvex", f"{LONG}=3"),
        ("predict", "sgd_nonconvex", f"T={LONG}"),
        ("predict", SPACED),
        ("predict", "sgd_nonconvex", SPACED),
        ("predict", "sgd_nonconvex", f"{SPACED}=3"),
        ("predict", "sgd_nonconvex", f"{SPACED}=3", f"{SPACED}=3"),
        ("check", f"{LONG}.py"),
        ("check", f"{SPACED}.py"),
        ("list", "--assume", SPACED),
        ("attack", "search", SPACED, "--all"),
        ("figure", "terms", SPACED),
        (LONG,),
        ("list", f"--{LONG}"),
        ("list", LONG),
    ],
    ids=lambda said: " ".join(word[:20] for word in said),
)
def test_words_with_blanks_and_parts_of_words_are_shortened(boundkit: Any, said: tuple[str, ...]) -> None:
    answer = boundkit(*said)
    assert (answer.code, answer.out) == (2, "")
    assert "fed avg " * 10 not in answer.err
    assert "fedavg_" * 10 not in answer.err
    assert len(answer.err) < 1500  # which is what the names of all assumptions need
    assert answer.err.count("\n") == 1
    assert "..." in answer.err


def test_names_in_a_run_file_are_shortened(boundkit: Any, tmp_path: Path) -> None:
    path = tmp_path / "run.json"
    for spec in ({LONG: 1}, {"problem": {"kind": LONG}}, {"options": LONG}):
        whole = {"problem": 1, "x0": [0.0], "rounds": 1, "eta": 0.1, "local_steps": 1} | spec
        path.write_text(json.dumps(whole), encoding="utf-8")
        answer = boundkit("simulate", "fedavg", str(path))
        assert answer.code == 2
        assert len(answer.err) < 600
        assert str(path) in answer.err
