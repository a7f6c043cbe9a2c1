"""An explorer as data for its script: the theorem's own functions in JavaScript, and where sliders begin."""

from __future__ import annotations

from collections.abc import Mapping, Set
from dataclasses import dataclass, replace
from typing import Any

from boundkit.algebra import BoundkitError, Quantity, Theorem
from boundkit.algebra.errors import unknown
from boundkit.algebra.printing import latex, plain
from boundkit.analysis.client_values import settled
from boundkit.analysis.export.javascript import script
from boundkit.analysis.parameters import resolve
from boundkit.analysis.predict import Prediction, predict
from boundkit.lecture.mathml import mathml
from boundkit.lecture.parts import Explorer, Slider


@dataclass(frozen=True)
class Exploring:
    """``script``: a classic script that puts the theorem under ``boundkit[key]``; ``settings``: for the page;
    ``begins``: what Python predicts where the sliders begin."""

    key: str
    script: str
    settings: dict[str, Any]
    begins: Prediction


def exploring(part: Explorer, theorem: Theorem, key: str) -> Exploring:
    """The explorer of a theorem, whose clients are put in first where ``part.values`` speaks of them.

    Raises BoundkitError where a slider is no quantity of the theorem or ends where it cannot be, or where a
    value is not one that ``predict`` takes.
    """
    moved = {slider.name for slider in part.sliders}
    if part.along not in moved:
        raise unknown(f"slider of {part.title!r}", part.along, moved)
    statement, left = settled(theorem, part.values, free=moved)
    known = {q.name: q for q in statement.quantities}
    for slider in part.sliders:
        if slider.name not in known:
            raise unknown(f"quantity of {theorem.name}", slider.name, known)
        _check(slider, known[slider.name])
    limits = (*statement.step_size, *statement.requires)
    limited = {symbol.name for limit in limits for symbol in limit.free_symbols}
    begins = predict(statement, **left)
    values = resolve(statement, left).to_dict(statement)
    settings = {
        "theorem": key,
        "along": part.along,
        "values": values,
        "sliders": [_slider(slider, known[slider.name], limited) for slider in part.sliders],
        "requires": [plain(needed) for needed in statement.requires],
        "letters": {name: mathml(latex(q)) for name, q in known.items()},
    }
    return Exploring(key, script(replace(statement, name=key)), settings, begins)


def fixed(settings: Mapping[str, Any]) -> dict[str, Any]:
    """What no slider moves, by keyword."""
    moved = {slider["name"] for slider in settings["sliders"]}
    return {name: value for name, value in settings["values"].items() if name not in moved}


def _check(slider: Slider, quantity: Quantity) -> None:
    for end in (slider.low, slider.high):
        complaint = quantity.domain.complaint(end)
        if complaint is not None:
            raise BoundkitError(f"the slider of {slider.name} ends at {end:g}, but {complaint}.")
    if not slider.low < slider.high:
        raise BoundkitError(f"the slider of {slider.name} goes from {slider.low:g} to {slider.high:g}.")


def _slider(slider: Slider, quantity: Quantity, limited: Set[str]) -> dict[str, Any]:
    return {
        "name": slider.name, "low": slider.low, "high": slider.high, "log": slider.log,
        "whole": quantity.domain.whole, "meaning": quantity.meaning,
        "limited": slider.name in limited,
    }  # fmt: skip
