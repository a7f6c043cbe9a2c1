import re
from collections.abc import Iterator
from html.parser import HTMLParser
from xml.etree import ElementTree

import pytest

import boundkit as bk
from boundkit.algebra.notation import eta
from boundkit.algebra.printing import Formula
from boundkit.analysis.predict import Prediction
from boundkit.report import Tex, sentence
from boundkit.report.html import html_table, notes
from tests.cases import each
from tests.notebooks.shown import EXAMPLES, FURTHER, PLAIN, contents, example
from tests.representatives import REPRESENTATIVES

NAMES = [*EXAMPLES, *FURTHER]
_NUMBER = re.compile(r"(?<![\w.^])-?\d+(?:\.\d+)?(?:e[-+]?\d+)?(?![\w^])")


class _Strict(HTMLParser):
    """Collects the text; complains of what a reader of HTML would have to guess."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.text: list[str] = []

    def handle_data(self, data: str) -> None:
        self.text.append(data)


def html_of(value: object) -> str | None:
    show = getattr(value, "_repr_html_", None)
    return None if show is None else show()


def read(html: str) -> str:
    """The text of HTML that must also be XML."""
    ElementTree.fromstring(f"<div>{html}</div>")
    parser = _Strict()
    parser.feed(html)
    parser.close()
    return " ".join(parser.text)


def formulas(text: str) -> Iterator[str]:
    yield from re.findall(r"\\\((.*?)\\\)", text, re.DOTALL)


def without_formulas(text: str) -> str:
    return re.sub(r"\\\((.*?)\\\)", " ", text, flags=re.DOTALL)


def numbers(text: str) -> set[float]:
    return {float(found) for found in _NUMBER.findall(text)}


def balanced(latex: str) -> None:
    assert latex.count("{") == latex.count("}")
    assert len(re.findall(r"\\left\b", latex)) == len(re.findall(r"\\right\b", latex))


def set_as_latex(latex: str) -> None:
    """Fails for braces that do not match, and for what another reader of LaTeX does not know."""
    balanced(latex)
    pytest.importorskip("latex2mathml", reason="a second reader of LaTeX is not installed")
    from boundkit.lecture.markdown import mathml

    ElementTree.fromstring(mathml(latex))


def test_every_public_name_has_an_example_or_a_reason() -> None:
    assert set(EXAMPLES) | set(PLAIN) == set(bk.__all__)
    assert not set(EXAMPLES) & set(PLAIN)


@each("name", NAMES)
def test_it_shows_itself_well_formed_and_set(name: str) -> None:
    value = example(name)
    html = html_of(value)
    if html is None:
        assert isinstance(value, bk.Theorem)
        set_as_latex(value._repr_latex_().strip("$"))
        return
    text = read(html)
    for formula in formulas(text):
        set_as_latex(formula)
    assert "color" not in html.replace("colour", "")
    assert "background" not in html
    assert "object at 0x" not in text


OF_OTHERS = {"Theorem", "theorem", "catalogue", "estimate"}
"""Formulas, and dicts: their terminal looks are of another kind."""


@each("name", [name for name in NAMES if name not in OF_OTHERS])
def test_the_page_and_the_terminal_hold_the_same_numbers(name: str) -> None:
    value = example(name)
    page, terminal = numbers(without_formulas(read(str(html_of(value))))), numbers(str(value))
    for number in page:
        near = [other for other in terminal if abs(other - number) <= 1e-5 * abs(number)]
        assert near, f"{number} is on the page only"


WHOLE = ["predict", "verify", "rounds_to", "tune", "compare", "diagnose", "objective", "simulate",
         "falsify", "ledger", "mutate", "worst_case", "reports on mutants"]  # fmt: skip


@each("name", WHOLE)
def test_no_number_of_the_terminal_is_lost(name: str) -> None:
    value = example(name)
    page = numbers(read(str(html_of(value))))
    lost = {x for x in numbers(str(value)) if x != int(x)} - page
    assert lost == set()


def test_estimates_and_the_catalogue_are_dicts_that_say_more() -> None:
    found, all_theorems = example("estimate"), example("catalogue")
    assert isinstance(found, dict)
    assert isinstance(all_theorems, dict)
    text = read(str(html_of(found)))
    for name, measured in found.items():
        assert name in text
        assert f"{measured.value:.6g}" in text
    listed = read(str(html_of(all_theorems)))
    assert all(name in listed and str(t.source) in listed for name, t in all_theorems.items())


def test_what_theorems_are_made_of_shows_itself() -> None:
    every = [bk.theorem(name) for name in REPRESENTATIVES]
    pieces = {id(piece): piece for theorem in every for piece in contents(theorem)}
    for piece in pieces.values():
        html = html_of(piece)
        if isinstance(piece, bk.Theorem):
            set_as_latex(piece._repr_latex_().strip("$"))
        elif html is None:
            balanced(piece._repr_latex_().strip("$"))  # type: ignore[attr-defined]  # a part of that
        else:
            for formula in formulas(read(html)):
                set_as_latex(formula)


def test_a_theorem_shows_causes_conditions_and_source() -> None:
    theorem = bk.theorem("fedavg_nonconvex_partial")
    shown = theorem._repr_latex_()
    for label in theorem.bound.terms:
        assert rf"\text{{{label}}}" in shown
    assert r"\eta \leq \frac{1}{8 L \tau}" in shown
    assert "Jhunjhunwala" in shown
    assert "2207.14130" in shown
    widest = max(len(row) for row in re.sub(r"\\[a-z]+|[{}]", "", shown).split("\\\\"))
    assert widest < 200


def test_text_is_escaped_and_formulas_are_not_taken_for_tags() -> None:
    page = html_table(
        ["<i>"], [["a & b <script>"], [Formula(eta < 1)], [sentence("if ", Tex("a<b", "a < b"))]]
    )
    assert read(page).split() == ["<i>", "a", "&", "b", "<script>", "\\(\\displaystyle", "\\eta", "<",
                                  "1\\)", "if", "\\(a<b\\)"]  # fmt: skip
    assert "<script>" not in page
    assert read(notes(["x < y"])) == "x < y"


def test_a_dimension_and_a_unit_are_said() -> None:
    prediction = example("predict")
    assert isinstance(prediction, Prediction)
    assert "[F]^2/[x]^2" in read(prediction.report(verbose=True).to_html())
    assert "seconds a round" in read(str(html_of(example("round_time"))))
