"""Prose with formulas: typed formulas as LaTeX, and the proof apart from the reading."""

import re

import pytest

from boundkit.algebra import BoundkitError
from boundkit.algebra.prose import FORMULA, formula_latex, paragraphs, plain_prose, split_proof
from boundkit.lecture.markdown import mathml
from boundkit.theorems import catalogue
from tests.cases import each

WRITTEN = {
    "E||grad F_i - h_i||^2 <= 1/2 L^2 X_i": (
        r"\mathbb{E}\, \|\nabla F_i - h_i\|^{2} \le \tfrac{1}{2} L^{2} X_i"
    ),
    "<a, b> <= E<a, c>": r"\langle a , b\rangle \le \mathbb{E}\, \langle a , c\rangle",
    "-<a, b> + sum_{s<k} Q_s": r"- \langle a , b\rangle + \sum_{s < k} Q_s",
    "E r+^2 >= x* - F_k*": r"\mathbb{E}\, (r^{+})^{2} \ge x^{*} - F_k^{*}",
    "sqrt(m/(tau T))/L": r"\sqrt{m / (\tau T)} / L",
    "b/(2 sqrt 3)": r"b / (2 \sqrt{3})",
    "M^(3/2)/(8m)": r"M^{3/2} / (8 m)",
    "max{gamma D^2, 8 c}": r"\max \{\gamma D^{2} , 8 c\}",
    "E||.||^2": r"\mathbb{E}\, \|\cdot\|^{2}",
    "E_r + rho_bar + mu'": r"E_r + \bar{\rho} + \mu'",
    "2 3": r"2 \cdot 3",
    "12*eta^2*(tau - 1)": r"12 \, \eta^{2} \, (\tau - 1)",
    "||x_{t+1} - xt||": r"\|x_{t + 1} - \tilde{x}\|",
}


@each("typed", WRITTEN)
def test_a_typed_formula_is_written_as_latex(typed: str) -> None:
    assert formula_latex(typed) == WRITTEN[typed]


@each(
    ("typed", "names"),
    [
        ("the gap", "'the'"),
        ("(a + b", "')'"),
        ("||x", "'||'"),
        ("a # b", "'#'"),
        ("a)", "')'"),
        ("x^", "ends"),
    ],
)
def test_what_is_no_formula_is_refused_with_the_reason(typed: str, names: str) -> None:
    with pytest.raises(BoundkitError, match=re.escape(names)):
        formula_latex(typed)


def test_every_formula_of_the_catalogue_can_be_set() -> None:
    """An odd dollar would turn the words between two formulas into a formula."""
    unset = []
    for name, theorem in catalogue().items():
        prose = theorem.prose or ""
        assert prose.count("$") % 2 == 0, name
        assert "$" not in plain_prose(prose), name
        for typed in FORMULA.findall(prose):
            try:
                mathml(formula_latex(typed))
            except BoundkitError as error:
                unset.append(f"{name}: {error}")
    assert unset == []


def test_a_proof_is_apart_and_its_steps_are_paragraphs() -> None:
    reading, proof = split_proof(
        "A bound.\n\nTwo terms,\neach small.\n\nProof. First\n(i) one\nline\n(ii) two"
    )
    assert paragraphs(reading) == ["A bound.", "Two terms, each small."]
    assert paragraphs(proof) == ["Proof. First", "(i) one line", "(ii) two"]
    assert split_proof(None) == split_proof("") == ("", "")
    assert split_proof("Proof. Alone.") == ("", "Proof. Alone.")
    assert split_proof("It needs no\nProofreading.") == ("It needs no\nProofreading.", "")
