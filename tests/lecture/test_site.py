"""The files of the lecture: whole, well-formed, linked to each other, and to nothing else."""

import re
from html.parser import HTMLParser
from itertools import pairwise
from pathlib import Path

import pytest

from boundkit.algebra import BoundkitError
from boundkit.lecture.page_data import explorer_data, fixed
from boundkit.lecture.parts import Exercises, Explorer, Statement
from boundkit.lecture.site import LIST, coloured_bound, replace_site, slug
from boundkit.lecture.worked_examples import DRAWS, draw_examples
from boundkit.theorems import catalogue
from tests.lecture.whole_site import EVERY, NUMBERS, PICTURE, files, proofs

VOID = {"meta", "link", "br", "img", "input", "source", "hr"}


class Reader(HTMLParser):
    """Every element closed where it was opened; what it links to; what has an id."""

    def __init__(self) -> None:
        super().__init__()
        self.stack: list[str] = []
        self.links: list[str] = []
        self.ids: list[str] = []
        self.heads: list[int] = []
        self.named_by: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        told = dict(attrs)
        self.links += [v for k, v in attrs if k in ("href", "src", "srcset") and v]
        self.ids += [v for k, v in attrs if k == "id" and v]
        self.named_by += [v for k, v in attrs if k in ("aria-labelledby", "data-named-by") and v]
        assert "$" not in "".join(v for k, v in attrs if k == "aria-label" and v), self.getpos()
        if re.fullmatch("h[1-6]", tag):
            self.heads.append(int(tag[1]))
        if tag == "img":
            assert told.get("alt"), self.getpos()
        if tag not in VOID:
            self.stack.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        if tag not in VOID:
            self.stack.pop()

    def handle_endtag(self, tag: str) -> None:
        assert self.stack.pop() == tag, (tag, self.getpos())


PAGES = ["index", "references", "solutions", *(c.slug for c in EVERY)]


def test_pages_are_well_formed_and_link_only_to_files_of_the_site() -> None:
    places = {"", *files(), PICTURE.light, PICTURE.dark, NUMBERS}
    for page in PAGES:
        reader = Reader()
        reader.feed(files()[f"{page}.html"])
        reader.close()
        assert reader.stack == [], page
        assert len(set(reader.ids)) == len(reader.ids), page
        assert reader.heads[0] == 1, page
        assert reader.heads.count(1) == 1, page
        linked = {re.split("[?#]", link)[0] for link in reader.links if link != "data:,"}
        assert linked <= places, page
        assert "default-src 'none'" in files()[f"{page}.html"], page
        assert set(reader.named_by) <= set(reader.ids), page


def test_chapters_link_to_the_next_and_the_one_before() -> None:
    for before, after in pairwise(EVERY):
        assert f'rel="next" href="{after.slug}.html"' in files()[f"{before.slug}.html"]
        assert f'rel="prev" href="{before.slug}.html"' in files()[f"{after.slug}.html"]


def test_every_term_has_the_colour_of_its_cause() -> None:
    for name in sorted({n for c in EVERY for n in c.theorems}):
        theorem = catalogue()[name]
        made = coloured_bound(theorem)
        for term in theorem.terms:
            assert f'style="--colour: var(--cause-{slug(term.cause)})"' in made, (name, term.label)
        assert made.count('class="caused"') == len(theorem.terms), name


def test_fixed_quantities_are_those_without_a_slider() -> None:
    for part in (part for chapter in EVERY for part in chapter.parts if isinstance(part, Explorer)):
        settings = explorer_data(part, catalogue()[part.theorem], "x").settings
        sliders = {slider.name for slider in part.sliders}
        assert fixed(settings).keys() == settings["values"].keys() - sliders, part.title
        assert sliders <= settings["values"].keys(), part.title


def test_checked_proofs_are_folded_below_their_theorems_step_by_step() -> None:
    assert len(proofs()) >= 2
    folded = sum(page.count('<details class="record proof">') for page in files().values())
    stated = [p.theorem for c in EVERY for p in c.parts if isinstance(p, Statement)]
    assert folded == sum(name in proofs() for name in stated)
    for proof in proofs().values():
        assert len(re.findall(r"\*\*\d+\. .*: proved\*\*", proof)) >= 3


def test_exercises_are_drawn_again_by_seed_and_alike_by_the_same() -> None:
    exercise = next(p for c in EVERY for p in c.parts if isinstance(p, Exercises)).exercises[0]
    assert draw_examples(exercise, 1) == draw_examples(exercise, 1)
    assert draw_examples(exercise, 1) != draw_examples(exercise, 2)
    assert 1 < len(draw_examples(exercise)) <= DRAWS


def names(folder: Path) -> list[str]:
    return sorted(str(p.relative_to(folder)) for p in folder.rglob("*") if p.is_file())


def test_a_lecture_makes_room_for_the_next(tmp_path: Path) -> None:
    place = tmp_path / "new" / "site"
    replace_site(place, {"index.html": "one", "assets/page.js": "", "gone.html": ""})
    replace_site(place, {"index.html": "two", "assets/page.js": b""})
    assert (place / "index.html").read_text() == "two"
    assert names(place) == ["assets/page.js", "index.html", LIST]
    assert [p.name for p in place.parent.iterdir()] == ["site"]


def test_what_somebody_put_into_a_lecture_is_not_lost(tmp_path: Path) -> None:
    place = tmp_path / "site"
    replace_site(place, {"index.html": "one"})
    (place / "notes.txt").write_text("mine")
    with pytest.raises(BoundkitError, match=r"holds other things than a lecture, such as notes\.txt"):
        replace_site(place, {"index.html": "two"})
    assert (place / "notes.txt").read_text() == "mine"
    assert (place / "index.html").read_text() == "one"


def test_a_lecture_that_cannot_be_written_leaves_the_old_one(tmp_path: Path) -> None:
    place = tmp_path / "site"
    replace_site(place, {"index.html": "one"})
    with pytest.raises(BoundkitError, match="cannot be written"):
        replace_site(place, {"a": "", "a/b": ""})  # a is a file and a folder
    assert names(place) == ["index.html", LIST]
    assert [p.name for p in tmp_path.iterdir()] == ["site"]
