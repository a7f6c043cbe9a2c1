"""Suggested factors of a reduction, and their code."""

from __future__ import annotations

import pytest
from sympy import Rational

from boundkit.algebra import BoundkitError, DimensionError
from boundkit.algebra.authoring import to
from boundkit.algebra.notation import C, eta, eta_s, tau
from boundkit.analysis.reductions import as_code, suggest
from boundkit.theorems import theorem
from tests.analysis.check.planting import build, other

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


def test_factors_that_are_one_are_left_out() -> None:
    assert suggest(build(), other(), {tau: 1}).factors == {"initial gap": 2}


def test_remaining_terms_are_named() -> None:
    partial, sgd = theorem("fedavg_nonconvex_partial"), theorem("sgd_nonconvex")
    found = suggest(partial, sgd, {tau: 1, eta_s: 1})
    assert found.leaves == ("partial participation",)
    assert found.factors == {"initial gap": 2, "stochastic noise": 4 / C}


def test_a_missing_term_is_an_error() -> None:
    with pytest.raises(
        BoundkitError, match=r"sgd_nonconvex does not become fedavg_nonconvex .* no 'noise drift'"
    ):
        suggest(theorem("sgd_nonconvex"), theorem("fedavg_nonconvex"), {})


def test_a_value_of_another_dimension_is_refused() -> None:
    with pytest.raises(DimensionError, match="eta has dimension"):
        suggest(build(), other(), {eta: 1})


def test_the_code_builds_the_reduction() -> None:
    partial, full = theorem("fedavg_nonconvex_partial"), theorem("fedavg_nonconvex")
    found = suggest(partial, full, {C: 1, eta_s: 1})
    code = as_code(found)
    assert code == (
        'to("fedavg_nonconvex", {C: 1, eta_s: 1}, '
        'factors={"noise drift": Rational(4, 3), "client drift": Rational(8, 3)})'
    )
    built = eval(code, {"to": to, "Rational": Rational, "C": C, "eta_s": eta_s})
    assert built == found
    assert built.factors == found.factors
    left = as_code(suggest(build(), other(), {tau: 2}))
    assert left.endswith('leaves=("client drift",))')
