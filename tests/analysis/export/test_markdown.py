"""Export as Markdown, and what all formats have in common."""

import re

import pytest

from boundkit.algebra import BoundkitError
from boundkit.analysis.export import FORMATS, export
from boundkit.theorems import catalogue, theorem
from tests.representatives import representatives


def test_pages_hold_terms_symbols_and_source() -> None:
    for name, statement in catalogue().items():
        text = export(statement, "markdown")
        assert text.startswith(f"# {name}\n")
        assert text.count("$$") % 2 == 0, name
        assert text.count("\\underbrace") == len(statement.terms), name
        needed = [f"| {term.label} | {term.cause} | {term.provenance} |" for term in statement.terms]
        needed += [f"`{quantity.name}`" for quantity in statement.quantities]
        missing = [
            part for part in (*needed, statement.source.arxiv, statement.source.key) if part not in text
        ]
        assert missing == [], name
        rows = [line for line in text.splitlines() if line.startswith("| ")]
        assert all(len(re.findall(r"(?<!\\)\|", row)) == 5 for row in rows), name


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("name", representatives())
def test_every_format_has_balanced_braces(form: str, name: str) -> None:
    text = export(theorem(name), form)
    assert text.strip()
    assert text.count("{") == text.count("}")


def test_unknown_format_names_a_near_one() -> None:
    with pytest.raises(BoundkitError, match="unknown format 'markdwn'; did you mean 'markdown'"):
        export(theorem("sgd_nonconvex"), "markdwn")
