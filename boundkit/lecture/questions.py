"""Questions whose right answer is derived: from the sensitivity of a bound, or from its value."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

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
"""The choices of a question about the effect of a quantity, by the result of ``sensitivity``."""

READINGS = {"fixed steps": "all else fixed", "best eta": "with the best step size each time"}
"""The readings of ``sensitivity`` in words."""


def effect(name: str, quantity: str, change: str, why: str, reading: str = "fixed steps") -> Question:
    """Ask for the effect of a larger ``quantity`` on the bound of a theorem; ``change`` describes it."""
    result = sensitivity(theorem(name), quantity, tuned=reading == "best eta").effect(quantity, reading)
    ask = f"{change}, {READINGS[reading]}. What does the bound `{name}` do?"
    return Question(ask, tuple(EFFECTS.values()), list(EFFECTS).index(result.word), why, derived=True)


def dominant_term(name: str, ask: str, why: str, values: Mapping[str, Any]) -> Question:
    """Ask for the largest term of a theorem at some values."""
    prediction = predict(theorem(name), **values)
    labels = tuple(prediction.terms)
    choices = tuple(f"The {label}." for label in labels)
    return Question(ask, choices, labels.index(prediction.dominant), why, derived=True)


def largest_bound(
    ask: str, why: str, choices: Sequence[tuple[str, str, Mapping[str, Any], float]]
) -> Question:
    """Ask for the largest of several bounds.

    ``choices``: for each its text, the name of a theorem, the values, and a number that divides its bound.
    """
    bounds = [float(predict(theorem(name), **values).total) / divisor for _, name, values, divisor in choices]
    return Question(ask, tuple(c[0] for c in choices), bounds.index(max(bounds)), why, derived=True)
