"""The command for worst cases, and the numbers of docs/worst_cases.md."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from boundkit.attack.pep import WorstCase, worst_case
from boundkit.cli.attack_worst_case import run
from boundkit.cli.parameter_values import read_values
from boundkit.theorems import theorem
from tests.attack.pep.needs import needs_pepit
from tests.cases import each
from tests.theorems import printed_fednova

pytestmark = needs_pepit

PAGE = Path(__file__).parents[3] / "docs" / "worst_cases.md"
ROW = re.compile(r"\| `(\w+)` \| `([^`]+)` \| ([\d.e-]+) \| (<= )?([\d.e-]+) \| (?:>= )?([\d.e-]+) \|")
ROWS = [row.groups() for row in map(ROW.fullmatch, PAGE.read_text(encoding="utf-8").splitlines()) if row]
AT_REST = ("tau=2 --at-rest", "tau_i=1,3 --at-rest")
QUICK = [row for row in ROWS if row[1] in AT_REST and row[0].startswith(("fedavg_nonconvex", "fednova"))]


def asked(name: str, words: str) -> WorstCase:
    statement = theorem(name)
    values: dict[str, Any] = read_values([w for w in words.split() if w != "--at-rest"], statement)
    return worst_case(statement, at_rest="--at-rest" in words, **values)


def check(row: tuple[str, ...]) -> None:
    name, words, bound, relaxed, worst, ratio = row
    found = asked(name, words)
    assert found.bound == pytest.approx(float(bound), rel=6e-4)
    assert found.value == pytest.approx(float(worst), rel=6e-4)
    assert found.slack == pytest.approx(float(ratio), rel=6e-3)
    assert found.exact == (not relaxed)
    assert found.inside


@each("row", QUICK, ids=lambda row: f"{row[0]} {row[1]}")
def test_a_row_of_the_page_is_what_the_program_computes(row: tuple[str, ...]) -> None:
    check(row)


@pytest.mark.slow
@each("row", [row for row in ROWS if row not in QUICK], ids=lambda row: f"{row[0]} {row[1]}")
def test_the_other_rows_are_too(row: tuple[str, ...]) -> None:
    check(row)


def test_the_command_prints_terms_worst_case_and_ratio(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("sgd_nonconvex", ["T=2", "eta=0.5"]) == 0
    out = capsys.readouterr().out
    for word in ("initial gap", "bound ", "worst case ", "bound/worst case", "eta = 0.5", "without noise"):
        assert word in out


def test_the_command_answers_in_json(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("fedavg_nonconvex", ["sigma_g=2", "eta=0.1"], at_rest=True, as_json=True) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["at_rest"]
    assert found["worst_case"] == pytest.approx(4 * 0.0025 / (1 - 0.0025), rel=2e-6)
    assert found["bound"] == pytest.approx(found["terms"]["client drift"])
    assert found["slack"] == pytest.approx(found["bound"] / found["worst_case"])
    assert found["solver"] == "CLARABEL"
    assert "T" not in found["setting"]


def test_the_command_fails_where_a_bound_is_refuted(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["solver=proximal", "tau_i=2,2", "mu_prox=4", "eta=0.25"]
    assert run(printed_fednova.__file__, words, at_rest=True) == 1
    assert "REFUTED" in capsys.readouterr().out


def test_the_command_warns_outside_the_condition(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("sgd_nonconvex", ["T=1", "eta=1.5"]) == 0
    printed = capsys.readouterr()
    assert "outside the condition" in printed.err
    assert "OUTSIDE" in printed.out
