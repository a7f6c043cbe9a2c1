"""Chains of reductions."""

from __future__ import annotations

from dataclasses import replace

from sympy import Rational

from boundkit.algebra import Reduction, Term, Theorem
from boundkit.algebra.notation import C, L, T, eta, eta_s, gap, sigma, sigma_g, tau
from boundkit.analysis.reductions import chains, reduction_graph, reductions
from boundkit.theorems import catalogue
from tests.analysis.check.planting import build


def theorem(
    name: str, gaps: int, *reductions: Reduction, drift: bool = False, noisy: bool = False
) -> Theorem:
    terms = [Term("initial gap", gaps * gap / (eta * T * C), "derived", because="made up here")]
    if noisy:
        terms.append(Term("noise drift", L * eta * sigma**2 * (1 - C), "derived", because="made up here"))
    if drift:
        terms.append(Term("client drift", sigma_g**2 * (tau - 1), "derived", because="made up here"))
    return build(name=name, terms=tuple(terms), reductions=reductions, limits=(), step_size=())


def family(**changed: Theorem) -> dict[str, Theorem]:
    top = theorem("top", 12, Reduction("middle", {tau: 1}, {"initial gap": 3}), drift=True, noisy=True)
    middle = theorem("middle", 4, Reduction("end", {C: 1}, {"initial gap": 2}), noisy=True)
    end = theorem("end", 2)
    return {"top": top, "middle": middle, "end": end} | changed


def test_conditions_add_up_and_constants_multiply() -> None:
    (chain,) = chains(reduction_graph(family()), family())
    assert chain.nodes == ("top", "middle", "end")
    assert chain.reduction.when == {tau: 1, C: 1}
    assert chain.factors == {"initial gap": 6}
    assert chain.agrees is None


def test_a_direct_reduction_agrees_or_does_not() -> None:
    for factor, agrees in ((6, True), (7, False)):
        theorems = family()
        direct = Reduction("end", {C: 1, tau: 1}, {"initial gap": factor})
        theorems["top"] = replace(theorems["top"], reductions=(*theorems["top"].reductions, direct))
        found = chains(reduction_graph(theorems, checked=False), theorems)
        assert [c.agrees for c in found] == [agrees]


def test_a_term_left_over_by_one_step_may_vanish_by_the_next() -> None:
    top = theorem(
        "top",
        12,
        Reduction("middle", {tau: 1}, {"initial gap": 3}, leaves=("noise drift",)),
        noisy=True,
        drift=True,
    )
    middle = theorem("middle", 4, Reduction("end", {C: 1}, {"initial gap": 2}))
    theorems = family(top=top, middle=middle)
    (chain,) = chains(reduction_graph(theorems), theorems)
    assert chain.reduction.leaves == ()
    open_middle = theorem("middle", 4, Reduction("end", {eta_s: 1}, {"initial gap": 2}))
    theorems = family(top=top, middle=open_middle)
    (chain,) = chains(reduction_graph(theorems), theorems)
    assert chain.reduction.leaves == ("noise drift",)


def test_a_wrong_step_and_a_failing_one_make_no_chain() -> None:
    wrong = family(middle=theorem("middle", 4, Reduction("end", {C: 1}, {"initial gap": 5}), noisy=True))
    assert chains(reduction_graph(wrong), wrong) == ()
    never = Reduction("end", {C: 1}, {"initial gap": 5}, holds=False, because="5 is not 2")
    refused = family(middle=theorem("middle", 4, never, noisy=True))
    assert chains(reduction_graph(refused), refused) == ()


def test_factors_follow_the_conditions_of_later_steps() -> None:
    """A factor 3/C is 3 once C = 1 is put in."""
    top = theorem("top", 12, Reduction("middle", {tau: 1}, {"initial gap": 3 / C}), drift=True)
    bare = build(
        name="middle",
        terms=(Term("initial gap", 4 * gap / (eta * T), "derived", because="made up here"),),
        reductions=(Reduction("end", {C: 1}, {"initial gap": 2}),),
        limits=(),
        step_size=(),
    )
    theorems = family(top=top, middle=bare)
    (chain,) = chains(reduction_graph(theorems), theorems)
    assert chain.factors == {"initial gap": 6}


def test_the_chain_of_the_catalogue() -> None:
    known = {
        name: catalogue()[name] for name in ("fedavg_nonconvex_partial", "fedavg_nonconvex", "sgd_nonconvex")
    }
    found = {c.nodes: c for c in reductions(known, all_chains=True).chains}
    chain = found["fedavg_nonconvex_partial", "fedavg_nonconvex", "sgd_nonconvex"]
    assert chain.reduction.when == {C: 1, eta_s: 1, tau: 1}
    assert chain.factors == {"initial gap": 2, "stochastic noise": 4}
    assert chain.agrees
    assert Rational(4, 3) not in chain.factors.values()  # the drift and its constant are gone at tau = 1
