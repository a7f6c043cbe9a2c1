"""Mutants are systematic, distinct, and different from the theorem."""

from __future__ import annotations

from sympy import Rational, simplify

from boundkit.algebra.notation import L, T, eta, eta_s, gap, m, mu_pl, sigma, sigma_g, tau
from boundkit.attack.mutation import KINDS, generate_mutants
from boundkit.attack.mutation.mutant import powers, replace_at
from boundkit.theorems import theorem
from tests.representatives import REPRESENTATIVES

FEW = ("sgd_nonconvex", "fedavg_nonconvex_partial", "cyclic_pl", "fednova_nonconvex", "fedadam_nonconvex")


def test_every_mutant_differs_from_the_theorem_and_from_the_others() -> None:
    for name in REPRESENTATIVES:
        original = theorem(name)
        mutants, terms = generate_mutants(original), original.bound.terms
        assert len({(one.label, one.expr, one.condition) for one in mutants}) == len(mutants)
        assert all(one.kind in KINDS for one in mutants)
        assert {one.label for one in mutants if one.kind == "dropped"} == set(terms)
        for one in mutants:
            if one.expr is not None:
                assert one.expr != terms[one.label].expr, (name, one.what)
            else:
                assert one.condition != original.step_size[one.place], (name, one.what)


def test_every_exponent_is_increased_and_decreased() -> None:
    for name in FEW:
        original = theorem(name)
        mutants = generate_mutants(original)
        for label, term in original.bound.terms.items():
            changed = {one.expr for one in mutants if one.label == label}
            for place in powers(term.expr):
                for by in (-1, 1):
                    assert replace_at(term.expr, place.path, place.raised(by)) in changed, (name, label)


def test_descriptions_name_term_and_mistake() -> None:
    mutants = {one.what: one for one in generate_mutants(theorem("fedavg_nonconvex_partial"))}
    drift = "client drift: tau left out"
    assert simplify(mutants[drift].expr - 32 * eta**2 * L**2 * sigma_g**2 * (tau - 1)) == 0
    assert mutants["partial participation: 6/5 for 12"].times == 10
    assert mutants["stochastic noise: m for C m"].expr == 4 * L * eta * sigma**2 / m * eta_s
    assert mutants["noise drift: tau for tau - 1"].kind == "minus one"
    assert mutants["condition: eta <= 1/(4*L*tau) for eta <= 1/(8*L*tau)"].times == 2
    assert mutants["initial gap: left out"].expr == 0


def test_constants_inside_a_sum_are_changed_too() -> None:
    original = theorem("fedavg_pl")
    expr = original.bound.terms["initial gap"].expr
    changed = {one.expr for one in generate_mutants(original) if one.kind == "constant"}
    assert gap * (1 - Rational(7, 11) * eta * mu_pl * tau) ** T in changed
    assert expr not in changed


def test_a_lower_bound_is_wrong_where_it_is_larger() -> None:
    original = theorem("fedavg_strongly_convex_drift_limit_lower")
    terms = original.bound.terms
    whole = [one for one in generate_mutants(original) if one.kind == "constant" and one.times > 1]
    assert {one.expr / terms[one.label].expr for one in whole} == {2, 4, 10}


def test_unspecified_constants_are_unchanged() -> None:
    mutants = generate_mutants(theorem("scaffold_nonconvex_rounds"))
    assert all(one.kind != "constant" and "c_1" not in one.what.split(":")[1] for one in mutants)
