"""What theorem files are written with: constructors, tuned theorems, solved conditions."""

import ast
from pathlib import Path

import pytest
from sympy import Rational, simplify, sqrt

import boundkit.theorems as folder
from boundkit.algebra import BoundkitError, Theorem
from boundkit.algebra.authoring import (
    appendix,
    at_least,
    at_most,
    derived,
    keeps,
    lower,
    not_to,
    order,
    order_level,
    recalled,
    removes,
    stated,
    substitute_condition,
    to,
    tuned,
    upper,
    variant,
)
from boundkit.algebra.notation import C, L, T, c_1, eta, eta_s, gap, m, mu, tau
from boundkit.algebra.papers import BOTTOU_2018
from boundkit.algebra.vocabulary import MEAN_SQUARED_GRADIENT, NONCONVEX_NOISY, SMOOTH
from tests.cases import each

GAP = 2 * gap / (eta * T)
WORDS = {
    "title": "Mine",
    "algorithm": "minibatch_sgd",
    "bounds": MEAN_SQUARED_GRADIENT,
    "source": BOTTOU_2018.at("Theorem 4.8"),
}


def mine(**changes: object) -> Theorem:
    return upper("mine", **{**WORDS, "terms": (derived("initial gap", GAP, "as told"),), **changes})


@each("verb", [stated, appendix, derived, order, recalled])
def test_the_verb_of_a_term_is_its_provenance(verb: object) -> None:
    term = verb("initial gap", c_1 * GAP, "a reason", label="x")  # type: ignore[operator]
    assert (term.provenance, term.label, term.because) == (verb.__name__, "x", "a reason")  # type: ignore[attr-defined]
    assert term.expr == c_1 * GAP


def test_a_field_that_is_missing_or_unknown_is_named_with_the_constructor() -> None:
    for verb in (upper, lower, order_level):
        with pytest.raises(BoundkitError) as refusal:
            verb("mine", **{word: value for word, value in WORDS.items() if word != "bounds"})
        assert str(refusal.value) == (
            f"{verb.__name__}('mine', ...) lacks bounds and terms; it needs title, algorithm, bounds, terms "
            "and source."
        )
    for build in (mine, lambda **changes: variant(mine(), "other", title="Other", **changes)):
        with pytest.raises(
            BoundkitError, match="unknown field of a theorem 'assums'; did you mean 'assumes'"
        ):
            build(assums=NONCONVEX_NOISY)


def test_the_words_of_an_author_are_the_fields_of_a_theorem() -> None:
    statement = mine(
        assumes=NONCONVEX_NOISY, steps=(at_most(eta, 1 / L),), requires=(at_least(m, 2),),
        becomes=(to("sgd_nonconvex", {tau: 1}),), limits=(removes({gap: 0}, "initial gap"),), remarks=("A.",),
    )  # fmt: skip
    assert (statement.kind, statement.title, statement.claim) == ("upper", "Mine", MEAN_SQUARED_GRADIENT)
    assert statement.assumptions == NONCONVEX_NOISY
    assert statement.step_size == (at_most(eta, 1 / L),)
    assert statement.reductions[0].to == "sgd_nonconvex"
    assert statement.all_limits == statement.computed_limits == statement.limits
    assert lower("mine", **WORDS, terms=statement.terms).kind == "lower"
    assert order_level("mine", **WORDS, terms=statement.terms).order_level


def test_what_does_not_hold_says_why() -> None:
    assert not not_to("sgd_nonconvex", because="it is not").holds
    assert not keeps({tau: 1}, "initial gap", because="it stays").holds
    with pytest.raises(TypeError, match="because"):
        keeps({tau: 1}, "initial gap")  # type: ignore[call-arg]


def test_a_variant_keeps_what_it_does_not_change() -> None:
    base = mine(assumes=(SMOOTH,), remarks=("A.",))
    other = variant(base, "other", title="Other", remarks=())
    assert (other.name, other.title, other.remarks, other.assumptions) == ("other", "Other", (), (SMOOTH,))
    assert other.terms == base.terms


def test_a_tuned_theorem_is_its_base_at_the_rule() -> None:
    base = mine(steps=(at_most(eta, 1 / L),), remarks=("A.",), limits=(removes({gap: 0}, "initial gap"),))
    rule = {eta: sqrt(m / T) / L}
    statement = tuned(base, rule, "mine_tuned", title="Tuned")
    assert simplify(statement.bound.terms["initial gap"].expr - 2 * L * gap / sqrt(m * T)) == 0
    assert statement.step_size == (at_least(T, m),)
    assert statement.rules == rule
    assert (statement.remarks, statement.limits, statement.reductions) == ((), (), ())
    assert "mine" in statement.terms[0].because
    put = tuned(base, {T: 5 * T}, "five", title="Five", because={"initial gap": "five times"})
    assert (dict(put.rules), put.step_size) == ({}, base.step_size)  # T is no step size
    assert put.terms[0].because == "five times"


@each(
    ("condition", "rules", "solved"),
    [
        (at_most(eta, 1 / (8 * L * tau)), {eta: 1 / (sqrt(T) * tau * L)}, at_least(T, 64)),
        (at_least(1 / (8 * L * tau), eta), {eta: 1 / (sqrt(T) * tau * L)}, at_least(T, 64)),
        (at_most(eta**2 * L**2, Rational(1, 12)), {eta: sqrt(m / T) / L}, at_least(T, 12 * m)),
        (at_most(eta * L * (m - 1), 1), {eta: T ** Rational(-1, 3) / L}, at_least(T, (m - 1) ** 3)),
        (at_least(eta_s, 1), {eta_s: sqrt(C * m)}, at_least(C * m, 1)),
        (at_least(m, 2), {eta: 1 / L}, at_least(m, 2)),
        (at_most(eta, 1 / L), {eta: 1 / (L + mu * T)}, at_most(1 / (L + mu * T), 1 / L)),
    ],
    ids=str,
)
def test_conditions_are_solved_for_the_rounds(condition: object, rules: dict, solved: object) -> None:  # type: ignore[type-arg]
    found = substitute_condition(condition, rules)
    assert (type(found), simplify(found.lhs - solved.lhs), simplify(found.rhs - solved.rhs)) == (  # type: ignore[attr-defined]
        type(solved), 0, 0
    )  # fmt: skip


def test_only_theorem_files_import_it_with_a_star() -> None:
    package = Path(str(folder.__file__)).parents[1]
    with_star = {
        path.parent.name
        for path in package.rglob("*.py")
        if "authoring import" in (text := path.read_text(encoding="utf-8"))
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.ImportFrom)
        and "authoring" in (node.module or "")
        and node.names[0].name == "*"
    }
    assert with_star <= {"theorems", "certificates", "errata"}
