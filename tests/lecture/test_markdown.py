"""Markdown of a chapter as blocks: where each begins and ends, and mistakes in a directive."""

from xml.etree import ElementTree

import pytest

from boundkit.algebra import BoundkitError
from boundkit.algebra.printing import bound_latex, latex
from boundkit.lecture.markdown import Directive, Heading, blocks, cells, html, mathml, split_at_list
from boundkit.theorems import catalogue
from tests.cases import each

CHAPTER = r"""# A title

A question?

## A part with $\eta$

Prose.

    indented ::: code

:::{explorer} sgd_nonconvex
:title: A long
  title
:along: eta

Which $\eta$?

: no option
:::

::::{quiz}

:::{question}
Which?
:::

::::

The end.
"""


def test_blocks_are_headings_directives_and_the_prose_between() -> None:
    assert list(blocks(CHAPTER)) == [
        Heading(1, "A title"),
        "A question?",
        Heading(2, r"A part with $\eta$"),
        "Prose.\n\n    indented ::: code",
        Directive(
            "explorer", "sgd_nonconvex", {"title": "A long title", "along": "eta"},
            "Which $\\eta$?\n\n: no option",
        ),
        Directive("quiz", "", {}, ":::{question}\nWhich?\n:::"),
        "The end.",
    ]  # fmt: skip


def test_items_keep_their_paragraphs_and_formulas() -> None:
    text = "Task.\n\n1. First:\n\n   $$x\n   = 1$$\n2. Second\n   line.\n   - nested\n\n$x = 1$"
    assert split_at_list(text) == ("Task.", ("First:\n\n$$x\n= 1$$", "Second\nline.\n- nested"), "$x = 1$")
    with pytest.raises(BoundkitError, match="holds no list"):
        split_at_list("Only prose.")


def test_the_bar_of_a_norm_stays_in_its_cell() -> None:
    caption, rows = cells("Of $\\|x\\|$.\n\n| | b |\n|---|---|\n| $\\\\|x\\\\|$ | 2 |")
    assert caption == "Of $\\|x\\|$."
    assert rows == [("", "b"), ("$\\|x\\|$", "2")]


@each("head", ["theorem", "{theorem", "{The Orem}", ""])
def test_a_fence_without_a_name_in_braces_is_refused(head: str) -> None:
    with pytest.raises(BoundkitError, match="is no directive"):
        list(blocks(f":::{head}\n:::"))


def test_html_of_an_author_is_shown_and_not_executed() -> None:
    assert "<script>" not in html("<script>alert(1)</script>")


SPACE = "{http://www.w3.org/1998/Math/MathML}"


@each("name", catalogue())
def test_every_theorem_is_well_formed_and_keeps_its_latex(name: str) -> None:
    theorem = catalogue()[name]
    bound = bound_latex(theorem.claim, theorem.bound.terms, kind=theorem.kind)
    for formula in (bound, theorem.claim.latex, *map(latex, theorem.step_size)):
        tree = ElementTree.fromstring(mathml(formula, display=True))
        assert tree.get("display") == "block"
        assert tree.findtext(f".//{SPACE}annotation") == formula
    labels = {text.replace("\N{NBSP}", " ") for text in ElementTree.fromstring(mathml(bound)).itertext()}
    assert {t.label for t in theorem.terms} <= labels


@each("formula", ["", r"\left(a", "a_", "x^2^3"])
def test_a_formula_that_cannot_be_read_is_refused(formula: str) -> None:
    with pytest.raises(BoundkitError, match="no formula"):
        mathml(formula)


def test_an_unknown_command_is_named() -> None:
    with pytest.raises(BoundkitError, match=r"\\unknown in"):
        mathml(r"\unknown x")
