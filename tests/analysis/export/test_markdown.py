"""Export as Markdown, and what all formats have in common."""

import re

import pytest

from boundkit.algebra import BoundkitError
from boundkit.analysis.export import FORMATS, export
from boundkit.proofs.printing import theorem_page
from boundkit.theorems import theorem
from tests.cases import each
from tests.representatives import representatives


@each("name", representatives())
def test_pages_hold_terms_symbols_and_source(name: str) -> None:
    statement, text = theorem(name), theorem_page(theorem(name))
    assert text.startswith(f"# {statement.title}\n")
    assert f"`{name}`" in text.splitlines()[2]
    headings = re.findall(r"^## (.+)$", text, re.MULTILINE)
    assert headings[:2] == ["How to read it", "Conditions"]
    assert text.index("\\underbrace") < text.index("## How to read it")
    assert text.index("\\underbrace") < text.index("<summary>Proof") < text.index("## How to read it")
    assert text.count("<details>") == text.count("</details>") == 1
    assert text.count("$$") % 2 == 0
    assert text.count("\\underbrace") == len(statement.terms)
    needed = [f"| {term.label}" for term in statement.terms]
    needed += [f"`{quantity.name}`" for quantity in statement.quantities]
    needed += [statement.source.arxiv, statement.source.key]
    assert [part for part in needed if part not in text] == []
    table = text.split("## How to read it")[1].split("## ")[0]
    for term in statement.terms:
        row = next(line for line in table.splitlines() if line.startswith(f"| {term.label} "))
        assert f"| {term.provenance} |" in row
        assert term.label == term.cause or f"({term.cause}) |" in row
    rows = [line for line in text.splitlines() if line.startswith("| ")]
    assert {len(re.findall(r"(?<!\\)\|", row)) for row in rows} <= {4, 5}


@each("form", FORMATS)
@each("name", representatives())
def test_every_format_has_balanced_braces(form: str, name: str) -> None:
    text = export(theorem(name), form)
    assert text.strip()
    assert text.count("{") == text.count("}")


def test_unknown_format_names_a_near_one() -> None:
    with pytest.raises(BoundkitError, match="unknown format 'markdwn'; did you mean 'markdown'"):
        export(theorem("sgd_nonconvex"), "markdwn")
