"""Exercises: what is drawn is readable, and every answer is found again from the task alone."""

from math import isfinite

import numpy as np
import pytest

from boundkit.lecture.chapters import chapters
from boundkit.lecture.markdown import html
from boundkit.lecture.parts import Exercise, Exercises
from tests.cases import each
from tests.lecture.exercise_answers import ANSWERS, answered

EXERCISES: dict[tuple[str, str], Exercise] = {
    (chapter.slug, one.title): one
    for chapter in chapters()
    for part in chapter.parts
    if isinstance(part, Exercises)
    for one in part.exercises
}
of_each = each(("key", "exercise"), EXERCISES.items())
SEEDS = 8
SET = list(EXERCISES)[::10]
"""Whose formulas are set here; the pages of test_site have all."""
SHOWN = 5e-4
"""Answers are printed with four digits."""


def test_every_exercise_is_solved_again() -> None:
    assert set(ANSWERS) == set(EXERCISES)


@of_each
def test_the_answer_is_found_again(key: tuple[str, str], exercise: Exercise) -> None:
    for seed in range(SEEDS):
        worked = exercise.make(np.random.default_rng(seed))
        given = answered(worked.answer)
        assert isfinite(given)
        task = " ".join(worked.task.split())
        assert given == pytest.approx(ANSWERS[key](task), rel=SHOWN, abs=1e-9), task


@of_each
def test_drawings_differ_and_can_be_set(key: tuple[str, str], exercise: Exercise) -> None:
    drawn = [exercise.make(np.random.default_rng(seed)) for seed in range(6)]
    assert len({worked.task for worked in drawn}) >= 4
    assert exercise.make(np.random.default_rng(3)) == drawn[3]
    if key in SET:
        for text in (drawn[0].task, *drawn[0].steps, drawn[0].answer):
            assert "$" not in html(text).replace("</annotation>", "").split("<annotation")[0]
    assert len(drawn[0].steps) >= 2
    assert drawn[0].task.endswith((".", "?"))
