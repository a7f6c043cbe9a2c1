"""``boundkit rounds --formula``: one theorem, a theorem under a rule, the table, and what is refused."""

from __future__ import annotations

import boundkit as bk
from boundkit.analysis.complexity import Complexity, Table
from tests.cli.conftest import Command


def test_one_theorem(boundkit: Command) -> None:
    answer = boundkit("rounds", "--formula", "fedavg_nonconvex")
    assert (answer.code, answer.err) == (0, "")
    assert "stochastic noise  16*L*gap*sigma^2/(m*target^4*tau)" in answer.out
    assert "linear speed-up by stochastic noise: tau T = 16*L*gap*sigma^2/(m*target^4)" in answer.out
    assert "up to tau = 2*sqrt(3)*sigma^2/(3*m*sigma_g*target): there the client drift" in answer.out


def test_the_answer_as_json_under_a_rule(boundkit: Command) -> None:
    answer = boundkit("rounds", "--formula", "fedavg_nonconvex", "--eta", "sqrt(m/(tau*T))/L", "--json")
    assert answer.code == 0
    assert answer.json["rules"] == {"eta": "sqrt(m)/(L*sqrt(T)*sqrt(tau))"}
    rounds = {row["term"]: row["plain"] for row in answer.json["rounds"]}
    assert rounds["client drift"] == "12*m*sigma_g^2*(tau - 1)/target^2"
    assert answer.json["speed_up"] == ["initial gap", "stochastic noise"]
    assert set(answer.json) == {
        "theorem", "quantity", "kind", "target", "rules", "rounds", "floors", "speed_up", "iterations",
        "largest_tau", "notes", "up_to_constants",
    }  # fmt: skip


def test_without_a_theorem_the_table_of_the_talk(boundkit: Command) -> None:
    answer = boundkit("rounds", "--formula", "--json")
    assert [row["theorem"] for row in answer.json["rows"]] == [
        "local_sgd_nonconvex_rounds",
        "scaffold_nonconvex_rounds",
        "celgc_relaxed_smooth",
        "episode_relaxed_smooth",
        "episodepp_relaxed_smooth",
    ]
    shown = boundkit("rounds", "--formula").out
    assert shown.count(", order\n") == 5
    assert "largest tau  sigma/(m*target)" in shown


def test_public_face() -> None:
    one, every = bk.complexity("sgd_nonconvex"), bk.complexity()
    assert isinstance(one, Complexity)
    assert isinstance(every, Table)
    assert repr(bk.complexity(bk.theorem("sgd_nonconvex"))) == repr(one)
