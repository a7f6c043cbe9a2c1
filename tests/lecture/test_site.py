"""The files of the lecture: whole, well-formed, linked to each other, and to nothing else."""

import re
from functools import cache
from html.parser import HTMLParser
from itertools import pairwise

import pytest

from boundkit.algebra import BoundkitError
from boundkit.algebra.term import CAUSES
from boundkit.lecture.chapters import chapters
from boundkit.lecture.page_data import explorer_data, fixed
from boundkit.lecture.parts import Chapter, Exercises, Explorer, Figure, Prose, Statement
from boundkit.lecture.site import Drawing, Site, coloured_bound, slug
from boundkit.lecture.worked_examples import DRAWS, draw_examples
from boundkit.theorems import catalogue

EVERY = chapters()
VOID = {"meta", "link", "br", "img", "input", "source", "hr"}


@cache
def files() -> dict[str, str]:
    pictures = {p: Drawing("pictures/a.svg", "pictures/b.svg", "pictures/a.csv") for p in drawings()}
    return Site(EVERY, catalogue(), pictures).files()


def drawings() -> list[Figure]:
    return [p for c in EVERY for p in c.parts if isinstance(p, Figure)]


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


PAGES = ["index", "references", *(c.slug for c in EVERY)]


def test_pages_are_well_formed_and_link_only_to_files_of_the_site() -> None:
    places = {"", *files(), "pictures/a.svg", "pictures/b.svg", "pictures/a.csv"}
    for page in PAGES:
        reader = Reader()
        reader.feed(files()[f"{page}.html"])
        reader.close()
        assert reader.stack == [], page
        assert len(set(reader.ids)) == len(reader.ids), page
        assert reader.heads[0] == 1, page
        assert reader.heads.count(1) == 1, page
        outside = [link for link in reader.links if link != "data:," and link.partition("#")[0] not in places]
        assert outside == [], page
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


def test_colours_of_all_causes_are_there_for_light_and_dark() -> None:
    css = files()["assets/causes.css"]
    for cause in CAUSES:
        assert css.count(f"--cause-{slug(cause)}: #") == 2
        assert f".cause-{slug(cause)} {{ --of-cause: var(--cause-{slug(cause)}); }}" in css


def test_exercises_are_drawn_again_by_seed_and_alike_by_the_same() -> None:
    exercise = next(p for c in EVERY for p in c.parts if isinstance(p, Exercises)).exercises[0]
    assert draw_examples(exercise, 1) == draw_examples(exercise, 1)
    assert draw_examples(exercise, 1) != draw_examples(exercise, 2)
    assert 1 < len(draw_examples(exercise)) <= DRAWS


def test_a_theorem_that_is_not_there_is_named() -> None:
    wrong = Chapter("x", "X", "?", (Prose("words"), Statement("no_such_theorem")))
    with pytest.raises(BoundkitError, match="unknown theorem 'no_such_theorem'"):
        Site((wrong,), catalogue(), {}).files()
