"""What every theorem of the folder must say of itself."""

import copy
import os
import pickle
import re
import subprocess
import sys

import pytest
from sympy import Expr, Float

from boundkit.algebra import PROVENANCES, Quantity, Theorem, dimension_of
from boundkit.algebra.notation import ALPHABET, units_of
from boundkit.theorems import catalogue

EVERY = pytest.mark.parametrize("theorem", catalogue().values(), ids=lambda t: t.name)


@EVERY
def test_terms_have_the_dimension_of_the_claim(theorem: Theorem) -> None:
    for term in theorem.terms:
        assert dimension_of(term.expr, units_of(term.expr)) == theorem.claim.dimension


@EVERY
def test_terms_say_where_they_come_from_and_why(theorem: Theorem) -> None:
    for term in theorem.terms:
        assert term.provenance in PROVENANCES
        assert re.search(r"[a-z]{3,}.* ", term.because), "a reason has words"


@EVERY
def test_arithmetic_in_the_reasons_is_right(theorem: Theorem) -> None:
    for term in theorem.terms:
        for value, product in re.findall(r"(?<!\S)(\d+(?:/\d+)?) = ([\d/ ()+]+?)(?=[,:;]|$)", term.because):
            factors = re.sub(r"(?<=[\d)]) (?=[\d(])", " * ", product.strip())
            assert re.fullmatch(r"[\d/*+() ]+", factors)
            assert eval(factors) == pytest.approx(eval(value), rel=1e-12), (
                f"{term.label}: {value} = {product}"
            )


@EVERY
def test_fractions_stay_fractions(theorem: Theorem) -> None:
    for expr in (*(t.expr for t in theorem.terms), *theorem.step_size, *theorem.requires):
        assert not expr.atoms(Float)


@EVERY
def test_symbols_are_those_of_the_house(theorem: Theorem) -> None:
    for expr in (*(t.expr for t in theorem.terms), *theorem.step_size, *theorem.requires):
        assert expr.free_symbols <= set(ALPHABET.values())
    for meaning in theorem.source.renamed.values():
        assert isinstance(meaning, Expr)
        assert meaning.free_symbols
        assert all(isinstance(q, Quantity) for q in meaning.free_symbols)


@EVERY
def test_prose_and_source_are_complete(theorem: Theorem) -> None:
    assert theorem.prose
    assert "Proof" in theorem.prose
    source = theorem.source
    assert source.authors
    assert source.title
    assert source.where
    assert re.fullmatch(r"\d{4}\.\d{4,5}", source.arxiv)
    assert 1950 <= source.year <= 2030
    for sentence in (*theorem.remarks, *theorem.errata):
        assert sentence.endswith(".")
        assert sentence[0].isupper() or sentence[0].isdigit() or sentence.startswith("tau")


@EVERY
def test_assumptions_are_named_once(theorem: Theorem) -> None:
    names = [a.name for a in theorem.assumptions]
    assert len(names) == len(set(names))
    assert {"smooth", "bounded-noise"} <= set(names)


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
