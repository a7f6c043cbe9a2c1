"""Pages for readers, and the pages of docs/, which are printed from the catalogue."""

import re
import runpy
from pathlib import Path

import pytest

from boundkit.algebra import BoundkitError
from boundkit.analysis.export import FORMATS, export
from boundkit.theorems import catalogue, theorem
from tests.representatives import representatives

PAGES = Path(__file__).resolve().parents[3] / "docs" / "theorems"


def test_pages_of_the_docs_are_in_step() -> None:
    """Stale? make pages."""
    expected = runpy.run_path(str(PAGES.parent / "pages.py"))["theorem_pages"]()
    assert {path.name for path in PAGES.iterdir()} == set(expected)
    stale = [name for name, text in expected.items() if (PAGES / name).read_text(encoding="utf-8") != text]
    assert stale == []


def test_every_page_with_constants_says_how_tight_they_are() -> None:
    for name, statement in catalogue().items():
        text = (PAGES / f"{name}.md").read_text(encoding="utf-8")
        assert ("## How tight" in text) is (statement.kind != "order"), name
        assert len(re.findall(r"^## Assumptions$", text, re.M)) == 1


@pytest.mark.parametrize("name", catalogue())
def test_page_holds_what_a_reader_needs(name: str) -> None:
    statement, text = theorem(name), export(theorem(name), "markdown")
    assert text.startswith(f"# {name}\n")
    assert text.count("$$") % 2 == 0
    assert text.count("\\underbrace") == len(statement.terms)
    for term in statement.terms:
        assert f"| {term.label} | {term.cause} | {term.provenance} |" in text
    for quantity in statement.quantities:
        assert f"`{quantity.name}`" in text
    assert statement.source.arxiv in text
    assert statement.source.key in text
    rows = [line for line in text.splitlines() if line.startswith("| ")]
    assert all(len(re.findall(r"(?<!\\)\|", row)) == 5 for row in rows)


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("name", representatives())
def test_every_format_has_balanced_braces(form: str, name: str) -> None:
    text = export(theorem(name), form)
    assert text.strip()
    assert text.count("{") == text.count("}")


def test_unknown_format_names_a_near_one() -> None:
    with pytest.raises(BoundkitError, match="unknown format 'markdwn'; did you mean 'markdown'"):
        export(theorem("sgd_nonconvex"), "markdwn")
