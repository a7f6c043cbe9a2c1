"""What every theorem of the folder must say of itself."""

import copy
import os
import pickle
import subprocess
import sys

import pytest
from sympy import Expr

from boundkit.algebra import Quantity, Theorem
from boundkit.algebra.notation import ALPHABET
from boundkit.theorems import catalogue

EVERY = pytest.mark.parametrize("theorem", catalogue().values(), ids=lambda t: t.name)


@EVERY
def test_symbols_are_those_of_the_house(theorem: Theorem) -> None:
    for expr in (*(t.expr for t in theorem.terms), *theorem.step_size, *theorem.requires):
        assert expr.free_symbols <= set(ALPHABET.values())
    for meaning in theorem.source.renamed.values():
        assert isinstance(meaning, Expr)
        assert meaning.free_symbols
        assert all(isinstance(q, Quantity) for q in meaning.free_symbols)


@EVERY
def test_prose_is_complete(theorem: Theorem) -> None:
    assert theorem.prose
    assert "Proof" in theorem.prose
    for sentence in (*theorem.remarks, *theorem.errata):
        assert sentence.endswith(".")
        assert sentence[0].isupper() or sentence[0].isdigit() or sentence.startswith("tau")


@EVERY
def test_printed_forms_hold_every_letter_and_label(theorem: Theorem) -> None:
    shown, formula = repr(theorem), theorem._repr_latex_()
    assert formula.count("{") == formula.count("}")
    for label, term in theorem.bound.terms.items():
        assert rf"\text{{{label}}}" in formula
        assert label in shown
        for quantity in term.expr.free_symbols:
            assert quantity.name in shown
            assert quantity.latex in formula


@EVERY
def test_copies_and_pickles_are_equal(theorem: Theorem) -> None:
    for twin in (copy.deepcopy(theorem), pickle.loads(pickle.dumps(theorem))):
        assert twin == theorem
        assert hash(twin) == hash(theorem)
        assert twin.bound.total - theorem.bound.total == 0
        assert twin.source.renamed == theorem.source.renamed
        assert twin.prose == theorem.prose


def test_all_theorems_meet_themselves_in_another_process() -> None:
    script = (
        "import pickle, sys\n"
        "from boundkit.theorems import catalogue\n"
        "there = pickle.loads(sys.stdin.buffer.read())\n"
        "assert there == catalogue()\n"
        "for name, theorem in there.items():\n"
        "    assert theorem.bound.total - catalogue()[name].bound.total == 0\n"
    )
    subprocess.run(
        [sys.executable, "-c", script],
        input=pickle.dumps(catalogue()),
        env={**os.environ, "PYTHONPATH": os.pathsep.join(p for p in sys.path if p), "PYTHONHASHSEED": "3"},
        check=True,
    )


def test_each_has_a_title_of_its_own() -> None:
    titles = [theorem.title for theorem in catalogue().values()]
    assert len(set(titles)) == len(titles)
    assert all(title[0].isupper() and not title.endswith(".") and len(title) <= 80 for title in titles)


@EVERY
def test_what_is_recalled_says_so_and_only_that(theorem: Theorem) -> None:
    """A form that was neither read nor proved has the provenance for it, and no number beside it."""
    said = {t.provenance for t in theorem.terms}
    assert (theorem.kind == "order") == theorem.order_level
    if "recalled" in said:
        assert all(t.order_level for t in theorem.terms)
