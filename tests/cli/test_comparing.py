"""``boundkit regimes`` and ``boundkit compare``, as a user types them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

REGIMES = ("regimes", "fedavg_nonconvex_partial")
COMPARE = ("compare", "fedavg_nonconvex", "sgd_nonconvex")


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_regimes_say_shares_and_formulas(boundkit: Any) -> None:
    answer = boundkit(*REGIMES, "tau", "C", "T=1000", "tau=1:1000:30:log")
    assert (answer.code, answer.err) == (0, "")
    assert "which term dominates, over tau from 1 to 1000 and C from 0.01 to 1" in answer.out
    assert "C = 3*eta_s/(8*L*eta*(m - 1)*(tau - 1) + 3*eta_s)" in answer.out
    assert "up to tau = 1/(24*L*eta*eta_s)" in answer.out


def test_regimes_in_json_under_a_rule(boundkit: Any) -> None:
    words = ("regimes", "fedavg_nonconvex", "T", "tau", "m=10", "--eta", "sqrt(m/(tau*T))/L", "--json")
    said = boundkit(*words).json
    assert said["rules"] == {"eta": "sqrt(m)/(L*sqrt(T)*sqrt(tau))"}
    (one,) = [c for c in said["crossovers"] if c["terms"] == ["stochastic noise", "client drift"]]
    assert one["curves"][0]["formula"] == "9*m^3*sigma_g^4*tau*(tau - 1)^2/sigma^4"
    assert one["curves"][0]["larger_beyond"] == "stochastic noise"


def test_compare_at_a_point_along_an_axis_and_over_two(boundkit: Any) -> None:
    point = boundkit(*COMPARE, "tau=5", "eta=0.01")
    assert "lowest: fedavg_nonconvex; the next is" in point.out
    outside = boundkit(*COMPARE, "tau=50", "eta=0.05", "sigma_g=0.01", "sigma=0.001")
    assert "lowest of those inside their conditions: sgd_nonconvex." in outside.out
    along = boundkit(*COMPARE, "tau=1:64:20:log", "eta=0.01")
    assert "from tau = 3 on: fedavg_nonconvex instead of sgd_nonconvex." in along.out
    over = boundkit(*COMPARE, "tau=1,2,5,10,100", "sigma_g=0.1:10:9:log", "--json").json
    assert list(over["axes"]) == ["tau", "sigma_g"]
    assert sum(over["shares"].values()) == pytest.approx(1)
    assert over["borders"][0]["theorems"] == ["fedavg_nonconvex", "sgd_nonconvex"]


def test_compare_tuned_and_outside(boundkit: Any) -> None:
    tuned = boundkit(*COMPARE, "--tuned", "--json").json
    assert all(one["best_eta"] > 0 for one in tuned["theorems"])
    along = boundkit(*COMPARE, "--tuned", "tau=1,5").out
    assert "eta of fedavg_nonconvex" in along
    assert "0.447214" in along
    over = boundkit(*COMPARE, "--tuned", "tau=1,5", "m=10,100").out
    assert "best eta of sgd_nonconvex: from " in over
    outside = boundkit(*COMPARE, "eta=0.5", "--json")
    assert outside.code == 0
    assert "warning: the steps are outside the condition of fedavg_nonconvex" in outside.err
    assert outside.json["theorems"][0]["holds"] is False


@pytest.mark.parametrize("words", [("regimes", "sgd_nonconvex", "T", "eta"), (*COMPARE, "tau=1,2,5")])
def test_the_figure_is_the_plot(boundkit: Any, words: tuple[str, ...]) -> None:
    assert boundkit(*words, "--plot", "plot.svg", "--preset", "paper").code == 0
    answer = boundkit("figure", *words, "--preset", "paper", "--out", "figure.svg", "--json")
    assert (answer.code, answer.json["written"]) == (0, ["figure.svg"])
    assert Path("figure.svg").read_bytes() == Path("plot.svg").read_bytes()


def test_a_figure_is_named_after_all_that_it_was_asked(boundkit: Any) -> None:
    answer = boundkit("figure", "regimes", "sgd_nonconvex", "T", "eta", "--preset", "paper", "--json")
    assert answer.json["written"][0] == "out/figures/regimes_sgd_nonconvex_T_eta.pdf"


def test_the_figure_takes_rules_and_best_steps(boundkit: Any) -> None:
    rule = boundkit(
        "figure", "regimes", "sgd_nonconvex", "T", "m", "--eta", "1/(L*sqrt(T))", "--out", "a.svg"
    )
    assert (rule.code, rule.err) == (0, "")
    tuned = boundkit("figure", *COMPARE, "T=10,100,1000", "--tuned", "--out", "b.svg")
    assert (tuned.code, tuned.err) == (0, "")
    assert "each with its best step" in Path("b.svg").read_text()


@pytest.mark.parametrize("command", ["regimes", "compare"])
def test_both_have_help(boundkit: Any, command: str) -> None:
    answer = boundkit(command, "--help")
    assert answer.code == 0
    for option in ("--json", "--plot", "--eta", "--preset"):
        assert option in answer.out
