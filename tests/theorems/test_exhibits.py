"""The exhibits: refused as printed, built as repaired, and equal to the theorem that they name."""

import re
from pathlib import Path

import pytest

from boundkit.algebra import BoundkitError, DimensionError
from boundkit.algebra.reduction import vanishes
from boundkit.analysis.check import check
from boundkit.theorems import catalogue, names
from boundkit.theorems import exhibits as folder
from boundkit.theorems.exhibits import exhibit, exhibit_names, exhibits

RULES = {"fednova_step_rule"}
"""Exhibits that equate a step with a rule, which no random point does."""


def test_each_file_is_one_exhibit_and_none_is_a_theorem() -> None:
    files = {p.stem for p in Path(str(folder.__file__)).parent.glob("*.py")} - {"__init__"}
    assert set(exhibit_names()) == files
    assert not files & set(names())
    assert "exhibits" not in names()
    with pytest.raises(
        BoundkitError, match="unknown exhibit 'lecture_note_bound'; did you mean 'lecture_notes"
    ):
        exhibit("lecture_note_bound")


def test_the_printed_form_raises_and_the_review_holds_that_sentence() -> None:
    for shown in exhibits().values():
        with pytest.raises(DimensionError) as caught:
            shown.build(shown.printed)
        sentence = str(caught.value).removeprefix(f"theorem {shown.name}: ")
        assert sentence[1:] in shown.review(), shown.name
        assert shown.lost in shown.review(), shown.name
        assert shown.doubt in shown.review(), shown.name


def test_the_repaired_form_passes_and_a_change_of_units_leaves_it_true() -> None:
    for shown in exhibits().values():
        report = check(shown.build(shown.repaired))
        assert report.named("dimensions").outcome == "pass", shown.name
        scale = "not applicable" if shown.name in RULES else "pass"
        assert report.named("scale").outcome == scale, shown.name


def test_the_printed_form_changes_with_the_units() -> None:
    """By numbers, without the rules of dimensions: put behind the theorem's back, and scaled."""
    for shown in exhibits().values():
        theorem = shown.build(shown.repaired)
        if shown.printed.terms:
            object.__setattr__(theorem, "terms", shown.printed.terms)
        object.__setattr__(theorem, "step_size", shown.printed.conditions)
        for known in ("bound", "quantities"):  # of the theorem as it was
            vars(theorem).pop(known, None)
        wanted = "not applicable" if shown.name in RULES else "fail"
        assert check(theorem).named("scale").outcome == wanted, shown.name


def test_the_theorem_that_is_named_states_the_repaired_form() -> None:
    for shown in exhibits().values():
        if not shown.states:
            continue
        theorem = catalogue()[shown.states]
        assert theorem.algorithm == shown.algorithm, shown.name
        if shown.up_to:
            assert theorem.kind == shown.kind or theorem.kind == "order" or not shown.repaired.terms, (
                shown.name
            )
            continue
        if shown.repaired.terms:
            ours = shown.times * shown.build(shown.repaired).bound.total
            assert vanishes(ours - theorem.bound.total.subs(dict(shown.at), simultaneous=True)), shown.name
        for condition in shown.repaired.conditions:
            ratio = condition.lhs / condition.rhs
            assert any(vanishes(c.lhs / c.rhs - ratio) for c in theorem.step_size), condition


def test_most_exhibits_name_a_theorem() -> None:
    named = {shown.name: shown.states for shown in exhibits().values()}
    assert [name for name, theorem in named.items() if not theorem] == ["fedadagrad_variance"]


def test_it_is_told_in_words() -> None:
    for shown in exhibits().values():
        assert shown.prose, shown.name
        assert re.search(r"[a-z]{4,}", shown.lost), shown.name
        assert shown.review().endswith("."), shown.name
