"""Chapters: their Markdown, and the parts that it becomes."""

from xml.etree import ElementTree

import numpy as np
import pytest

from boundkit.algebra import BoundkitError
from boundkit.algebra.printing import bound_latex, latex
from boundkit.lecture.chapter_parser import parse_chapter
from boundkit.lecture.markdown import Directive, MarkdownHeading, blocks, cells, html, mathml, split_at_list
from boundkit.lecture.parts import (
    Exercises,
    Explorer,
    Figure,
    Limitations,
    Objectives,
    Part,
    Prose,
    Question,
    Quiz,
    Simulation,
    Slider,
    Statement,
    Table,
)
from boundkit.lecture.worked_examples import draw_examples
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
        MarkdownHeading(1, "A title"),
        "A question?",
        MarkdownHeading(2, r"A part with $\eta$"),
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


HEAD = "# Title\n\nA question?\n\n"


def parsed(text: str, slug: str = "setting") -> Part:
    (part,) = parse_chapter(HEAD + text, slug).parts
    return part


def test_head_prose_and_references() -> None:
    chapter = parse_chapter(
        f"{HEAD}An opening.\n\n## A part\n\nText.\n\n## Another\n\n"
        ":::{theorem} sgd_nonconvex\nLead.\n:::\n\n"
        "After.\n\n:::{references}\n- BOTTOU_2018: Section 4\n:::\n",
        "x",
    )
    assert (chapter.slug, chapter.title, chapter.question) == ("x", "Title", "A question?")
    assert chapter.parts == (
        Prose("An opening."), Prose("Text.", "A part"), Prose("", "Another"),
        Statement("sgd_nonconvex", "Lead."), Prose("After."),
    )  # fmt: skip
    assert [(s.year, s.where) for s in chapter.sources] == [(2018, "Section 4")]


def test_directives_become_parts() -> None:
    assert parsed(":::{table}\nCaption.\n\n| a | b |\n|--|--|\n| 1 | 2 |\n:::") == Table(
        "Caption.", ("a", "b"), (("1", "2"),)
    )
    assert parsed(":::{simulation} two_clients\nLead.\n:::") == Simulation("two_clients", "Lead.")
    assert parsed(":::{figure} regimes\n:arguments: a b=1\n:alt: A map.\n\nLead.\n:::") == Figure(
        "regimes", ("a", "b=1"), "Lead.", "A map."
    )
    assert parsed(":::{limitations}\n- One.\n- Two.\n:::") == Limitations(("One.", "Two."))
    assert parsed(
        ":::{explorer} fednova_nonconvex\n:title: T\n:along: eta\n:sliders: eta=1e-4:1/10 m=1:9:linear\n"
        ":values: tau_i=2,5 m=2 kappa=0.5\n\nWhy?\n:::"
    ) == Explorer(
        "fednova_nonconvex", "T", (Slider("eta", 1e-4, 0.1), Slider("m", 1, 9, log=False)), "eta",
        {"tau_i": [2, 5], "m": 2, "kappa": 0.5}, "Why?",
    )  # fmt: skip
    objectives = parsed("::::{objectives}\n:::{objective} Fair\n:source: LI_2020_FAIR: q\n\n$$x$$\n:::\n::::")
    assert isinstance(objectives, Objectives)
    assert [(o.name, o.text, o.source.where) for o in objectives.objectives] == [("Fair", "$$x$$", "q")]


def test_questions_are_given_or_derived() -> None:
    quiz = parsed(
        "::::{quiz}\n:::{question}\nWhich?\n\n- [ ] a\n- [x] b\n\nBecause.\n:::\n"
        ":::{effect} sgd_nonconvex\n:quantity: m\n:reading: best eta\n\nMore\n\nBecause.\n:::\n"
        ":::{dominant-term} sgd_nonconvex\n:values: eta=1e-6 T=10 m=10 L=1 sigma=1 gap=1\n\nWhich?\n\n"
        "So.\n:::\n:::{largest-bound} sgd_nonconvex\n:values: T=10 m=10 L=1 sigma=1 gap=1\n\nWhich?\n\n"
        "- a {eta=0.01}\n- $\\frac{1}{2}$ {eta=0.001}\n- half {eta=0.001 divisor=2}\n\nSo.\n:::\n::::"
    )
    assert isinstance(quiz, Quiz)
    given, effect, dominant, largest = quiz.make()
    assert given == Question("Which?", ("a", "b"), 1, "Because.")
    assert effect.ask == "More, with the best step size each time. What does the bound `sgd_nonconvex` do?"
    assert effect.choices[effect.right] == "The bound falls, or stays."
    assert dominant.choices[dominant.right] == "The initial gap."
    assert largest.choices == ("a", r"$\frac{1}{2}$", "half")
    assert largest.right == 1
    assert (effect.derived, dominant.derived, largest.derived) == (True, True, True)


def test_an_exercise_has_a_task_steps_and_an_answer() -> None:
    part = parsed(
        "::::{exercises}\n:::{exercise} Steps\n:numbers: local_steps\n\n$E = {{ E }}$?\n\n"
        "{% for k in tau %}\n1. ${{ k }}$\n{% endfor %}\n\n$x = {{ mean }}$\n:::\n::::"
    )
    assert isinstance(part, Exercises)
    (exercise,) = part.exercises
    worked = exercise.make(np.random.default_rng(0))
    assert worked.task in ("$E = 1$?", "$E = 2$?", "$E = 5$?")
    assert len(worked.steps) == 3
    assert worked.answer.startswith("$x = ")
    assert len(draw_examples(exercise)) > 1


@each(
    ("text", "message"),
    [
        (":::{teorem} sgd_nonconvex\n:::", "unknown directive 'teorem'; did you mean 'theorem'?"),
        (":::{figure} regimes\n:altt: x\n:::", "unknown option of the directive figure 'altt'"),
        (":::{figure} regimes\n:::", "the directive figure regimes needs a line :alt:"),
        (
            ":::{references}\n- BOTTOU_2081: x\n:::",
            "unknown paper 'BOTTOU_2081'; did you mean 'BOTTOU_2018'?",
        ),
        ("::::{quiz}\nProse.\n::::", "quiz takes only question"),
        ("::::{exercises}\n:::{exercise} X\n:numbers: steps\n:::\n::::", "unknown exercise 'steps'"),
        (
            "::::{exercises}\n:::{exercise} X\n:number: local_steps\n:::\n::::",
            "unknown option of the directive",
        ),
    ],
)
def test_a_mistake_is_named(text: str, message: str) -> None:
    with pytest.raises(BoundkitError) as raised:
        parse_chapter(HEAD + text, "setting")
    assert message in str(raised.value)
