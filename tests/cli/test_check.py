"""``boundkit check``: exit codes, one sentence for a bad file, and what scripts rely on."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from boundkit.analysis.check import CHECKS
from boundkit.theorems.errata import errata

GOOD = """\
from boundkit.algebra import Source, Term, Theorem
from boundkit.algebra.domain import at_most
from boundkit.algebra.notation import L, T, eta, gap, m, sigma
from boundkit.algebra.vocabulary import BOUNDED_NOISE, MEAN_SQUARED_GRADIENT, SMOOTH

THEOREM = Theorem(
    name="mine",
    algorithm="minibatch_sgd",
    claim=MEAN_SQUARED_GRADIENT,
    assumptions=(SMOOTH, BOUNDED_NOISE),
    step_size=(at_most(eta, 1 / L),),
    terms=(
        Term("initial gap", 2 * gap / (eta * T), "derived", because="the descent lemma, summed"),
        Term("stochastic noise", eta * L * sigma**2 / m, "derived", because="L eta^2 sigma^2/(2m) a step"),
    ),
    source=Source(("Me",), 2026, "A Note", "2601.00001", "Theorem 1"),
)
"""


@pytest.fixture
def mine(tmp_path: Path) -> Path:
    path = tmp_path / "mine.py"
    path.write_text(GOOD, encoding="utf-8")
    return path


def test_a_good_file_passes(boundkit: Any, mine: Path) -> None:
    answer = boundkit("check", str(mine), "--static")
    assert (answer.code, answer.err) == (0, "")
    assert answer.out.startswith("mine: ")
    assert answer.out.count("\n") <= 4
    whole = boundkit("check", str(mine), "--static", "--verbose").out
    for name in CHECKS:
        assert f"  {name} " in whole


def test_json_holds_every_check(boundkit: Any, mine: Path) -> None:
    answer = boundkit("check", str(mine), "sgd_nonconvex", "--static", "--json")
    mine_, sgd = answer.json
    assert (mine_["theorem"], mine_["passed"], sgd["theorem"]) == ("mine", True, "sgd_nonconvex")
    assert [c["check"] for c in mine_["checks"]] == list(CHECKS)
    assert {c["outcome"] for c in mine_["checks"]} == {"pass", "not applicable"}


def test_a_check_that_falls_short_is_exit_code_1(boundkit: Any, mine: Path) -> None:
    mine.write_text(GOOD.replace("eta * L * sigma**2 / m", "eta * L * sigma**2 * (1 - m)"), encoding="utf-8")
    answer = boundkit("check", str(mine), "--static")
    assert answer.code == 1
    assert "FAIL  signs" in answer.out


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("x = (", "line 1 is no Python"),
        ("x = 1", "defines no theorem"),
        ("import nothing_here", "line 1: Module"),
        ("x = 2 * alpha", "one of your own is a boundkit.algebra.Quantity"),
    ],
)
def test_a_bad_file_is_exit_code_2_and_one_line(boundkit: Any, mine: Path, text: str, said: str) -> None:
    mine.write_text(text, encoding="utf-8")
    answer = boundkit("check", str(mine), "--static", "--json")
    assert (answer.code, answer.out) == (2, "")
    assert said in answer.err
    assert answer.err.count("\n") == 1


def test_errata_are_shown(boundkit: Any) -> None:
    answer = boundkit("check", "--errata")
    assert (answer.code, answer.err) == (0, "")
    found = {e["erratum"]: e for e in boundkit("check", "--errata", "--json").json}
    assert set(found) == set(errata())
    assert all(name in answer.out for name in found)
    assert "L^2 + 1" in answer.out
    notes = found["lecture_notes_bound"]
    assert notes["theorems"][0] == "fedavg_nonconvex"
    assert "sigma" in notes["refusals"][0]
    assert "--exhibits is now --errata" in boundkit("check", "--exhibits").err


def test_theorems_of_one_file_may_become_each_other(boundkit: Any, mine: Path) -> None:
    other = GOOD.split("THEOREM = ")[1].replace('"mine"', '"other"')
    becomes = '    reductions=(Reduction(to="{}", when={{}}),),\n)'
    text = GOOD.replace("import Source", "import Reduction, Source").rstrip().removesuffix(")")
    mine.write_text(f"{text}{becomes.format('other')}\nOTHER = {other}", encoding="utf-8")
    answer = boundkit("check", str(mine), "--static", "--json")
    assert answer.code == 0
    assert [r["theorem"] for r in answer.json] == ["mine", "other"]
    mine.write_text(f"{text}{becomes.format('othr')}\nOTHER = {other}", encoding="utf-8")
    assert "did you mean 'other'" in boundkit("check", str(mine), "--static").out
