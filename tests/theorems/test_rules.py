"""Tuned theorems are their originals at the steps that they say."""

from itertools import product

from sympy import Rational, simplify

from boundkit.algebra.notation import T
from boundkit.analysis.check.context import admissible, numbers
from boundkit.analysis.evaluate import evaluate, satisfied
from boundkit.theorems import catalogue, theorem

ORIGINALS = {
    "cyclic_pl_tuned": "cyclic_pl",
    "fedavg_nonconvex_partial_long_steps_tuned": "fedavg_nonconvex_partial_long_steps",
    "fedavg_nonconvex_partial_tuned": "fedavg_nonconvex_partial",
    "fedavg_nonconvex_tuned": "fedavg_nonconvex",
    "fedawe_nonconvex_tuned": "fedawe_nonconvex",
    "fednova_nonconvex_tuned": "fednova_nonconvex_surrogate",
    "fedvarp_nonconvex_tuned": "fedvarp_nonconvex",
}


SHARES = {"fednova_nonconvex_tuned": (Rational(101, 200), Rational(4, 11), Rational(5, 9), Rational(19, 80))}
"""Of the terms of the original, where the constants of the tuned theorem are smaller."""


def test_every_tuned_theorem_has_an_original() -> None:
    assert set(ORIGINALS) == {name for name, statement in catalogue().items() if statement.rules}
    assert set(ORIGINALS) == {name for name in catalogue() if name.endswith("_tuned")}


def test_terms_are_those_of_the_original_at_the_rules() -> None:
    for name in ORIGINALS:
        tuned, original = theorem(name), theorem(ORIGINALS[name])
        assert list(tuned.bound.terms) == list(original.bound.terms), name
        shares = SHARES.get(name, (1,) * len(tuned.terms))
        for (label, term), share in zip(tuned.bound.terms.items(), shares, strict=True):
            put = share * original.bound.terms[label].expr.subs(dict(tuned.rules), simultaneous=True)
            if (name, label) == ("cyclic_pl_tuned", "initial gap"):  # (1 - x)^K is at most exp(-x K)
                for seed in range(5):
                    point = numbers(admissible(tuned, seed))
                    assert float(evaluate(put, point)) <= float(evaluate(term.expr, point)) * (1 + 1e-9), name
            else:
                assert simplify(term.expr - put) == 0, label


def test_its_conditions_put_the_rules_inside_those_of_the_original() -> None:
    for name, seed in product(ORIGINALS, range(3)):
        tuned, original = theorem(name), theorem(ORIGINALS[name])
        values = numbers(admissible(tuned, seed))
        for condition in original.step_size:
            put = condition.func(*(side.subs(dict(tuned.rules)) for side in condition.args), evaluate=False)
            if {s.name for s in put.free_symbols} <= set(values):
                assert satisfied(put, values), (condition, values)
        assert T in tuned.quantities, (name, seed)
