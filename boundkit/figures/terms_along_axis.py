"""The terms of a prediction along one axis: what one panel of a figure holds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from numpy.typing import NDArray

from boundkit.algebra import BoundkitError
from boundkit.algebra.notation import ALPHABET
from boundkit.analysis.predict import Prediction
from boundkit.figures.curves import (
    Array,
    draw_term,
    draw_total,
    end_of,
    folded,
    log_height,
    term_label,
    ticks_of_powers,
    whole_ticks,
)
from boundkit.figures.labels import Label, label_ends
from boundkit.figures.looks import text_colour
from boundkit.figures.number_format import symbol
from boundkit.figures.style import Ink, ink_of


@dataclass(frozen=True)
class Part:
    """A prediction along one axis, all else fixed."""

    along: str
    x: Array
    arrays: dict[str, Array]
    total: Array
    holds: NDArray[np.bool_]


def numeric_axis(prediction: Prediction, axis: str) -> Array:
    """The coordinate of an axis. Raises BoundkitError where it is not numeric, as rows with names are not."""
    coordinate = prediction.parameters.coordinate(axis)
    if coordinate.dtype.kind not in "iuf":
        raise BoundkitError(f"the axis {axis} cannot be drawn: its values are no numbers.")
    return coordinate.astype(float)


def part_of(prediction: Prediction, along: str, at: Any, x: Array) -> Part:
    """The part of a prediction at the given places of its grid."""
    arrays = {label: np.asarray(values)[at] for label, values in prediction.arrays.items()}
    return Part(along, x, arrays, np.asarray(prediction.total)[at], np.asarray(prediction.holds)[at])


def draw_part(
    axes: Axes, prediction: Prediction, part: Part, drawn: Sequence[str], labelled: bool = True
) -> None:
    """The named terms and their sum; where the steps are outside the conditions, the ground is shaded."""
    ink, x = ink_of(axes), part.x
    causes = {t.label: t.cause for t in prediction.theorem.terms}
    labels: list[Label | None] = []
    drawn_causes: set[str] = set()
    for label in drawn:
        line = draw_term(axes, x, part.arrays[label], causes[label], ink, again=causes[label] in drawn_causes)
        line.set_gid(f"term {label}")
        drawn_causes.add(causes[label])
        words = term_label(line, label, ink)
        if words is None:
            name = folded(label) if ink.narrow else label
            words = Label(x[-1], 0.0, f"{name}: 0", text_colour(str(line.get_color()), ink.text))
        labels.append(words)
    line = draw_total(axes, x, part.total, ink)
    end = end_of(line)
    labels.append(None if end is None else Label(*end, "bound", ink.text, line, bold=True))
    frame(axes, part.along, x, [part.arrays[n] for n in drawn], part.total)
    _shade_outside(axes, x, part.holds, ink)
    if labelled:
        label_ends(axes, labels, ink.label_size)


def frame(axes: Axes, along: str, x: Array, curves: Sequence[Array], total: Array) -> None:
    """Scales, ticks and the name of what runs along x."""
    if len(x) > 1 and x[0] > 0 and x[-1] / x[0] >= 8:
        axes.set_xscale("log")
        axes.set_xlim(x[0], x[-1])
        ticks_of_powers(axes, "x")
    else:
        axes.set_xlim(*((x[0], x[-1]) if x[-1] > x[0] else (x[0] - 0.5, x[0] + 0.5)))
        whole_ticks(axes)
    log_height(axes, curves, total)
    axes.set_xlabel(symbol(along) if ink_of(axes).narrow else f"{meaning(along)}  {symbol(along)}".strip())


def _shade_outside(axes: Axes, x: Array, holds: NDArray[np.bool_], ink: Ink) -> None:
    """Shade where the conditions on the step do not hold, half-way to the neighbours that are inside."""
    if holds.all():
        return
    log = axes.get_xscale() == "log"
    middles = np.sqrt(x[1:] * x[:-1]) if log else (x[1:] + x[:-1]) / 2
    left, right = axes.get_xlim()
    edges = np.concatenate([[left], middles, [right]])
    for start, stop in zip(edges[:-1][~holds], edges[1:][~holds], strict=True):
        axes.axvspan(start, stop, facecolor=ink.faint, alpha=0.2, linewidth=0, zorder=0.5, gid="outside")


def meaning(name: str) -> str:
    """What a quantity is, in a few words."""
    return ALPHABET[name].meaning.partition(",")[0] if name in ALPHABET else ""
