from __future__ import annotations

from typing import Any

import pytest
from sympy import Eq, sqrt

from boundkit.algebra.domain import at_most
from boundkit.algebra.erratum import Erratum, Form
from boundkit.algebra.errors import BoundkitError, DimensionError
from boundkit.algebra.notation import L, T, eta, gap, m, tau
from boundkit.algebra.papers import Source
from boundkit.algebra.term import Term
from boundkit.algebra.vocabulary import MEAN_SQUARED_GRADIENT


def term(expr: object, label: str = "initial gap") -> Term:
    return Term("initial gap", expr, "stated", "as printed", label)


def form(terms: tuple[Term, ...] = (), conditions: tuple[Any, ...] = (), kind: Any = "upper") -> Form:
    return Form(MEAN_SQUARED_GRADIENT, terms, conditions, kind)


GOOD_TERM, BAD_TERM = term(gap / (eta * T)), term(gap / T, "lost step")
GOOD: dict[str, Any] = {
    "name": "shown",
    "source": Source(("Nobody",), 2020, "Nothing", "2001.00001", "eq. (1)"),
    "text": "paper",
    "basis": "units",
    "printed": form((GOOD_TERM, BAD_TERM), (at_most(eta, 1), at_most(eta, 1 / (L + 1)))),
    "reason": "The step was lost.",
    "corrected": form((GOOD_TERM,), (at_most(eta, 1 / L),)),
    "consequence": "None.",
}


def build(**changed: Any) -> Erratum:
    return Erratum(**{**GOOD, **changed})


def test_each_piece_that_fails_is_named_and_each_that_passes_is_not() -> None:
    refusals = build().refusals()
    assert len(refusals) == 3
    assert refusals[0].startswith("the term 'lost step', gap/T, has dimension [F]")
    assert refusals[1].startswith("the condition eta <= 1 compares")
    assert refusals[2].startswith("in the condition eta <= 1/(L + 1), L + 1 adds unlike things")


def test_a_printed_formula_that_passes_and_a_corrected_one_that_fails_are_refused() -> None:
    build().check_units()
    with pytest.raises(BoundkitError, match="shown passes the dimension check as printed"):
        build(printed=form((GOOD_TERM,))).check_units()
    with pytest.raises(DimensionError, match="lost step"):
        build(corrected=form((BAD_TERM,))).check_units()


def test_texts_are_sentences_and_kinds_are_known() -> None:
    with pytest.raises(BoundkitError, match="'reason' must be a sentence"):
        build(reason="the step")
    with pytest.raises(BoundkitError, match="text is one of paper, "):
        build(text="rumour")


def test_the_sentences_hold_the_place_the_formulas_and_the_theorem() -> None:
    shown = str(build(theorems=("other",), at={eta: sqrt(m / (tau * T)) / L}))
    assert shown.startswith("Eq. (1): (1/T) sum")
    assert "The step was lost. Corrected: " in shown
    assert "<= gap/(T*eta); eta <= 1/L, as other states it at eta = sqrt(m)/(L*sqrt(T)*sqrt(tau))." in shown
    assert shown.count("a step size replaced by a number") == 1
    assert "as other" not in str(build())
    scaled = build(theorems=("other",), times=L**2, up_to="constants").corrected_text
    assert scaled.endswith("eta <= 1/L, as other states it, times L^2, up to constants.")


def test_a_lower_bound_is_turned_round_and_an_equation_is_written_as_one() -> None:
    assert ">= gap/(T*eta)" in build(corrected=form((GOOD_TERM,), kind="lower")).corrected_text
    rule = build(corrected=form((), (Eq(eta, sqrt(m) / L, evaluate=False),)))
    assert rule.corrected_text == "eta = sqrt(m)/L."
