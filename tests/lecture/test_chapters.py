"""What every chapter has, and that whatever it names is there."""

import json
import re
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from boundkit.analysis.predict import predict
from boundkit.figures.gallery import GALLERY
from boundkit.lecture.chapters import ORDER, chapters
from boundkit.lecture.markdown import html
from boundkit.lecture.page_data import PRESETS, explorer_data
from boundkit.lecture.parts import (
    Chapter,
    Exercises,
    Explorer,
    Figure,
    Limitations,
    Objectives,
    Part,
    Prose,
    Quiz,
    Simulation,
    Stability,
    Statement,
    Table,
)
from boundkit.theorems import theorem
from boundkit.theorems.catalogue import names
from tests.cases import each

CHAPTERS = {chapter.slug: chapter for chapter in chapters()}
NO_QUADRATIC = {"smoothness", "selection"}
"""Quadratics have one L, and the page's simulation does not select by loss."""

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


def test_the_order_is_that_of_the_talk() -> None:
    assert tuple(CHAPTERS) == ORDER


@of_each
def test_it_has_what_a_chapter_has(chapter: Chapter) -> None:
    some: tuple[type[Part], ...] = (Statement, Explorer, Figure, Prose)
    one: tuple[type[Part], ...] = (Limitations, Quiz, Exercises)
    for kind in some:
        assert parts(chapter, kind), f"{chapter.slug} has no {kind.__name__}"
    for kind in one:
        assert len(parts(chapter, kind)) == 1
    assert bool(parts(chapter, Simulation)) == (chapter.slug not in NO_QUADRATIC)
    assert chapter.title
    assert chapter.question.endswith("?")
    last = chapter.parts[-1]
    assert isinstance(last, Exercises)
    assert 1 <= len(last.exercises) <= 5


@of_each
def test_a_live_figure_comes_first_and_the_lecturer_has_every_answer(chapter: Chapter) -> None:
    assert isinstance(chapter.parts[0], Explorer | Simulation)
    for part in chapter.parts:
        if isinstance(part, Explorer | Simulation | Stability):
            assert part.lead.endswith((".", "?"))
            assert part.answer.endswith("."), (chapter.slug, part)


@of_each
def test_a_section_has_one_theorem_and_folds_its_variants(chapter: Chapter) -> None:
    stated, section = 0, ""
    for part in chapter.parts:
        if isinstance(part, Prose) and part.title:
            stated, section = 0, part.title
        elif isinstance(part, Statement) and not part.variant:
            stated += 1
        assert stated <= 1, (chapter.slug, section)


def test_there_are_three_exercises_a_chapter_in_the_mean() -> None:
    every = [p for c in CHAPTERS.values() for p in parts(c, Exercises)]
    assert sum(len(p.exercises) for p in every if isinstance(p, Exercises)) >= 3 * len(CHAPTERS)


def test_the_lecture_opens_with_the_two_comparisons() -> None:
    live, first, second = CHAPTERS["setting"].parts[:3]
    assert isinstance(live, Simulation)
    assert isinstance(first, Table)
    assert isinstance(second, Table)
    assert first.head[1:] == ("distributed SGD", "federated learning")
    assert second.head[1:] == ("cross-device", "cross-silo")


def test_what_lies_ahead_changes_the_objective() -> None:
    (ahead,) = parts(CHAPTERS["ahead"], Objectives)
    assert isinstance(ahead, Objectives)
    found = {one.name for one in ahead.objectives}
    assert {"Model heterogeneity", "Drift of concepts", "Personalised models", "Incentives"} <= found
    for one in ahead.objectives:
        assert "**Known:**" in one.text
        assert "**Open:**" in one.text
        assert one.source is not None


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
def test_tables_are_full(chapter: Chapter) -> None:
    for part in parts(chapter, Table):
        assert isinstance(part, Table)
        assert part.caption
        for row in part.rows:
            assert len(row) == len(part.head)
            assert all(row)


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
def test_it_says_where_it_has_it_from(chapter: Chapter) -> None:
    keys = [source.key for source in chapter.sources]
    assert len(set(keys)) == len(keys)
    assert chapter.sources or chapter.theorems


TOPICS = (
    "client drift", "partial participation", r"\sqrt{m/(\tau T)}", "FedExP", "FedVARP", "ClusterFedVARP",
    "AdaComm", "FedProx", "SCAFFOLD", "FedAdagrad", r"\bar\rho", r"\tilde\rho", "Power-of-choice", "cpow-d",
    "rpow-d", "adapow-d", "Cycles", "FedNova", "momentum", "Local adaptivity", "average drift at optimum",
    "Asynchronous SGD", "synchronous round", "EPISODE", "EPISODE++", "CELGC", "minibatch SGD", "lower bound",
    "L_0 + L_1", "Rounds until", r"\tau_{\mathrm{eff}}", "$a_k$", "objective inconsistency", r"E n_i / B",
    "483 rounds", "F_1 = (x-1)^2", "FedAWE", "FedAU", "MIFA", "staircase", "odd rounds", "units", "FedAvg",
    "Model heterogeneity", "Drift of concepts", "Personalised", "Incentives", "fairer", "VRL-SGD",
    "proximal", "Overlap", "without a term for participation",
)  # fmt: skip
"""What the talk, the notes and the reviews are about."""


def test_every_topic_of_the_sources_is_covered() -> None:
    every = [text for c in CHAPTERS.values() for text in (*strings(c), *questions(c))]
    text = "\n".join(every).lower()
    assert [topic for topic in TOPICS if topic.lower() not in text] == []


def test_what_is_said_of_tightness_is_in_the_kept_record() -> None:
    record = json.loads(
        (Path(__file__).resolve().parents[2] / "examples" / "records" / "verified.json").read_text()
    )
    columns = record["columns"]
    rows = zip(columns["theorems kind"], columns["theorems ratio"], strict=True)
    upper = np.array([ratio for kind, ratio in rows if kind == "upper" and ratio is not None])
    (said,) = [text for text in strings(CHAPTERS["reading"]) if "two in five of the upper bounds" in text]
    said = " ".join(said.split())
    assert "are at 0.01 to 0.3, and about one in eight is above 0.9. Some are attained." in said
    assert np.mean((upper >= 0.01) & (upper <= 0.3)) == pytest.approx(2 / 5, abs=0.05)
    assert np.mean(upper > 0.9) == pytest.approx(1 / 8, abs=0.02)
    assert (upper > 0.99).any()


def questions(chapter: Chapter) -> Iterator[str]:
    for part in parts(chapter, Quiz):
        assert isinstance(part, Quiz)
        for one in part.make():
            yield from (one.ask, one.why, *one.choices)
