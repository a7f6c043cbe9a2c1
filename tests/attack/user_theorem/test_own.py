"""``boundkit check`` of a file, against runs: a theorem that is right, and files that say little."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from boundkit.cli.new_theorem import theorem_file
from tests.cli.conftest import boundkit

__all__ = ["boundkit"]
FEW = ("--evaluations", "8")
SGD = theorem_file("mine", "sgd_nonconvex")


@pytest.fixture
def mine(tmp_path: Path) -> Path:
    path = tmp_path / "mine.py"
    path.write_text(SGD, encoding="utf-8")
    return path


def test_a_theorem_that_is_right_passes(boundkit: Any, mine: Path, tmp_path: Path) -> None:
    page = tmp_path / "mine.md"
    answer = boundkit("check", str(mine), *FEW, "--page", str(page), "--verbose")
    assert (answer.code, answer.err) == (0, "")
    assert answer.out.startswith("mine: no failure\n")
    titles = [line for line in answer.out.splitlines() if line and not line.startswith(" ")]
    assert titles[1:10] == [
        "Summary", "Statement", "Without a run", "Reductions and limits", "Rate", "Against runs",
        "Necessary share of each term", "Default instances and slopes", "Wrong versions",
    ]  # fmt: skip
    said = " ".join(answer.out.split())
    assert "everywhere it is sgd_nonconvex" in said
    assert "at sigma = 0 stochastic noise vanishes" in said
    assert "with the best step it falls as sqrt(2)*sqrt(L)*sqrt(gap)*sigma/(sqrt(T)*sqrt(m))" in said
    assert "as fast in T as sgd_nonconvex, and as many rounds for a small target" in said
    assert "8 instances of minibatch_sgd" in said
    assert "killed by dimension" in said
    written = page.read_text(encoding="utf-8")
    assert written.startswith("# mine: no failure\n")
    assert "![bound against the worst run](mine_worst.svg)" in written
    assert (tmp_path / "mine_worst.svg").is_file()


def test_a_wrong_unit_is_one_sentence_and_no_run(boundkit: Any, mine: Path) -> None:
    mine.write_text(SGD.replace("2 * gap / (eta * T)", "2 * gap / T"), encoding="utf-8")
    answer = boundkit("check", str(mine))
    assert (answer.code, answer.err) == (1, "")
    assert "the term 'initial gap', 2*gap/T, has dimension [F], but" in answer.out
    assert "Against runs" not in answer.out


def test_an_algorithm_that_nothing_here_runs_is_said_and_no_failure(
    boundkit: Any, mine: Path, tmp_path: Path
) -> None:
    mine.write_text(SGD.replace('"minibatch_sgd"', '"my_method"'), encoding="utf-8")
    out, picture = tmp_path / "out", tmp_path / "mine.svg"
    answer = boundkit("check", str(mine), *FEW, "--out", str(out), "--plot", str(picture))
    assert (answer.code, answer.err) == (0, "")
    assert "the algorithm my_method is not implemented" in answer.out
    assert "not tested on runs" in answer.out.splitlines()[0]
    assert answer.out.endswith("\n\nno picture: it was not tested on runs.\n")
    assert not picture.exists()


def test_a_name_is_checked_without_a_run_unless_asked(boundkit: Any) -> None:
    assert boundkit("check", "sgd_nonconvex").out.startswith("sgd_nonconvex: 1")
    assert "--out is about runs" in boundkit("check", "sgd_nonconvex", "--out", "somewhere").err


def test_the_search_begins_with_the_worst_runs_of_like_theorems(monkeypatch: pytest.MonkeyPatch) -> None:
    from boundkit.attack.user_theorem import examination
    from boundkit.theorems import theorem

    known = {name: theorem(name) for name in ("fedavg_convex", "sgd_nonconvex", "fedavg_nonconvex")}
    ours = replace(theorem("fedavg_nonconvex"), name="mine")
    monkeypatch.setattr(examination, "stored_runs", lambda other: [other.name, "another"])
    assert list(map(str, examination.initial_runs(ours, known))) == ["fedavg_nonconvex", "fedavg_convex"]


def test_a_noise_drift_is_needed_by_infinitely_many_clients() -> None:
    from boundkit.attack.falsification import Falsification
    from boundkit.attack.user_theorem.examination import needs_with_infinite_clients
    from boundkit.theorems import theorem

    found = Falsification(theorem("fedavg_nonconvex"), "not broken", "", needs={"noise drift": 0.0})
    assert needs_with_infinite_clients(found)["noise drift"] == pytest.approx(0.0737, rel=0.3)
    assert "initial gap" not in needs_with_infinite_clients(found)
