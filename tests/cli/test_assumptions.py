"""assumptions, find and costs, as a shell sees them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import boundkit as bk
from boundkit.algebra.vocabulary import ASSUMPTIONS
from tests.cases import each


def test_all_assumptions_as_json(boundkit: Any) -> None:
    answer = boundkit("graph", "--assumptions", "--json")
    assert answer.code == 0
    assert {a["name"] for a in answer.json["assumptions"]} >= set(ASSUMPTIONS)
    (weaker,) = [a for a in answer.json["assumptions"] if a["name"] == "strongly-convex"]
    assert {"convex", "polyak-lojasiewicz", "bounded-below"} <= set(weaker["implies"])
    assert all(r["proof"] for r in answer.json["implications"])
    assert all(r["example"] and r["because"] for r in answer.json["refutations"])
    assert {"strongly-convex", "bounded-gradients"} in [
        set(c["assumptions"]) for c in answer.json["conflicts"]
    ]


@each("name", sorted(ASSUMPTIONS))
def test_every_assumption_has_a_page(boundkit: Any, name: str) -> None:
    page = boundkit("graph", "--assumptions", name, "--json").json
    assert page["name"] == name
    assert page["meaning"]
    assert {d["to"] for d in page["follows"]} == set(page["implies"])
    assert page["theorems"] == [
        t.name for t in bk.catalogue().values() if name in {a.name for a in t.assumptions}
    ]
    text = boundkit("graph", "--assumptions", name)
    assert text.out.startswith(f"{name}\n")
    assert "\N{NBSP}" not in text.out


def test_two_are_held_against_each_other(boundkit: Any) -> None:
    answer = boundkit("graph", "--assumptions", "bounded-dissimilarity", "clientwise-dissimilarity", "--json")
    assert answer.json["answer"] == "does not imply"
    assert "sqrt(m - 1)" in answer.json["because"]
    text = boundkit("graph", "--assumptions", "strongly-convex", "bounded-gradients").out
    assert text.startswith("strongly-convex and bounded-gradients cannot hold together on all of space: ")
    assert "is not known here" in boundkit("graph", "--assumptions", "smooth", "bounded-noise").out


def test_it_is_drawn(boundkit: Any, tmp_path: Path) -> None:
    assert boundkit("graph", "--assumptions", "smooth", "--plot", str(tmp_path / "a.svg")).code == 0
    assert boundkit("figure", "assumptions", "smoothness", "--out", str(tmp_path / "b.svg")).code == 0
    assert (tmp_path / "a.svg").read_bytes() == (tmp_path / "b.svg").read_bytes()


def test_find_answers_the_question(boundkit: Any) -> None:
    words = ("--have", "smooth,partial-participation", "--without", "bounded-dissimilarity")
    answer = boundkit("find", *words, "--json").json
    status = {t["name"]: t for t in answer["theorems"]}
    assert set(status) == set(bk.catalogue())
    assert status["fedavg_nonconvex_partial"]["status"] == "not"
    assert status["fedavg_nonconvex_partial"]["barred"] == ["it needs bounded-dissimilarity"]
    short, whole = boundkit("find", *words).out, boundkit("find", *words, "--why").out
    count = sum(t["status"] == "not" for t in answer["theorems"])
    assert f"do not hold: {count}." in short
    assert "fedavg_nonconvex_partial" not in short
    assert "fedavg_nonconvex_partial: it needs bounded-dissimilarity" in whole
    lines = {line.split()[0].rstrip(":") for line in short.splitlines() if line}
    holding = {name for name, theorem in status.items() if theorem["status"] == "holds"}
    assert lines & set(status) == holding
    assert bk.find("smooth,partial-participation", "bounded-dissimilarity").to_dict() == answer


def test_costs_as_symbols_and_as_numbers(boundkit: Any) -> None:
    symbols = boundkit("cost", "fedvarp")
    assert "d*m" in symbols.out
    assert "the server keeps the last update of every client" in symbols.out
    words = ("cost", "fedvarp", "m=100", "C=0.1", "tau=10", "d=1000", "T=50", "batch=1", "--json")
    (row,) = boundkit(*words).json["costs"]
    assert row["server"]["value"] == 100_000
    assert row["total"]["up"]["value"] == 50 * 10 * 1000
    assert row["keeps_state"] is False
    assert len(boundkit("cost", "--json").json["costs"]) == len(bk.costs().rows)


def test_a_theorem_stands_for_its_algorithm(boundkit: Any) -> None:
    assert (
        boundkit("cost", "fedavg_nonconvex_partial", "--json").json
        == boundkit("cost", "fedavg", "--json").json
    )


@each("command", ["graph", "find", "cost"])
def test_there_is_help(boundkit: Any, command: str) -> None:
    assert "--json" in boundkit(command, "--help").out
