from __future__ import annotations

from typing import Any

import pytest
from sympy import Eq, sqrt

from boundkit.algebra.domain import at_most
from boundkit.algebra.errors import BoundkitError, DimensionError
from boundkit.algebra.exhibit import Exhibit, Form
from boundkit.algebra.notation import L, T, eta, gap, m, tau
from boundkit.algebra.papers import Source
from boundkit.algebra.term import Term
from boundkit.algebra.vocabulary import MEAN_SQUARED_GRADIENT


def term(expr: object, label: str = "initial gap") -> Term:
    return Term("initial gap", expr, "stated", "as printed", label)


GOOD_TERM, BAD_TERM = term(gap / (eta * T)), term(gap / T, "lost step")
GOOD: dict[str, Any] = {
    "name": "shown",
    "algorithm": "fedavg",
    "claim": MEAN_SQUARED_GRADIENT,
    "printed": Form((GOOD_TERM, BAD_TERM), (at_most(eta, 1), at_most(eta, 1 / (L + 1)))),
    "repaired": Form((GOOD_TERM,), (at_most(eta, 1 / L),)),
    "lost": "The step was lost.",
    "source": Source(("Nobody",), 2020, "Nothing", "2001.00001", "eq. (1)"),
}


def build(**changed: Any) -> Exhibit:
    return Exhibit(**{**GOOD, **changed})


def test_each_piece_that_fails_is_named_and_each_that_passes_is_not() -> None:
    refusals = build().refusals()
    assert len(refusals) == 3
    assert refusals[0].startswith("the term 'lost step', gap/T, has dimension [F]")
    assert refusals[1].startswith("the condition eta <= 1 compares")
    assert refusals[2].startswith("in the condition eta <= 1/(L + 1), L + 1 adds unlike things")


def test_the_printed_form_is_refused_as_a_theorem_and_the_repaired_one_is_built() -> None:
    exhibit = build()
    with pytest.raises(DimensionError, match="lost step"):
        exhibit.build(exhibit.printed)
    assert exhibit.build(exhibit.repaired).step_size == (at_most(eta, 1 / L),)


def test_what_passes_is_no_exhibit_and_what_fails_is_no_repair() -> None:
    with pytest.raises(BoundkitError, match="shown passes the dimension check as printed"):
        build(printed=Form((GOOD_TERM,)))
    with pytest.raises(DimensionError, match="lost step"):
        build(repaired=Form((BAD_TERM,)))
    with pytest.raises(BoundkitError, match="'lost' must be a sentence"):
        build(lost="the step")


def test_the_review_says_what_is_unlike_what_was_lost_and_what_is_right() -> None:
    review = build(states="other", at={eta: sqrt(m / (tau * T)) / L}, doubt="Perhaps.").review()
    assert review.startswith("As printed in Nobody (2020), arXiv:2001.00001, eq. (1), this cannot be right")
    assert "The step was lost. Perhaps. It should read" in review
    assert "<= gap/(T*eta); eta <= 1/L, as other states it at eta = sqrt(m)/(L*sqrt(T)*sqrt(tau))." in review
    assert review.count("a step size replaced by a number") == 1
    assert "as other" not in build().review()
    scaled = build(states="other", times=L**2, up_to="constants").review()
    assert scaled.endswith("eta <= 1/L, as other states it, times L^2, up to constants.")


def test_a_lower_bound_is_turned_round_and_an_equation_is_written_as_one() -> None:
    lower = build(kind="lower")
    assert ">= gap/(T*eta)" in lower.review()
    rule = build(
        printed=Form(conditions=(Eq(eta, sqrt(m), evaluate=False),)),
        repaired=Form(conditions=(Eq(eta, sqrt(m) / L, evaluate=False),)),
    )
    assert "It should read eta = sqrt(m)/L." in rule.review()
