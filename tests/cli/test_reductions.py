"""``boundkit graph``: the graph as a table, as JSON and as a picture."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from boundkit.theorems import catalogue


def test_the_table_names_conditions_and_constants(boundkit: Any) -> None:
    answer = boundkit("graph", "fedavg_nonconvex")
    assert (answer.code, answer.err) == (0, "")
    said = " ".join(answer.out.split())
    assert "becomes fedavg_nonconvex at C = 1, eta_s = 1; noise drift x 4/3, client drift x 8/3" in said
    chain = "fedavg_nonconvex_partial -> fedavg_nonconvex -> sgd_nonconvex at C = 1, eta_s = 1, tau = 1"
    assert f"{chain}; initial gap x 2, stochastic noise x 4" in said
    assert "checked by sympy are as stated" in said
    assert "fedavg_nonconvex does not become sgd_nonconvex at sigma_g = 0: " in answer.out


def test_json_of_the_whole(boundkit: Any) -> None:
    found = boundkit("graph", "--json").json
    assert set(found) == {"nodes", "edges", "chains"}
    assert set(found["nodes"]) <= set(catalogue())
    assert len(found["edges"]) == sum(len(t.reductions) for t in catalogue().values())
    assert all(edge["confirmed"] for edge in found["edges"])
    (edge,) = (e for e in found["edges"] if (e["from"], e["to"], e["holds"]) == ("fedavg_nonconvex_partial",
               "fedavg_nonconvex", True))  # fmt: skip
    assert edge["when"] == {"C": "1", "eta_s": "1"}
    assert edge["factors"] == {"noise drift": "4/3", "client drift": "8/3"}


def test_bad_input_is_one_sentence(boundkit: Any, tmp_path: Path) -> None:
    assert "did you mean 'fedavg_nonconvex'" in boundkit("graph", "fedavg_nonconvx").err
    answer = boundkit("graph", "fedavg_nonconvex", "--plot", str(tmp_path / "x.bmp"))
    assert answer.code == 2
    assert ".bmp" in answer.err
    assert "unknown preset" in boundkit("graph", "--plot", str(tmp_path / "x.png"), "--preset", "x").err
