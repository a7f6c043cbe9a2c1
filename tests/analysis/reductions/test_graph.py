"""The graph of reductions: edges, families, layers, and what a check finds."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import pytest
from sympy import Rational

from boundkit.algebra import DimensionError, Reduction, Theorem
from boundkit.algebra.authoring import to
from boundkit.algebra.notation import C, eta, eta_s, tau
from boundkit.analysis.reductions import as_code, reduction_graph, reductions, suggest
from boundkit.theorems import catalogue, theorem
from tests.analysis.check.planting import KNOWN, build, other


def known(*reductions: Reduction) -> dict[str, Theorem]:
    return {**KNOWN, "good": build(reductions=reductions)}


RIGHT = Reduction(to="other", when={tau: 1}, factors={"initial gap": 2})
WRONG = replace(RIGHT, factors={"initial gap": 3})
REFUSED = replace(WRONG, holds=False, because="three is not two")


def test_a_right_edge_is_confirmed_and_a_wrong_one_is_not() -> None:
    (edge,) = reduction_graph(known(RIGHT)).edges
    assert (edge.origin, edge.to, edge.confirmed, edge.objection) == ("good", "other", True, "")
    assert edge.factors == {"initial gap": 2}
    (edge,) = reduction_graph(known(WRONG)).edges
    assert not edge.confirmed
    assert "left over: initial gap" in edge.objection


def test_a_failing_edge_is_confirmed_by_a_remainder() -> None:
    (edge,) = reduction_graph(known(REFUSED)).edges
    assert edge.confirmed
    (edge,) = reduction_graph(known(replace(RIGHT, holds=False, because="so"))).edges
    assert edge.objection == "nothing is left over, but it is stated as failing"


def test_a_value_that_divides_by_zero_is_an_objection() -> None:
    (edge,) = reduction_graph(known(replace(RIGHT, when={tau: 0}))).edges
    assert "divides by zero" in edge.objection


def chain_of(*names: str) -> dict[str, Theorem]:
    """Theorems that are one and the same, each said to become the next."""
    same = {
        name: build(name=name, limits=(), reductions=(Reduction(to=after, when={}),))
        for name, after in pairwise(names)
    }
    return {**same, names[-1]: build(name=names[-1], limits=(), reductions=())}


def test_layers_count_the_longest_path() -> None:
    theorems = chain_of("a", "b", "c")
    shortcut = (*theorems["a"].reductions, Reduction(to="c", when={}))
    theorems["a"] = replace(theorems["a"], reductions=shortcut)
    assert reduction_graph(theorems).layers() == {"a": 2, "b": 1, "c": 0}


def test_the_part_around_one_theorem() -> None:
    theorems = {**chain_of("a", "b", "c"), **chain_of("x", "y")}
    theorems["d"] = build(name="d", limits=(), reductions=(Reduction(to="c", when={}),))
    graph = reduction_graph(theorems, "b")
    assert set(graph.nodes) == {"a", "b", "c"}
    assert {(e.origin, e.to) for e in graph.edges} == {("a", "b"), ("b", "c")}
    assert set(reduction_graph(theorems, "c").nodes) == {"b", "c", "d"}
    assert [set(f.nodes) for f in reduction_graph(theorems).families()] == [{"a", "b", "c", "d"}, {"x", "y"}]


def test_one_wrong_edge_makes_the_whole_false() -> None:
    assert reductions(known(RIGHT))
    assert not reductions(known(RIGHT, WRONG))
    assert "NO: left over: initial gap" in repr(reductions(known(WRONG)))


HOLDING = [
    (name, reduction)
    for name in (
        "fedavg_nonconvex",
        "fedavg_nonconvex_partial",
        "fednova_nonconvex_surrogate",
        "fedvarp_nonconvex",
    )
    for reduction in theorem(name).reductions
    if reduction.holds
]


def test_stated_reductions_are_suggested() -> None:
    for name, stated in HOLDING:
        ours, theirs = theorem(name), theorem(stated.to)
        suggested = suggest(ours, theirs, stated.when)
        assert not suggested.check(ours.bound.terms, theirs.bound.terms), (name, stated)
        assert set(suggested.leaves) == set(stated.leaves), (name, stated)


def test_a_value_of_another_dimension_is_refused() -> None:
    with pytest.raises(DimensionError, match="eta has dimension"):
        suggest(build(), other(), {eta: 1})


def test_the_code_builds_the_reduction() -> None:
    partial, full = theorem("fedavg_nonconvex_partial"), theorem("fedavg_nonconvex")
    suggestion = suggest(partial, full, {C: 1, eta_s: 1})
    code = as_code(suggestion)
    assert code == (
        'to("fedavg_nonconvex", {C: 1, eta_s: 1}, '
        'factors={"noise drift": Rational(4, 3), "client drift": Rational(8, 3)})'
    )
    built = eval(code, {"to": to, "Rational": Rational, "C": C, "eta_s": eta_s})
    assert built == suggestion
    assert built.factors == suggestion.factors
    left = as_code(suggest(build(), other(), {tau: 2}))
    assert left.endswith('leaves=("client drift",))')


def test_every_edge_of_the_catalogue_is_confirmed() -> None:
    assert {e.origin: e.objection for e in reductions(catalogue()).graph.edges if e.objection} == {}
