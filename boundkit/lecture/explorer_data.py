"""An explorer as data for its script: the theorem in JavaScript, and the initial values of the sliders."""

from __future__ import annotations

from collections.abc import Mapping, Set
from dataclasses import dataclass, replace
from typing import Any

from boundkit.algebra import BoundkitError, Quantity, Theorem
from boundkit.algebra.errors import unknown
from boundkit.algebra.printing import latex, plain
from boundkit.analysis.client_values import substitute_clients
from boundkit.analysis.export.javascript import script
from boundkit.analysis.parameters import resolve
from boundkit.analysis.predict import Prediction, predict
from boundkit.lecture.mathml import mathml
from boundkit.lecture.parts import Explorer, Slider


@dataclass(frozen=True)
class ExplorerData:
    """Data of an explorer.

    ``script``: a classic script that puts the theorem under ``boundkit[key]``; ``settings``: for the page;
    ``initial``: the prediction at the initial values of the sliders.
    """

    key: str
    script: str
    settings: dict[str, Any]
    initial: Prediction


def explorer_data(part: Explorer, theorem: Theorem, key: str) -> ExplorerData:
    """Data of an explorer; per-client values among ``part.values`` are substituted into the theorem first.

    Raises BoundkitError where a slider is no quantity of the theorem or leaves its domain, or where a value
    is not one that ``predict`` takes.
    """
    moved = {slider.name for slider in part.sliders}
    if part.along not in moved:
        raise unknown(f"slider of {part.title!r}", part.along, moved)
    statement, left = substitute_clients(theorem, part.values, free=moved)
    quantities = {q.name: q for q in statement.quantities}
    for slider in part.sliders:
        if slider.name not in quantities:
            raise unknown(f"quantity of {theorem.name}", slider.name, quantities)
        _check(slider, quantities[slider.name])
    limits = (*statement.step_size, *statement.requires)
    limited = {symbol.name for limit in limits for symbol in limit.free_symbols}
    initial = predict(statement, **left)
    values = resolve(statement, left).to_dict(statement)
    settings = {
        "theorem": key,
        "along": part.along,
        "values": values,
        "sliders": [_slider(slider, quantities[slider.name], limited) for slider in part.sliders],
        "requires": [plain(needed) for needed in statement.requires],
        "letters": {name: mathml(latex(q)) for name, q in quantities.items()},
    }
    return ExplorerData(key, script(replace(statement, name=key)), settings, initial)


def fixed(settings: Mapping[str, Any]) -> dict[str, Any]:
    """The quantities without a slider, by keyword."""
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
