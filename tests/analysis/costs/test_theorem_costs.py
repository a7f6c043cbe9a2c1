"""The costs of a theorem's method: every row is there, the right one, and with what is assumed put in."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from sympy import Expr, Integer

import boundkit as bk
from boundkit.algebra import BoundkitError
from boundkit.algebra.notation import C, d, groups, m, tau
from boundkit.analysis.compare import compare
from boundkit.analysis.costs import cost_table, costs_of, costs_of_theorem
from boundkit.analysis.export import export
from boundkit.analysis.statement import statement, statement_report
from boundkit.theorems import catalogue, theorem
from tests.cases import each
from tests.representatives import representatives

ROWS = {
    **{name: "biased_selection" for name in catalogue() if name.startswith("biased_selection_")},
    **{name: "cyclic_fedavg" for name in catalogue() if name.startswith("cyclic_")},
    "fedavg_nonconvex_known_availability": "fedavg_known",
    "fedavg_nonconvex_all": "fedavg_all",
    "fedavg_all_bias": "fedavg_all",
    "fedavg_active_bias": "fedavg_active",
    **{name: "fedavg_sampling" for name in catalogue() if "_sampling" in name},
    "fedavg_strongly_convex_decaying_replacement": "fedavg_replacement",
    "fedavg_strongly_convex_decaying_one_step": "fedavg_replacement",
}


@each("name", representatives())
def test_every_theorem_has_the_row_of_its_method_everywhere(name: str) -> None:
    one = theorem(name)
    assert one.cost_row == ROWS.get(name, one.algorithm)
    found = costs_of_theorem(one)
    assert [cost.name for cost in found] == [cost.name for cost in costs_of(one.cost_row)]
    said = json.loads(json.dumps(statement(one)))["costs"]
    assert [row["algorithm"] for row in said] == [one.cost_row] * len(found)
    text, page = statement_report(one, proof=True).to_text(), export(one, "markdown")
    assert "Costs of a round" in text
    assert "## Costs of a round" in page
    for cost in found:
        assert f"  {cost.label}: " in text
        assert f"| `{cost.label}` |" in page


@each(
    ("name", "up", "gradients", "server"),
    [
        ("fedavg_nonconvex", m * d, m * tau, 0),
        ("fedavg_nonconvex_partial", C * m * d, C * m * tau, 0),
        ("fedavg_nonconvex_known_availability", C * m * d, C * m, m),
        ("cyclic_pl", C * m * d, C * m, 0),
        ("cyclic_pl_local", m * d / groups, m * tau / groups, 0),
        ("fedavg_strongly_convex_decaying_replacement", C * m * d, C * m * tau, m),
        ("sgd_nonconvex", m * d, m, 0),
    ],
)
def test_what_is_assumed_is_put_in(name: str, up: Expr, gradients: Expr, server: Expr) -> None:
    (cost,) = costs_of_theorem(theorem(name))
    assert (cost.round()["up"] - up).expand() == 0
    assert (cost.round()["gradients"] - gradients).expand() == 0
    assert cost.server == server


def test_a_table_takes_theorems_and_their_names() -> None:
    one = theorem("fedavg_nonconvex_known_availability")
    for table in (cost_table([one], {"m": 10, "C": 0.5, "d": 7}), bk.costs(one.name, m=10, C=0.5, d=7)):
        (row,) = table.rows
        assert [row.number(e) for e in row.totals.values()] == [35, 35, 5, 160]
        assert row.number(row.cost.server) == 10
        assert row.to_dict()["fixed"] == {"tau": "1"}
    assert [r.cost.variant for r in bk.costs("biased_selection_strongly_convex_decaying").rows] == [
        "pow-d", "cpow-d", "rpow-d",
    ]  # fmt: skip


def test_comparing_shows_costs_beside_bounds() -> None:
    found = compare(
        theorem("fedavg_nonconvex"), theorem("scaffold_nonconvex_partial"), m=10, C=0.5, tau=4, d=7
    )
    assert [line.cells() for line in found.costs] == [
        ["fedavg_nonconvex: fedavg", "70", "70", "40", "0"],
        ["scaffold_nonconvex_partial: scaffold (I)", "70", "70", "25", "7"],
        ["scaffold_nonconvex_partial: scaffold (II)", "70", "70", "20", "7"],
    ]
    assert "scaffold_nonconvex_partial: scaffold (II)            70          70         20" in found.to_text()
    assert "memory at the server" in found._repr_html_()
    said = json.loads(json.dumps(found.to_dict(), allow_nan=False))["costs"]
    assert [row["theorem"] for row in said] == ["fedavg_nonconvex", *["scaffold_nonconvex_partial"] * 2]
    assert said[0]["round"]["gradients"]["value"] == 40
    assert said[0]["assumed"] == ["batch"]


def test_letters_that_are_assumed_are_said_once() -> None:
    text = compare(theorem("fedavg_nonconvex"), theorem("fedavg_nonconvex_partial"), C=0.5).to_text()
    assert text.endswith("at d = 1000 (assumed).")
    exact = compare(theorem("fedavg_nonconvex"), theorem("fedavg_nonconvex_partial"), C=0.5, d=3).to_text()
    assert exact.endswith("in addition to the model.")


def test_clients_that_are_given_speak_for_tau() -> None:
    found = compare(theorem("fednova_nonconvex"), theorem("fednova_nonconvex_varying"), tau_i=[1, 3, 5], m=3)
    assert found.costs[0].row.number(found.costs[0].row.cost.round()["gradients"]) == 9


def test_along_an_axis_costs_are_symbols() -> None:
    found = compare(theorem("fedavg_nonconvex"), theorem("fedavg_nonconvex_partial"), tau=[1, 2])
    assert "costs of a round" not in found.to_text()
    (full, part) = found.to_dict()["costs"]
    assert (full["round"]["up"]["plain"], part["round"]["up"]["plain"]) == ("d*m", "C*d*m")
    assert full["round"]["up"]["value"] is None


def test_candidates_are_as_many_as_come_unless_they_are_given() -> None:
    one = theorem("biased_selection_strongly_convex_decaying")
    two = theorem("fedavg_strongly_convex_decaying_replacement")
    assert compare(one, two, m=100, C=0.5).costs[0].row.values["candidates"] == 50
    assert compare(one, two, m=100, C=0.5, candidates=60).costs[0].cells()[1] == "60000"
    with pytest.raises(BoundkitError, match=r"candidates >= C\*m is needed"):
        compare(one, two, m=100, C=0.5, candidates=6).to_text()
    with pytest.raises(BoundkitError, match="d = 0 was given, but it must be"):
        compare(one, two, d=0)


def test_a_new_algorithm_without_a_row_has_no_costs_and_a_wrong_row_is_refused() -> None:
    new = replace(theorem("fedavg_nonconvex"), name="new", algorithm="newest")
    assert costs_of_theorem(new) == ()
    assert "Costs of a round" not in statement_report(new, proof=True).to_text() + export(new, "markdown")
    assert len(compare(new, theorem("fedavg_nonconvex")).costs) == 1
    with pytest.raises(BoundkitError, match="unknown algorithm 'newest'"):
        cost_table([new])
    with pytest.raises(BoundkitError, match="unknown algorithm 'fedavgg'; did you mean 'fedavg'"):
        costs_of_theorem(replace(new, costs="fedavgg"))


def test_a_value_is_put_in_where_there_is_a_letter_for_it() -> None:
    (cost,) = costs_of("fedavg")
    assert cost.at({groups: Integer(3)}) == cost
    assert cost.at({tau: Integer(1)}).label == "fedavg at tau = 1"
