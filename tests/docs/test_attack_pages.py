"""The pages about breaking say what their records hold: every theorem, every term, every mutant."""

import re
from pathlib import Path

import pytest

from boundkit.theorems import catalogue
from tests.docs.shown import agrees, consoles
from tests.docs.site import DOCS, page, site
from tests.test_readme import desk, environment
from tests.warm import warm

__all__ = ["desk"]


@pytest.fixture
def atlas(monkeypatch: pytest.MonkeyPatch) -> str:
    module = site("atlas")
    monkeypatch.setattr(module, "picture", lambda name, *words: site("pictures").ROOT / f"{name}.png")
    return str(module.text())


def test_the_atlas_has_every_theorem_and_every_term(atlas: str) -> None:
    assert "(../atlas.png)" in atlas
    bounds, terms = atlas.split("## Terms")
    for name, statement in catalogue().items():
        link = f"[{name}](theorems/{name}.md)"
        assert link in bounds
        for cause in {term.cause for term in statement.terms} if statement.kind != "order" else ():
            part = terms.split(f"### {cause[0].upper()}{cause[1:]}\n")[1].split("### ")[0]
            assert link in part


def test_how_tight_speaks_of_every_term_and_links_to_the_atlas() -> None:
    for name, statement in catalogue().items():
        said = site("atlas").section(name)
        if statement.kind == "order":
            assert said == ""
        else:
            assert said.startswith("## How tight\n")
            assert "](../atlas.md)" in said
            alone = len(statement.terms) == 1
            assert alone or all(f"| {label} |" in said for label in statement.bound.terms)


def test_the_mutants_of_the_page_add_up() -> None:
    text, every = site("mutants").text(), site("mutants").rows("theorems")
    total = sum(row["mutants"] for row in every)
    assert text.startswith(f"{total} mutants of {len({row['theorem'] for row in every})} theorems: ")
    assert re.search(rf"^\| all \| {total} \|", text, re.M)
    for row in every:
        assert f"(theorems/{row['theorem']}.md)" in text
    for row in site("mutants").rows("survivors"):
        assert site("markdown").plain(row["what"]) in text


@pytest.mark.slow
def test_the_commands_of_the_page_print_what_is_shown(desk: Path) -> None:
    """The other pages run their examples in test_examples; these search, and take seconds each."""
    shown = consoles(page("breaking"))
    assert shown
    with warm(desk, environment(desk), "torch", "matplotlib.figure") as boundkit:
        for one in shown:
            code, said = boundkit(one.command)
            assert code == 0, said
            assert agrees(one.output, said), said


def test_the_pages_link_to_each_other() -> None:
    breaking = (DOCS / "breaking.md").read_text(encoding="utf-8")
    assert "(atlas.md)" in breaking
    assert "(#mutants-of-the-catalogue)" in breaking
    assert "(breaking.md" in (DOCS / "atlas.md").read_text(encoding="utf-8")
