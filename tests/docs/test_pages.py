"""The site has every theorem, command, figure, erratum, public name and mutant."""

import inspect
import re
from functools import cache
from pathlib import Path

import pytest

import boundkit
from boundkit.algebra.notation import ALPHABET, VECTORS
from boundkit.analysis.lattice import LATTICE
from boundkit.cli.commands import COMMANDS
from boundkit.cli.known_constants import known_constants
from boundkit.figures.gallery import GALLERY
from boundkit.lecture.chapters import chapters
from boundkit.studies.demonstration_records import read_demonstration
from boundkit.theorems import catalogue, names
from boundkit.theorems.errata import errata
from tests.docs.shown import agrees, consoles
from tests.docs.site import DOCS, page, site
from tests.representatives import REPRESENTATIVES
from tests.test_readme import desk, environment
from tests.warm import warm

PAGES = sorted(file.stem for file in DOCS.glob("*.md"))


@cache
def theorem_pages() -> dict[str, str]:
    """The pages of some theorems."""
    return {name: site("theorem_pages").page(catalogue()[name]) for name in REPRESENTATIVES[::6]}


def entries(markdown: str) -> list[str]:
    """What the toctrees of a page name."""
    trees = re.findall(r"```\{toctree\}\n(.*?)```", markdown, re.S)
    return [line for tree in trees for line in tree.splitlines() if line and not line.startswith(":")]


def test_every_mark_is_filled_and_everything_generated_has_a_mark() -> None:
    fill = site("fill")
    marks = [mark for name in PAGES for mark in fill.MARK.findall(page(name))]
    assert sorted(marks) == sorted(fill.generated())


def test_every_theorem_stands_under_one_setting() -> None:
    grouped = site("catalogue").by_setting()
    assert all(grouped.values()), "a setting without theorems"
    assert sorted(t.name for group in grouped.values() for t in group) == sorted(names())
    assert sorted(entries(site("catalogue").text())) == sorted(f"theorems/{name}" for name in names())


def test_every_letter_and_every_assumption_has_a_row() -> None:
    letters, assumptions = site("notation").text(), site("assumptions").text()
    assert all(f"| `{name}` |" in letters for name in (*ALPHABET, *VECTORS))
    known = {a.name for t in catalogue().values() for a in t.assumptions}
    assert all(f"| **{name}** |" in assumptions for name in known)
    told = sum(map(len, (LATTICE.implications, LATTICE.refutations, LATTICE.conflicts)))
    assert assumptions.count("\n- ") >= told


def test_every_chapter_of_the_lecture_has_a_row() -> None:
    rows = site("chapters").text().splitlines()[2:]
    assert [row.split("`")[1] for row in rows] == [chapter.slug for chapter in chapters()]


def test_every_command_has_every_option() -> None:
    text = site("commands").text()
    sections = dict(
        zip(re.findall(r"^## (.+)$", text, re.M), re.split(r"^## .+$", text, flags=re.M)[1:], strict=True)
    )
    assert list(sections) == list(COMMANDS)
    for name, parser in site("commands").parsers().items():
        for parameter in parser.params:
            shown = parameter.param_type_name == "option" and not getattr(parameter, "hidden", False)
            for option in parameter.opts if shown else ():
                assert f"`{option}" in sections[name] or f", {option}" in sections[name]


def test_every_figure_is_shown_with_its_command(monkeypatch: pytest.MonkeyPatch) -> None:
    examples = site("examples")
    monkeypatch.setattr(examples, "picture", lambda name, *words: site("pictures").ROOT / f"{name}.png")
    text = examples.text()
    for name in GALLERY:
        assert f"## {name}\n" in text
        assert f"(../{name}.png)" in text
        for line in examples.commands(name):
            assert f"$ {line}\n" in text


def test_the_kept_records_can_be_read_and_bear_their_names() -> None:
    kept = sorted(site("pictures").RECORDS.iterdir())
    assert kept
    assert [read_demonstration(file).name for file in kept] == [file.stem for file in kept]


def test_every_public_name_has_an_entry() -> None:
    text = site("python").text()
    for name in boundkit.__all__:
        assert re.search(rf"^\.\. auto\w+:: boundkit\.(\w+\.)*{name}$", text, re.M), name


def test_every_class_that_a_user_receives_has_an_entry() -> None:
    python = site("python")
    text = python.text() + python.values()
    for name in boundkit.__all__:
        value = python.home(name)
        if not inspect.isclass(value):
            for made in python.named_in(value, "return"):
                assert (
                    f"{made.__module__}.{made.__qualname__}\n" in text
                    or f"boundkit.{made.__name__}\n" in text
                )
    assert {"Verdict", "Prediction", "Run", "Term"} <= {c.__name__ for c in python.anchors()}


def test_the_page_of_errata_has_every_erratum_and_its_theorems() -> None:
    text, plain = site("errata").text(), site("markdown").plain
    for erratum in errata().values():
        assert plain(erratum.reason) in text
        assert plain(erratum.consequence) in text
        for name in erratum.theorems:
            assert f"theorems/{name}.md" in text


def test_pages_of_theorems_are_written_and_others_removed(tmp_path: Path) -> None:
    pages = site("theorem_pages")
    some = {
        name: catalogue()[name] for name in ("sgd_nonconvex", "fedavg_nonconvex_partial", "fedadam_nonconvex")
    }
    (tmp_path / "gone.md").write_text("# gone\n", encoding="utf-8")
    pages.write_pages(some, tmp_path)
    assert sorted(file.stem for file in tmp_path.iterdir()) == sorted(some)
    before = {file: file.stat().st_mtime_ns for file in tmp_path.iterdir()}
    pages.write_pages(some, tmp_path)
    assert {file: file.stat().st_mtime_ns for file in tmp_path.iterdir()} == before
    for name, theorem in some.items():
        assert (tmp_path / f"{name}.md").read_text(encoding="utf-8") == pages.page(theorem)


def test_pages_with_constants_say_how_tight_they_are() -> None:
    for name, text in theorem_pages().items():
        theorem = catalogue()[name]
        assert ("## How tight" in text) is (theorem.kind != "order"), name
        assert len(re.findall(r"^## Conditions$", text, re.M)) == 1, name
        assert text.index("<summary>Proof") < text.index("## Conditions") < text.index("## Quantities"), name
        assert text.count('class="caused"') == len(theorem.terms), name


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
            assert ("| by a lower bound |" in said) is bool(known_constants(statement).terms)
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
