"""Formulas are read, never executed, and hostile ones are refused at once."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import pytest

from tests.fuzz.formulas import HOSTILE

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
