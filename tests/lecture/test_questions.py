"""Quizzes: every question has one right answer, and those that are derived agree with the bounds."""

from functools import cache

from boundkit.analysis.sensitivity import sensitivity
from boundkit.lecture.chapter_parser import EFFECTS, effect, largest_bound
from boundkit.lecture.chapters import chapters
from boundkit.lecture.markdown import html
from boundkit.lecture.parts import Question, Quiz
from boundkit.theorems import theorem
from tests.cases import each
from tests.lecture.quiz_answers import CHECKED, WORDS, Check

QUIZZES = {chapter.slug: part for chapter in chapters() for part in chapter.parts if isinstance(part, Quiz)}


@cache
def questions_of(slug: str) -> tuple[Question, ...]:
    return QUIZZES[slug].make()


@each("slug", QUIZZES)
def test_every_question_can_be_answered(slug: str) -> None:
    questions = questions_of(slug)
    assert len(questions) >= 5
    for one in questions:
        assert 3 <= len(one.choices) <= 5
        assert 0 <= one.right < len(one.choices)
        assert len(set(one.choices)) == len(one.choices)
        assert one.ask.endswith("?")
        assert len(one.why) > 40
        for text in (one.ask, one.why, *one.choices):
            html(text)


@each(
    ("name", "of", "reading", "word"),
    [
        ("fedavg_nonconvex_partial", "C", "fixed steps", "better"),
        ("fedavg_nonconvex", "tau", "fixed steps", "depends"),
        ("fedavg_nonconvex", "m", "fixed steps", "better"),
        ("fedavg_nonconvex_beta_kappa", "beta", "fixed steps", "no effect"),
        ("fedavg_nonconvex_tuned", "m", "fixed steps", "depends"),
        ("scaffold_nonconvex", "control_error", "fixed steps", "worse"),
        ("mifa_nonconvex", "staleness", "fixed steps", "no effect"),
        ("sgd_nonconvex", "m", "best eta", "better"),
    ],
)
def test_derived_answers_are_those_of_sensitivity(name: str, of: str, reading: str, word: str) -> None:
    asked = effect(name, of, "It grows", "Because.", reading=reading)
    found = sensitivity(theorem(name), of, tuned=reading == "best eta").effect(of, reading)
    assert found.word == word
    assert asked.choices[asked.right] == EFFECTS[found.word]


def test_the_largest_of_some_numbers() -> None:
    values = {"T": 1000, "m": 10, "L": 1, "sigma": 1, "gap": 1}
    choices = [(f"{eta}", "sgd_nonconvex", {**values, "eta": eta}, 1.0) for eta in (0.01, 0.001, 0.1)]
    assert largest_bound("Which?", "Because.", choices).right == 1
    choices[1] = ("half", "sgd_nonconvex", {**values, "eta": 0.001}, 1e6)
    assert largest_bound("Which?", "Because.", choices).right == 0


@each("slug", QUIZZES)
def test_every_answer_is_derived_or_checked_or_a_matter_of_words(slug: str) -> None:
    for one in questions_of(slug):
        homes = [key for key in (*CHECKED, *WORDS) if key[0] == slug and one.ask.startswith(key[1])]
        assert len(homes) + one.derived == 1, one.ask


def test_what_is_checked_is_asked() -> None:
    for slug, begins in (*CHECKED, *WORDS):
        assert sum(one.ask.startswith(begins) for one in questions_of(slug)) == 1, begins


@each(("key", "check"), CHECKED.items(), ids=[f"{slug}: {ask}" for slug, ask in CHECKED])
def test_numbers_bear_out_the_right_answer_and_no_other(key: tuple[str, str], check: Check) -> None:
    slug, begins = key
    (one,) = [one for one in questions_of(slug) if one.ask.startswith(begins)]
    assert list(check(one)) == [place == one.right for place in range(len(one.choices))]


def test_what_the_lecture_says_of_the_notes() -> None:
    """E = 1, 5, 20 with full batches on unlike data took 483, 1000 and 672 rounds: more did not help."""
    (about,) = [one for one in questions_of("setting") if "483" in one.ask]
    assert "cost rounds" in about.choices[about.right]
