"""The command, and what an answer looks like."""

import json

import pytest

from boundkit.cli.attack_worst_case import run
from tests.attack.pep.needs import needs_pepit

pytestmark = needs_pepit


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
    assert run("fednova_nonconvex_surrogate", words, at_rest=True) == 1
    assert "REFUTED" in capsys.readouterr().out


def test_the_command_warns_outside_the_condition(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("sgd_nonconvex", ["T=1", "eta=1.5"]) == 0
    printed = capsys.readouterr()
    assert "outside the condition" in printed.err
    assert "OUTSIDE" in printed.out
