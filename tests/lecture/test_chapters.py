"""What every chapter has, and that whatever it names is there."""

import re
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from itertools import pairwise

import pytest

from boundkit.analysis.predict import predict
from boundkit.figures.gallery import GALLERY
from boundkit.lecture.chapters import chapters
from boundkit.lecture.markdown import html
from boundkit.lecture.page_data import PRESETS, explorer_data
from boundkit.lecture.parts import (
    Chapter,
    Explorer,
    Figure,
    Limitations,
    Part,
    Prose,
    Simulation,
    Stability,
    Statement,
)
from boundkit.theorems import theorem
from boundkit.theorems.catalogue import names
from tests.cases import each

CHAPTERS = {chapter.slug: chapter for chapter in chapters()}

of_each = each("chapter", CHAPTERS.values(), ids=list(CHAPTERS))


def parts(chapter: Chapter, kind: type[Part]) -> list[Part]:
    return [part for part in chapter.parts if isinstance(part, kind)]


def strings(value: object) -> Iterator[str]:
    """Every string inside, but for names and what is made."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, tuple):
        for one in value:
            yield from strings(one)
    elif is_dataclass(value):
        for field in fields(value):
            if field.name not in (
                "make",
                "theorem",
                "preset",
                "figure",
                "arguments",
                "source",
                "values",
                "along",
            ):
                yield from strings(getattr(value, field.name))


@of_each
def test_what_it_names_is_there(chapter: Chapter) -> None:
    for part in chapter.parts:
        if isinstance(part, Statement | Explorer):
            assert part.theorem in names()
        if isinstance(part, Simulation):
            assert part.preset in PRESETS
        if isinstance(part, Figure):
            assert part.figure in GALLERY
            assert part.alt
            named = [w for w in part.arguments if re.fullmatch(r"[a-z]+_[a-z_]+", w)]
            assert set(named) <= set(names())


@of_each
def test_explorers_begin_inside_the_conditions(chapter: Chapter) -> None:
    for part in parts(chapter, Explorer):
        assert isinstance(part, Explorer)
        statement = theorem(part.theorem)
        found = explorer_data(part, statement, "key")
        assert found.initial.holds, part.title
        assert found.initial.total == predict(statement, **part.values).total
        for slider in part.sliders:
            assert slider.low <= found.settings["values"][slider.name] <= slider.high, (
                part.title,
                slider.name,
            )
        assert part.lead.endswith((".", "?"))


@each("name", ["fedavg_nonconvex_unequal_steps", "fednova_nonconvex"])
def test_two_clients_have_the_derived_numbers_of_the_explorers(name: str) -> None:
    (explored,) = [
        p for p in parts(CHAPTERS["computation"], Explorer) if isinstance(p, Explorer) and p.theorem == name
    ]
    derived = predict(theorem(name), tau_i=[3, 6], eta=0.005).derived
    seen = {key: value for key, value in derived.items() if key in explored.values}
    assert set(seen) == {"tau_eff", "A_noise", "B_drift", "C_drift", "chi2"}
    assert seen == pytest.approx({key: explored.values[key] for key in seen})


@of_each
def test_its_text_is_whole_and_its_formulas_can_be_set(chapter: Chapter) -> None:
    for text in strings(chapter):
        assert not re.search(r"\b(TODO|FIXME|TBD|XXX)\b|lorem|/tmp", text)
        shown = re.sub(r"<annotation.*?</annotation>", "", html(text), flags=re.DOTALL)
        assert "$" not in shown, text
    for part, following in pairwise(chapter.parts):
        if isinstance(part, Prose) and part.text:
            assert part.text.strip().endswith((".", "$$", "?", ")"))
        elif isinstance(part, Prose):  # a heading above a figure
            assert isinstance(following, Explorer | Simulation | Stability | Figure)
    (limits,) = parts(chapter, Limitations)
    assert isinstance(limits, Limitations)
    assert all(sentence.endswith(".") for sentence in limits.sentences)


@of_each
def test_the_sliders_of_a_question_are_in_view(chapter: Chapter) -> None:
    in_view = 3
    for part in parts(chapter, Explorer):
        assert isinstance(part, Explorer)
        letters = {q.name: q.latex for q in theorem(part.theorem).quantities}
        asked = " ".join(re.findall(r"\$([^$]+)\$", part.lead))
        for slider in part.sliders[in_view:]:
            letter = re.escape(letters[slider.name])
            assert not re.search(rf"{letter}(?![_\w])", asked), (part.title, slider.name)
