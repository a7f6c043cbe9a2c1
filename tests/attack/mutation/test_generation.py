"""Mutants are systematic, each is there once, and none is the theorem itself."""

from __future__ import annotations

import pytest
from sympy import Expr, Rational, simplify

from boundkit.algebra.notation import C, L, T, eta, gap, groups, m, mu_pl, sigma, sigma_g, tau
from boundkit.attack.mutation import KINDS, generate_mutants
from boundkit.attack.mutation.subexpressions import powers, replace_at, sums
from boundkit.theorems import names, theorem

FEW = ("sgd_nonconvex", "fedavg_nonconvex_partial", "cyclic_pl", "fednova_nonconvex", "fedadam_nonconvex")


@pytest.mark.parametrize("name", names())
def test_each_is_another_theorem_and_is_there_once(name: str) -> None:
    original = theorem(name)
    found = generate_mutants(original)
    said = [(one.label, one.expr, one.condition) for one in found]
    assert len(set(said)) == len(said)
    assert all(one.kind in KINDS for one in found)
    terms = original.bound.terms
    assert {one.label for one in found if one.kind == "dropped"} == set(terms)
    for one in found:
        if one.expr is not None:
            assert one.expr != terms[one.label].expr
        else:
            assert one.condition != original.step_size[one.place]


@pytest.mark.parametrize("name", FEW)
def test_every_exponent_of_every_letter_goes_up_and_down(name: str) -> None:
    original = theorem(name)
    found = generate_mutants(original)
    for label, term in original.bound.terms.items():
        ours = {one.expr for one in found if one.label == label}
        for place in powers(term.expr):
            for by in (-1, 1):
                assert replace_at(term.expr, place.path, place.raised(by)) in ours


def test_sentences_name_term_and_mistake() -> None:
    said = {one.what: one for one in generate_mutants(theorem("fedavg_nonconvex_partial"))}
    drift = "client drift: tau left out"
    assert simplify(said[drift].expr - 32 * eta**2 * L**2 * sigma_g**2 * (tau - 1)) == 0
    assert said["partial participation: 6/5 for 12"].times == 10
    assert said["stochastic noise: m for C m"].expr == 4 * L * eta * sigma**2 / m * _eta_s()
    assert said["noise drift: tau for tau - 1"].kind == "minus one"
    assert said["condition: eta <= 1/(4*L*tau) for eta <= 1/(8*L*tau)"].times == 2
    assert said["initial gap: left out"].expr == 0


def test_constants_inside_a_sum_are_changed_too() -> None:
    expr = theorem("cyclic_pl").bound.terms["initial gap"].expr
    ours = {one.expr for one in generate_mutants(theorem("cyclic_pl")) if one.kind == "constant"}
    assert gap * (1 - Rational(2, 5) * eta * groups * mu_pl) ** (T / groups) in ours
    assert expr not in ours


def test_a_lower_bound_is_wrong_where_it_is_larger() -> None:
    original = theorem("fedavg_strongly_convex_drift_limit_lower")
    terms = original.bound.terms
    whole = [one for one in generate_mutants(original) if one.kind == "constant" and one.times > 1]
    assert {one.expr / terms[one.label].expr for one in whole} == {2, 4, 10}


def test_open_constants_are_left_alone() -> None:
    found = generate_mutants(theorem("scaffold_nonconvex_rounds"))
    assert all(one.kind != "constant" and "c_1" not in one.what.split(":")[1] for one in found)


def test_sums_come_without_their_common_factor() -> None:
    (found,) = sums(sigma**2 * (8 * tau - 8) / (T * tau**2))
    assert (found.content, found.sum) == (8, tau - 1)


def test_places_are_where_they_say() -> None:
    expr = 12 * L * eta * tau * (1 - C) / (C * (m - 1))
    for place in powers(expr):
        assert replace_at(expr, place.path, place.raised(0)) == expr


def _eta_s() -> Expr:
    from boundkit.algebra.notation import eta_s

    return eta_s
