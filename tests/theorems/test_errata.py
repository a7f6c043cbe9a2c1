"""The errata: printed formulas fail in some units, corrected ones pass and are those of the named theorem."""

import pytest

from boundkit.algebra import BoundkitError
from boundkit.algebra.erratum import Erratum, Form
from boundkit.algebra.reduction import vanishes
from boundkit.analysis.check import check
from boundkit.studies.demonstrations import names as demonstrations
from boundkit.theorems import catalogue, names
from boundkit.theorems.errata import errata, erratum

RULES = {"fednova_step_rule"}
"""Errata that equate a step with a rule, which no random point does."""
FORMULAS = [each for each in errata().values() if isinstance(each.printed, Form)]


def form(found: Erratum) -> Form:
    assert isinstance(found.corrected, Form)
    return found.corrected


def test_every_erratum_names_theorems_of_the_catalogue_and_examples_that_run() -> None:
    assert len(FORMULAS) >= 9
    for each in errata().values():
        assert set(each.theorems) <= set(names()), each.name
        words = each.example.split()
        assert not words or words[1] == "objective" or words[2] in demonstrations(), each.name
    with pytest.raises(BoundkitError, match="unknown erratum 'lecture_note_bound'; did you mean 'lecture_n"):
        erratum("lecture_note_bound")


def test_printed_formulas_fail_the_dimension_check_and_corrected_ones_pass() -> None:
    for each in FORMULAS:
        each.check_units()
        report = check(form(each).theorem(each.name, each.source))
        assert report.named("dimensions").outcome == "pass", each.name
        scale = "not applicable" if each.name in RULES else "pass"
        assert report.named("scale").outcome == scale, each.name


def test_the_printed_formula_changes_with_the_units() -> None:
    """By numbers, without the rules of dimensions: put behind the theorem's back, and scaled."""
    for each in FORMULAS:
        theorem = form(each).theorem(each.name, each.source)
        assert isinstance(each.printed, Form)
        if each.printed.terms:
            object.__setattr__(theorem, "terms", each.printed.terms)
        object.__setattr__(theorem, "step_size", each.printed.conditions)
        for known in ("bound", "quantities"):  # of the theorem as it was
            vars(theorem).pop(known, None)
        wanted = "not applicable" if each.name in RULES else "fail"
        assert check(theorem).named("scale").outcome == wanted, each.name


def test_the_first_theorem_states_the_corrected_formula() -> None:
    for each in FORMULAS:
        if not each.theorems or each.up_to:
            continue
        theorem = catalogue()[each.theorems[0]]
        if form(each).terms:
            ours = each.times * form(each).theorem(each.name, each.source).bound.total
            assert vanishes(ours - theorem.bound.total.subs(dict(each.at), simultaneous=True)), each.name
        for condition in form(each).conditions:
            ratio = condition.lhs / condition.rhs
            assert any(vanishes(c.lhs / c.rhs - ratio) for c in theorem.step_size), condition
