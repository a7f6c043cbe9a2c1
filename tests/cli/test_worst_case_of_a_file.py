"""``boundkit attack worst-case FILE.py``: a theorem of one's own is asked in the same way."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from boundkit.cli import attack_worst_case
from boundkit.cli.new_theorem import theorem_file


def test_a_file_is_asked_as_a_name_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import boundkit.attack.pep as pep

    asked: list[Any] = []

    class Answer:
        inside, refutes = True, False

        def to_text(self) -> str:
            return "worst"

    def answer(theorem: Any, **given: Any) -> Answer:
        asked.append((theorem, given))
        return Answer()

    monkeypatch.setattr(pep, "worst_case", answer)
    file = tmp_path / "mine.py"
    file.write_text(theorem_file("mine", "sgd_nonconvex"), encoding="utf-8")
    assert attack_worst_case.run(str(file), ["T=2"]) == 0
    ((theorem, given),) = asked
    assert (theorem.name, given) == ("mine", {"at_rest": False, "T": 2.0})
