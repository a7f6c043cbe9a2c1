"""LaTeX of the whole catalogue as MathML."""

from xml.etree import ElementTree

import pytest

from boundkit.algebra import BoundkitError
from boundkit.algebra.printing import bound_latex, latex
from boundkit.lecture.mathml import mathml
from boundkit.theorems import catalogue

SPACE = "{http://www.w3.org/1998/Math/MathML}"


@pytest.mark.parametrize("name", catalogue())
def test_every_theorem_is_well_formed_and_keeps_its_latex(name: str) -> None:
    theorem = catalogue()[name]
    bound = bound_latex(theorem.claim, theorem.bound.terms, kind=theorem.kind)
    for formula in (bound, theorem.claim.latex, *map(latex, theorem.step_size)):
        tree = ElementTree.fromstring(mathml(formula, display=True))
        assert tree.get("display") == "block"
        assert tree.findtext(f".//{SPACE}annotation") == formula
    labels = {text.replace("\N{NBSP}", " ") for text in ElementTree.fromstring(mathml(bound)).itertext()}
    assert {t.label for t in theorem.terms} <= labels


@pytest.mark.parametrize("formula", ["", r"\left(a", "a_", "x^2^3"])
def test_a_formula_that_cannot_be_read_is_refused(formula: str) -> None:
    with pytest.raises(BoundkitError, match="no formula"):
        mathml(formula)


def test_an_unknown_command_is_named() -> None:
    with pytest.raises(BoundkitError, match=r"\\unknown in"):
        mathml(r"\unknown x")
