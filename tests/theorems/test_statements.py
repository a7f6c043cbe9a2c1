"""What every theorem of the folder must say of itself, and the recorded statement of each.

``statements.txt`` holds the formulas of all theorems as they were checked against the theory: by constants
written out by hand, by exact runs, and most by a proof that a machine checks. After a change of a theorem:
``UPDATE_STATEMENTS=1 pytest tests/theorems/test_statements.py``, and read the difference.
"""

import copy
import os
import pickle
import subprocess
import sys
from pathlib import Path

from sympy import Expr

from boundkit.algebra import Quantity, Theorem
from boundkit.algebra.notation import ALPHABET
from boundkit.theorems import catalogue
from boundkit.theorems.catalogue import MACHINE_CHECKED, proof_status

SOME = ("fedavg_nonconvex_partial", "fednova_nonconvex", "cyclic_pl_tuned", "adacomm_nonconvex")
"""With sums over clients and rounds, with rules, with conditions on several letters."""
GOLDEN = Path(__file__).with_name("statements.txt")


def recorded_form(theorem: Theorem) -> str:
    """The statement: claim and assumptions, terms with their provenance, conditions, and definitions."""
    assumed = ", ".join(sorted(assumption.name for assumption in theorem.assumptions))
    lines = [theorem.name, f"{theorem.kind} of {theorem.claim.name}, {theorem.algorithm}: {assumed}"]
    lines += [f"{term.label} = {term.expr}  ({term.provenance})" for term in theorem.terms]
    lines += [f"step: {condition}" for condition in theorem.step_size]
    lines += [f"requires: {condition}" for condition in theorem.requires]
    lines += [f"with {letter} = {expr}" for letter, expr in theorem.definitions.items()]
    lines += [f"rule {letter} = {expr}" for letter, expr in theorem.rules.items()]
    return "\n".join(lines)


def test_statements_are_the_recorded_ones() -> None:
    stated = {name: recorded_form(theorem) for name, theorem in catalogue().items()}
    if os.environ.get("UPDATE_STATEMENTS"):
        GOLDEN.write_text("\n\n".join(stated.values()) + "\n", encoding="utf-8")
    recorded = {
        form.partition("\n")[0]: form for form in GOLDEN.read_text(encoding="utf-8").strip().split("\n\n")
    }
    assert list(stated) == list(recorded)
    for name, form in stated.items():
        assert form.split("\n") == recorded[name].split("\n"), name


def test_symbols_are_those_of_the_house() -> None:
    for theorem in catalogue().values():
        for expr in (*(t.expr for t in theorem.terms), *theorem.step_size, *theorem.requires):
            assert expr.free_symbols <= set(ALPHABET.values()), theorem.name
        for meaning in theorem.source.renamed.values():
            assert isinstance(meaning, Expr), theorem.name
            assert meaning.free_symbols, theorem.name
            assert all(isinstance(q, Quantity) for q in meaning.free_symbols), theorem.name


def test_prose_is_complete() -> None:
    for theorem in catalogue().values():
        assert theorem.prose, theorem.name
        assert ("Proof" in theorem.prose) or proof_status(theorem) == MACHINE_CHECKED, theorem.name
        for sentence in theorem.remarks:
            assert sentence.endswith("."), theorem.name
            assert sentence[0].isupper() or sentence[0].isdigit() or sentence.startswith("tau"), theorem.name


def test_printed_forms_hold_every_letter_and_label() -> None:
    for theorem in catalogue().values():
        shown, formula = repr(theorem), theorem._repr_latex_()
        assert formula.count("{") == formula.count("}"), theorem.name
        for label, term in theorem.bound.terms.items():
            assert rf"\text{{{label}}}" in formula, theorem.name
            assert label in shown, theorem.name
            for quantity in term.expr.free_symbols:
                assert quantity.name in shown, theorem.name
                assert quantity.latex in formula, theorem.name


def test_copies_and_pickles_are_equal() -> None:
    for theorem in catalogue().values():
        for twin in (copy.deepcopy(theorem), pickle.loads(pickle.dumps(theorem))):
            assert twin == theorem, theorem.name
            assert hash(twin) == hash(theorem), theorem.name
            assert twin.bound.total - theorem.bound.total == 0, theorem.name
            assert twin.source.renamed == theorem.source.renamed, theorem.name
            assert twin.prose == theorem.prose, theorem.name


def test_theorems_meet_themselves_in_another_process_with_other_hashes() -> None:
    script = (
        "import pickle, sys\n"
        "from boundkit.theorems import theorem\n"
        "for there in pickle.loads(sys.stdin.buffer.read()):\n"
        "    here = theorem(there.name)\n"
        "    assert there == here\n"
        "    assert there.bound.total - here.bound.total == 0\n"
    )
    subprocess.run(
        [sys.executable, "-c", script],
        input=pickle.dumps([catalogue()[name] for name in SOME]),
        env={**os.environ, "PYTHONPATH": os.pathsep.join(p for p in sys.path if p), "PYTHONHASHSEED": "3"},
        check=True,
    )


def test_each_has_a_title_of_its_own() -> None:
    titles = [theorem.title for theorem in catalogue().values()]
    assert len(set(titles)) == len(titles)
    assert all(title[0].isupper() and not title.endswith(".") and len(title) <= 80 for title in titles)


def test_what_is_recalled_says_so_and_only_that() -> None:
    """A form that was neither read nor proved has the provenance for it, and no number beside it."""
    for theorem in catalogue().values():
        said = {t.provenance for t in theorem.terms}
        assert (theorem.kind == "order") == theorem.order_level, theorem.name
        if "recalled" in said:
            assert all(t.order_level for t in theorem.terms), theorem.name
