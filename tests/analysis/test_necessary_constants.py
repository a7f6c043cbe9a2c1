"""Upper bounds beside lower ones: the factors by hand, and no lower bound above an upper one."""

from dataclasses import replace

import pytest

from boundkit.algebra import Theorem
from boundkit.analysis.necessary_constants import NecessaryConstants, necessary_constants, sharpened_theorem
from boundkit.theorems import catalogue, theorem
from boundkit.theorems.catalogue import lower_bounds

BY_HAND = {
    "fedavg_nonconvex_partial_sharp": {
        "initial gap": 1, "stochastic noise": 1 / 2, "partial participation": 1 / 2, "client drift": 1 / 4,
    },
    "fedavg_convex_partial_sharp": {
        "initial gap": 1 / 2, "stochastic noise": 1 / 2, "noise drift": 1 / 8,
        "partial participation": 1 / 2, "client drift": 1 / 8,
    },
    "fedavg_strongly_convex_partial_sharp": {
        "stochastic noise": 1 / 2, "noise drift": 1 / 8, "partial participation": 1 / 2,
        "client drift": 2 / 27,
    },
    "fedavg_nonconvex_sharp": {"initial gap": 1, "stochastic noise": 1 / 2, "client drift": 1 / 4},
}  # fmt: skip
"""The limits of the lower bounds for short rounds of many steps."""


def compared(bound: Theorem) -> NecessaryConstants:
    return necessary_constants(bound, lower_bounds(bound.algorithm))


@pytest.mark.parametrize("name", BY_HAND)
def test_necessary_constants_by_hand(name: str) -> None:
    found = {term.term: term.necessary for term in compared(theorem(name)).terms}
    assert found == pytest.approx(BY_HAND[name], rel=2e-3)


def test_no_lower_bound_of_the_catalogue_is_above_an_upper_one() -> None:
    answers = [compared(t) for t in catalogue().values() if t.kind == "upper"]
    terms = [term for answer in answers for term in answer.terms]
    assert len(terms) >= 30
    assert max(term.share for term in terms) <= 1 + 1e-9


def test_a_bound_below_a_lower_bound_shows_a_share_above_one() -> None:
    bound = theorem("fedavg_nonconvex_partial_sharp")
    *others, drift = bound.terms
    too_small = replace(bound, terms=(*others, replace(drift, expr=drift.expr / 3)))
    share = {t.term: t.share for t in compared(too_small).terms}["client drift"]
    assert share == pytest.approx(5 / 3, rel=2e-3)


def test_another_claim_or_class_is_not_compared() -> None:
    assert compared(theorem("scaffold_nonconvex")).terms == ()
    assert compared(theorem("fedavg_nonconvex_tuned")).terms == ()
    assert compared(theorem("fedavg_nonconvex_drift_lower")).terms == ()
    convex = theorem("fedavg_convex_drift_lower")
    assert necessary_constants(theorem("fedavg_nonconvex_partial_sharp"), [convex]).terms == ()


BEFORE = {
    "fedavg_nonconvex_partial_sharp": ("published", ["4", "4", "12", "32"]),
    "fedavg_convex_partial_sharp": ("before", ["1", "2", "5/2", "6", "10"]),
    "fedavg_strongly_convex_partial_sharp": ("before", ["4", "9", "12", "36"]),
}
"""Constants that are printed or only proved here, of the terms that have a lower bound."""


@pytest.mark.parametrize("name", BEFORE)
def test_the_constants_of_the_sharpened_theorem_stand_beside(name: str) -> None:
    base = sharpened_theorem(theorem(name), catalogue())
    assert base is not None
    assert base.name == name.removesuffix("_sharp")
    answer = necessary_constants(theorem(name), lower_bounds("fedavg")).beside(base, {"client drift": 0.5})
    assert (answer.before, [str(term.before) for term in answer.terms]) == BEFORE[name]
    drift = answer.terms[-1]
    assert drift.found == pytest.approx(float(drift.constant) / 2)
    assert [term.found for term in answer.terms[:-1]] == [None] * (len(answer.terms) - 1)
    header, rows = answer.table()
    assert header == ["term", BEFORE[name][0], "constant", "found", "by a lower bound", "factor"]
    assert rows[-1][3] == f"{drift.found:.3g}"
    assert all(len(line) <= 80 for line in answer.to_text().splitlines()[: len(rows) + 2])


def test_a_theorem_that_sharpens_none_has_no_such_column() -> None:
    assert sharpened_theorem(theorem("fedavg_nonconvex_partial"), catalogue()) is None
    header, _ = compared(theorem("fedavg_nonconvex_partial")).table()
    assert header == ["term", "constant", "by a lower bound", "factor"]
