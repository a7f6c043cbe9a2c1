"""The quiz: its answers are those of the theorems and the clock, and of nothing else."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

import boundkit as bk
from boundkit.algebra.notation import sigma, sigma_g
from boundkit.analysis.quiz import FULL, PARTIAL, QUIZ, Quiz, quiz
from boundkit.theorems import theorem


@pytest.fixture(scope="module")
def answered() -> Quiz:
    return bk.quiz()


def answer_of(answered: Quiz, quantity: str, reading: str, by: str = "") -> Any:
    (answer,) = (
        f for line in answered.lines for f in (*line.error, *line.time)
        if f.quantity == quantity and f.reading == reading and f.by.startswith(by)
    )  # fmt: skip
    return answer


def test_the_error(answered: Quiz) -> None:
    agrees = {
        (f.quantity, f.reading): (f.effect.word, f.agrees) for line in answered.lines for f in line.error
    }
    assert agrees == {
        ("C", "fixed steps"): ("better", "always"),
        ("C", "best eta"): ("better", "always"),
        ("m", "under the rules"): ("depends", "where"),
        ("batch", "fixed steps"): ("depends", "where"),
        ("batch", "best eta"): ("better", "never"),
        ("batch", "under the rules"): ("depends", "where"),
        ("epochs", "fixed steps"): ("depends", "where"),
        ("epochs", "best eta"): ("depends", "where"),
        ("epochs", "under the rules"): ("depends", "where"),
        ("sigma_g", "fixed steps"): ("worse", "always"),
        ("sigma_g", "best eta"): ("worse", "always"),
        ("beta", "fixed steps"): ("no effect", "never"),
        ("beta", "best eta"): ("worse", "always"),
        ("beta", "under the rules"): ("no effect", "never"),
        ("kappa", "fixed steps"): ("worse", "always"),
        ("kappa", "best eta"): ("worse", "always"),
        ("kappa", "under the rules"): ("worse", "always"),
    }
    assert all(f.effect.exact for line in answered.lines for f in line.error)


def test_the_time(answered: Quiz) -> None:
    words = {(f.quantity, f.by): (f.effect.word, f.agrees) for line in answered.lines for f in line.time}
    assert words["C", "exponential times"] == ("worse", "always")
    assert words["C", "constant times"] == ("no effect", "never")
    assert words["batch", "constant times"] == words["batch", "exponential times"] == ("depends", "always")
    assert words["epochs", "constant times"] == words["epochs", "exponential times"] == ("worse", "always")
    for letter in ("sigma_g", "beta", "kappa"):
        assert (
            words[letter, "constant times"] == words[letter, "exponential times"] == ("no effect", "always")
        )
    assert words["n_i apart", "constant times"] == ("worse", "never")


def test_the_answers_come_from_the_theorems(answered: Quiz) -> None:
    """A planted theorem in which dissimilarity helps turns the answer round."""
    planted = theorem(PARTIAL)
    terms = tuple(replace(t, expr=t.expr.subs(sigma_g, sigma**2 / (sigma + sigma_g))) for t in planted.terms)
    (line,) = (one for one in QUIZ if "sigma_g" in one.quantities)
    turned = quiz(theorem(FULL), replace(planted, terms=terms, limits=(), reductions=()), [line])
    assert answer_of(turned, "sigma_g", "fixed steps").effect.word == "better"
    assert answer_of(turned, "sigma_g", "fixed steps").agrees == "never"
    assert answer_of(answered, "sigma_g", "fixed steps").agrees == "always"
