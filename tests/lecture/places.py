"""Where sliders stand, in Python: what a page must show at some places of an explorer's sliders."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Context
from math import floor
from typing import Any

import numpy as np
import pytest
from numpy.typing import ArrayLike, NDArray

from boundkit.algebra import Theorem
from boundkit.analysis.evaluate import evaluate, satisfied
from boundkit.analysis.step_size import conditions_hold
from boundkit.lecture.page_data import explorer_data
from boundkit.lecture.parts import Explorer, Slider
from boundkit.theorems import theorem

STEPS = 1000
"""Places of every slider, from 0 to this one."""
CLOSE = 1e-12
THREE_DIGITS = Context(prec=3, rounding=ROUND_HALF_UP)

MOVED = """(figure, draws) => {
    const inputs = Array.from(figure.querySelectorAll("input[type=range]"));
    return draws.map(places => {
        places.forEach((place, k) => {
            inputs[k].value = place;
            inputs[k].dispatchEvent(new Event("input"));
        });
        const said = figure.querySelector(".total").textContent;
        return { ...figure.boundkit, said, own: inputs.map(one => one.dataset.name) };
    });
}"""
"""What a figure shows at each row of places, its sliders moved one after the other."""


@dataclass(frozen=True)
class Expected:
    """What Python finds at every row of places: values by keyword, terms by label, and where they have a
    meaning and hold."""

    values: dict[str, NDArray[np.float64]]
    terms: dict[str, NDArray[np.float64]]
    meaningful: NDArray[np.bool_]
    inside: NDArray[np.bool_]


def drawn_places(part: Explorer, count: int, seed: int) -> list[list[int]]:
    """Random places of its sliders, a row for each point."""
    found: list[list[int]] = (
        np.random.default_rng(seed).integers(0, STEPS + 1, (count, len(part.sliders))).tolist()
    )
    return found


def value_at(slider: Slider, place: int, whole: bool) -> float:
    """Three digits of the value at a place, or the next whole number where it counts something.

    >>> value_at(Slider("eta", 0.01, 1), 500, False), value_at(Slider("tau", 1, 4, log=False), 500, True)
    (0.1, 3.0)
    """
    if place in (0, STEPS):
        return slider.high if place else slider.low
    share = place / STEPS
    if slider.log:
        raw = slider.low * (slider.high / slider.low) ** share
    else:
        raw = slider.low + (slider.high - slider.low) * share
    return float(floor(raw + 0.5)) if whole else float(THREE_DIGITS.create_decimal_from_float(raw))


def expected_at(part: Explorer, draws: Sequence[Sequence[int]]) -> Expected:
    """Python's numbers at rows of places: C m a whole number of clients, one at least."""
    begins = explorer_data(part, theorem(part.theorem), "x").initial
    statement = begins.theorem
    counts = {q.name: q.domain.whole for q in statement.quantities}
    values = {name: np.full(len(draws), float(begins.parameters.values[name])) for name in counts}
    for k, slider in enumerate(part.sliders):
        column = [value_at(slider, row[k], counts[slider.name]) for row in draws]
        values[slider.name] = np.array(column)
    if values.keys() >= {"C", "m"}:
        values["C"] = np.clip(np.floor(values["C"] * values["m"] + 0.5), 1, values["m"]) / values["m"]
    terms = {t.label: np.broadcast_to(evaluate(t.expr, values), len(draws)) for t in statement.terms}
    return Expected(values, terms, *judged(statement, values, len(draws)))


def judged(
    statement: Theorem, values: Mapping[str, ArrayLike], count: int
) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Where the bound has a meaning, and where it holds too, at ``count`` points."""
    needed = [np.broadcast_to(satisfied(r, values), count) for r in statement.requires]
    meaningful = np.logical_and.reduce(needed) if needed else np.full(count, True)
    return meaningful, np.broadcast_to(conditions_hold(statement, values), count) & meaningful


def assert_seen(seen: Sequence[dict[str, Any]], part: Explorer, expected: Expected) -> None:
    """Sliders, terms, sum, spoken sum and condition of a page are those of Python; no number where the
    bound has no meaning."""
    assert seen[0]["own"] == [slider.name for slider in part.sliders]
    sense = expected.meaningful
    for name, values in expected.values.items():
        assert [one["q"][name] for one in seen] == pytest.approx(values, rel=CLOSE), name
    for k, (label, values) in enumerate(expected.terms.items()):
        shown = np.array([one["terms"][k] for one in seen])
        assert shown[sense] == pytest.approx(values[sense], rel=CLOSE, abs=1e-300), label
        assert np.isnan(shown[~sense]).all()
    total = np.sum(list(expected.terms.values()), axis=0)
    assert np.array([one["total"] for one in seen])[sense] == pytest.approx(total[sense], rel=CLOSE)
    assert [one["inside"] for one in seen] == expected.inside.tolist()
    said = [one["said"] for one in seen]
    assert [spoken(text) for text, known in zip(said, sense, strict=True) if known] == pytest.approx(
        total[sense], rel=6e-3
    )
    assert [text for text, known in zip(said, sense, strict=True) if not known] == [""] * int((~sense).sum())
    assert len(np.unique(total[sense])) > 0.9 * sense.sum() > 0  # the sliders do move it


def spoken(text: str) -> float:
    """The number in what a reader reads.

    >>> spoken("1.5×10⁻⁷"), spoken("10⁴"), spoken("0.25")
    (1.5e-07, 10000.0, 0.25)
    """
    raised = "⁰¹²³⁴⁵⁶⁷⁸⁹⁻"
    power = "".join(sign for sign in text if sign in raised)
    if not power:
        return float(text)
    mantissa, _, _ = text.rpartition("×")
    return float(mantissa or 1) * 10.0 ** int(power.translate(str.maketrans(raised, "0123456789-")))
