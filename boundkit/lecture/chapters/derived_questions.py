"""Questions whose right answer is derived: from the sensitivity of a bound, or from a prediction."""

from __future__ import annotations

from boundkit.analysis.predict import predict
from boundkit.analysis.sensitivity import sensitivity
from boundkit.analysis.sensitivity.effect import Word
from boundkit.lecture.parts import Question
from boundkit.theorems import theorem

EFFECTS: dict[Word, str] = {
    "better": "The bound falls, or stays.",
    "worse": "The bound grows, or stays.",
    "no effect": "Nothing at all.",
    "depends": "It depends on the other quantities.",
}
"""The choices of a question about the effect of a quantity, by the word of ``sensitivity``."""

READINGS = {"fixed steps": "all else fixed", "best eta": "with the best step size each time"}
"""How the readings of ``sensitivity`` are said."""


def effect(name: str, of: str, what: str, why: str, reading: str = "fixed steps") -> Question:
    """What a larger quantity ``of`` (in words: ``what``) does to the bound of the theorem ``name``."""
    found = sensitivity(theorem(name), of, tuned=reading == "best eta").effect(of, reading)
    ask = f"{what}, {READINGS[reading]}. What does the bound `{name}` do?"
    return Question(ask, tuple(EFFECTS.values()), list(EFFECTS).index(found.word), why)


def dominant(name: str, ask: str, why: str, /, **values: object) -> Question:
    """Which term of a theorem is the largest at some values."""
    found = predict(theorem(name), **values)
    labels = tuple(found.terms)
    return Question(ask, tuple(f"The {label}." for label in labels), labels.index(found.dominant), why)


def ordered(ask: str, choices: dict[str, float], why: str) -> Question:
    """Which of some numbers, by the words for them, is the largest."""
    words = list(choices)
    return Question(ask, tuple(words), words.index(max(words, key=choices.__getitem__)), why)
