"""Predicted terms against one parameter, or against two: in panels, both ways round.

Where the step size is outside the theorem's conditions the bound is not proved: there the ground is
shaded, and a note says so.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from contextlib import suppress
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from boundkit.algebra import BoundkitError, Quantity, Theorem
from boundkit.algebra.notation import VECTORS
from boundkit.analysis.client_values import homogeneous_form
from boundkit.analysis.default_ranges import default_values
from boundkit.analysis.predict import Prediction, predict
from boundkit.figures.curves import (
    draw_part,
    evenly_spaced,
    log_height,
    meaning,
    numeric_axis,
    part_of,
    split,
)
from boundkit.figures.number_format import formula, number, settings, symbol
from boundkit.figures.style import empty_figure, finish, style, theme_of

_NOT_GUESSED = ("tau", "availability")
"""Quantities that a theorem on clients needs."""

_MOST_IN_A_PANEL = 6
PANELS = 3
"""How many values of the second parameter get a panel; more would be too narrow to read."""


def figure(prediction: Prediction, preset: str = "presentation") -> Figure:
    """The picture of a prediction with one axis or two.

    With two, the upper row is against the first at values of the second, and the lower the other way
    round. Raises BoundkitError for another number of axes, or for an unknown preset.
    """
    axes_of = _axes_of(prediction)
    with style(preset), np.errstate(over="ignore"):  # matplotlib looks for ticks beyond the last number
        if len(axes_of) == 1:
            page = empty_figure()
            axes = page.subplots()
            left_out = draw(axes, prediction)
            axes.set_title(_height(prediction))
        else:
            page = empty_figure(height=1.6 if preset == "paper" else 1.3)
            left_out = _panels(page, prediction, PANELS - (preset == "paper"))
            axes = page.axes[0]
        theme = theme_of(axes)
        finish(page, _headline(prediction), _footnote(prediction, left_out, theme.narrow), theme)
    return page


def draw(axes: Axes, prediction: Prediction) -> list[str]:
    """Draw a prediction with one axis on given Axes; return the labels of the terms too small to draw."""
    (along,) = _axes_of(prediction)
    x = numeric_axis(prediction, along)
    order = np.argsort(x, kind="stable")
    drawn, zero, low = split(prediction.arrays, np.asarray(prediction.total))
    draw_part(axes, prediction, part_of(prediction, along, order, x[order]), drawn)
    return [*zero, *low]


def default_axes(theorem: Theorem, given: Collection[str] | Mapping[str, object]) -> dict[str, Any]:
    """The default axes: tau and C, or tau, or another.

    The first choice that the theorem allows beside what is given. Raises BoundkitError where none is, or as
    ``predict`` does where what is given is refused whatever is varied.
    """
    values = dict(given) if isinstance(given, Mapping) else {}
    unlike = any(name in VECTORS for name in given)
    quantities = {
        q.name: q
        for q in (theorem if unlike else homogeneous_form(theorem)).quantities
        if q.name not in given
    }
    defaults = {} if unlike else {n: quantities[n].typical for n in _NOT_GUESSED if n in quantities}
    defaults |= {} if unlike else _required(theorem, quantities)
    for axes in _choices(quantities, two=len(theorem.terms) <= _MOST_IN_A_PANEL):
        with suppress(BoundkitError):
            predict(theorem, **{**defaults, **values, **axes})
            return {**defaults, **axes}
    if values:
        predict(theorem, **{**defaults, **values})
    raise BoundkitError(f"{theorem.name} has no quantity that could be varied here; name one as name=1,2,5.")


def _required(theorem: Theorem, quantities: Mapping[str, Quantity]) -> dict[str, float]:
    """The limits of quantities whose usual values the theorem does not allow beside those of the others."""
    usual = {quantity: quantity.typical for quantity in quantities.values()}
    limits = {}
    for relation in theorem.requires:
        quantity, limit = relation.args
        if usual.keys() >= relation.free_symbols and not relation.subs(usual):
            limits[str(quantity)] = float(limit.subs(usual))
    return {name: value for name, value in limits.items() if name in quantities}


def _choices(quantities: Mapping[str, Quantity], two: bool) -> Iterator[dict[str, Any]]:
    """Axes, the most telling first; ``two`` of them where panels have room for all names."""
    if two and {"tau", "C", "m"} <= quantities.keys():
        clients = int(quantities["m"].typical)
        yield {"tau": _counts(1, 100), "C": [n / clients for n in _counts(1, clients)]}
    if "tau" in quantities:
        yield {"tau": _counts(1, 100)}
    if "eta" in quantities:
        yield {"eta": np.geomspace(1e-4, 1, 33).tolist()}
    if "T" in quantities:
        yield {"T": _counts(1, 10_000)}
    for name, quantity in quantities.items():
        yield {name: default_values(quantity, {})}


def _counts(low: int, high: int) -> list[float]:
    return [float(n) for n in np.unique(np.round(np.geomspace(low, high, 41)))]


def _panels(page: Figure, prediction: Prediction, most: int) -> list[str]:
    first, second = prediction.axes
    values = {n: numeric_axis(prediction, n) for n in (first, second)}
    columns = min(most, *(len(v) for v in values.values()))
    grid = page.subplots(2, columns, sharey=True, squeeze=False)
    drawn, zero, low = split(prediction.arrays, np.asarray(prediction.total))
    for row, (along, across) in enumerate(((first, second), (second, first))):
        order = np.argsort(values[along], kind="stable")
        chosen = evenly_spaced(len(values[across]), columns)
        for place, index in enumerate(chosen):
            axes: Axes = grid[row, place]
            at: tuple[Any, ...] = (order, index) if row == 0 else (index, order)
            part = part_of(prediction, along, at, values[along][order])
            draw_part(axes, prediction, part, drawn, labelled=place == len(chosen) - 1)
            axes.set_xlabel(symbol(along))
            axes.set_title(f"{symbol(across)} = {number(float(values[across][index]), 3)}")
    log_height(grid[0, 0], [prediction.arrays[n] for n in drawn], np.asarray(prediction.total))
    return [*zero, *low]


def _axes_of(prediction: Prediction) -> tuple[str, ...]:
    if len(prediction.axes) not in (1, 2):
        had = "none" if not prediction.axes else f"{len(prediction.axes)}: {', '.join(prediction.axes)}"
        raise BoundkitError(
            f"a picture of terms needs one or two parameters that are lists, but the prediction has {had}."
        )
    return prediction.axes


def _height(prediction: Prediction) -> str:
    return f"bound on  {formula(prediction.theorem.claim.latex) or prediction.theorem.claim.plain}"


def _headline(prediction: Prediction) -> str:
    names = " and ".join(symbol(n) for n in prediction.axes)
    what = f"the bound on the {prediction.theorem.claim.name}" if len(prediction.axes) == 2 else "the bound"
    return f"{prediction.theorem.title}: {what} against {names}"


def _footnote(prediction: Prediction, left_out: list[str], narrow: bool) -> str:
    values = {n: float(v) for n, v in prediction.parameters.values.items() if not np.ndim(v)}
    sentences = [settings(values, prediction.theorem.clients)]
    if len(prediction.axes) == 2 or narrow:
        sentences += [f"{symbol(n)}: {meaning(n)}" for n in prediction.axes if meaning(n)]
    if prediction.up_to_constants:
        sentences.append("Up to constants")
    if prediction.outside:
        sentences.append("Shaded: the step size is outside the condition, and the bound is not proved")
    if left_out:
        sentences.append(f"Zero, or too small to draw: {', '.join(left_out)}")
    return ". ".join(sentences) + "."
