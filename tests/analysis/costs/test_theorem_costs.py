"""The costs of a theorem's method: every row is there, the right one, and with what is assumed put in."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from sympy import Expr

import boundkit as bk
from boundkit.algebra import BoundkitError
from boundkit.algebra.notation import C, d, groups, m, tau
from boundkit.analysis.compare import compare
from boundkit.analysis.costs import cost_table, costs_of, costs_of_theorem
from boundkit.analysis.export import export
from boundkit.analysis.statement import statement, statement_report
from boundkit.theorems import catalogue, theorem
from tests.cases import each

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


def test_every_theorem_has_the_row_of_its_method() -> None:
    for name, one in catalogue().items():
        assert one.cost_row == ROWS.get(name, one.algorithm), name
        found = costs_of_theorem(one)
        assert [cost.name for cost in found] == [cost.name for cost in costs_of(one.cost_row)], name


@each("name", ["fedavg_nonconvex_partial", "biased_selection_strongly_convex_decaying", "cyclic_pl_local"])
def test_statements_and_pages_show_the_costs(name: str) -> None:
    one = theorem(name)
    found = costs_of_theorem(one)
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


def test_a_new_algorithm_without_a_row_has_no_costs_and_a_wrong_row_is_refused() -> None:
    new = replace(theorem("fedavg_nonconvex"), name="new", algorithm="newest")
    assert costs_of_theorem(new) == ()
    assert "Costs of a round" not in statement_report(new, proof=True).to_text() + export(new, "markdown")
    assert len(compare(new, theorem("fedavg_nonconvex")).costs) == 1
    with pytest.raises(BoundkitError, match="unknown algorithm 'newest'"):
        cost_table([new])
    with pytest.raises(BoundkitError, match="unknown algorithm 'fedavgg'; did you mean 'fedavg'"):
        costs_of_theorem(replace(new, costs="fedavgg"))


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
