"""Lines by cause on axes of any scale, and the terms of a prediction along one axis."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.ticker import FuncFormatter, LogLocator, MaxNLocator, NullLocator
from numpy.typing import NDArray

from boundkit.algebra import BoundkitError
from boundkit.algebra.notation import ALPHABET
from boundkit.analysis.predict import Prediction
from boundkit.figures.labels import Label, label_ends
from boundkit.figures.number_format import number, symbol
from boundkit.figures.style import Theme, cause_style, colour, text_colour, theme_of
from boundkit.simulation.arrays import Array

NEGLIGIBLE = 1e-4
"""A term below this share of the bound everywhere would flatten the picture for nothing."""

FEW = 12
"""Where there are no more points than this, each is marked, since what lies between is not known."""


def split(terms: Mapping[str, Array], total: Array) -> tuple[list[str], list[str], list[str]]:
    """The labels of terms that show, of those that are 0 throughout, and of the negligible ones."""
    zero = [label for label, values in terms.items() if not np.any(values > 0)]
    low = [n for n, values in terms.items() if n not in zero and np.all(values < NEGLIGIBLE * total)]
    return [label for label in terms if label not in (*zero, *low)], zero, low


def draw_term(axes: Axes, x: Array, y: Array, cause: str, theme: Theme, again: bool = False) -> Line2D:
    """One term: colour and dashes by its cause; the second of a cause is marked as well."""
    mark = "D" if again else "o" if len(x) <= FEW else ""
    (line,) = axes.plot(
        x, shown_on_log(y), color=colour(cause, theme.dark), linestyle=cause_style(cause).dashes,
        linewidth=0.85 * theme.width, marker=mark, markersize=(2 if len(x) > 1 else 3) * theme.width,
        markevery=max(len(x) // 8, 1) if again else None,
    )  # fmt: skip
    return line


def draw_total(axes: Axes, x: Array, y: Array, theme: Theme) -> Line2D:
    """The bound itself: heavy, so that it reads as a ceiling."""
    (line,) = axes.plot(
        x, shown_on_log(y), color=theme.faint, linewidth=2 * theme.width, zorder=1.9, solid_capstyle="butt",
        gid="bound",
    )  # fmt: skip
    if len(x) == 1:
        line.set(marker="s", markersize=5 * theme.width)
    return line


def end_of(line: Line2D) -> tuple[float, float] | None:
    """The last point of a line that is drawn at all."""
    x, y = np.asarray(line.get_xdata(), dtype=float), np.asarray(line.get_ydata(), dtype=float)
    finite = np.flatnonzero(np.isfinite(y))
    return (float(x[finite[-1]]), float(y[finite[-1]])) if len(finite) else None


def end_label(
    line: Line2D, words: str, theme: Theme, colour: str | None = None, bold: bool = False
) -> Label | None:
    """Words at the end of a line, in its colour or another; None where nothing of the line is drawn."""
    end = end_of(line)
    tint = text_colour(str(line.get_color()), theme.text) if colour is None else colour
    return None if end is None else Label(*end, words, tint, line, bold)


def term_label(line: Line2D, label: str, theme: Theme, value: float | None = None) -> Label | None:
    """The words at the end of a term: its name, and its value where there is room."""
    words = folded(label) if theme.narrow else label
    if value is not None and not theme.narrow:
        words += f"  {number(value)}"
    return end_label(line, words, theme)


def folded(words: str) -> str:
    """Two words in two lines."""
    return words.replace(" ", "\n", 1)


def shown_on_log(values: Array) -> Array:
    """What is not above 0 has no place on a logarithmic axis, and leaves a gap."""
    return np.where(np.asarray(values) > 0, values, np.nan)


def log_height(axes: Axes, curves: Sequence[Array], total: Array, must: Sequence[Array] = ()) -> None:
    """A logarithmic y axis: down to the lowest curve, but no deeper than what is negligible.

    Only ``must`` is followed further down. Sixty decades are shown at most. Where nothing is above 0, the
    axis stays as it is.
    """
    positive = [c[c > 0] for c in map(np.ravel, [*curves, total, *must]) if np.any(c > 0)]
    if not positive:
        return
    top, lowest = max(c.max() for c in positive), min(c.min() for c in positive)
    floor = NEGLIGIBLE * np.min(total[total > 0], initial=top)
    bottom = min([max(lowest, floor), *(c[c > 0].min() for c in must if np.any(c > 0))])
    bottom = max(bottom, 1e-60 * top)
    axes.set_yscale("log")
    room = max((top / bottom) ** 0.04, 1.15)
    axes.set_ylim(bottom / room, top * room)
    ticks_of_powers(axes, "y")


def ticks_of_powers(axes: Axes, which: str) -> None:
    """Ticks at powers of ten, in plain digits near 1; at 1, 2, 5 where there are less than two powers."""
    axis = axes.yaxis if which == "y" else axes.xaxis
    low, high = sorted(axes.get_ylim() if which == "y" else axes.get_xlim())
    decades = np.log10(high / low)
    fine = (1.0, 2.0, 5.0) if decades >= 0.5 else (1.0, 1.5, 2.0, 3.0, 4.0, 5.0, 7.0)
    steps = (1.0,) if decades >= 1.5 else fine
    axis.set_major_locator(LogLocator(subs=steps, numticks=8))
    axis.set_minor_locator(NullLocator())
    axis.set_major_formatter(FuncFormatter(lambda value, _: number(value)))


def whole_ticks(axes: Axes) -> None:
    """Few ticks on a linear x axis, at round numbers."""
    axes.xaxis.set_major_locator(MaxNLocator(nbins=5, steps=[1, 2, 5, 10]))


def evenly_spaced(count: int, most: int) -> list[int]:
    """At most ``most`` of the places 0, ..., count - 1, evenly spread, with both ends."""
    places = np.unique(np.round(np.linspace(0, count - 1, min(count, most))))
    return [int(place) for place in places]


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
    theme, x = theme_of(axes), part.x
    causes = {t.label: t.cause for t in prediction.theorem.terms}
    labels: list[Label | None] = []
    drawn_causes: set[str] = set()
    for label in drawn:
        line = draw_term(
            axes, x, part.arrays[label], causes[label], theme, again=causes[label] in drawn_causes
        )
        line.set_gid(f"term {label}")
        drawn_causes.add(causes[label])
        words = term_label(line, label, theme)
        if words is None:
            name = folded(label) if theme.narrow else label
            words = Label(x[-1], 0.0, f"{name}: 0", text_colour(str(line.get_color()), theme.text))
        labels.append(words)
    line = draw_total(axes, x, part.total, theme)
    labels.append(end_label(line, "bound", theme, theme.text, bold=True))
    frame(axes, part.along, x, [part.arrays[n] for n in drawn], part.total)
    _shade_outside(axes, x, part.holds, theme)
    if labelled:
        label_ends(axes, labels, theme.label_size)


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
    axes.set_xlabel(symbol(along) if theme_of(axes).narrow else f"{meaning(along)}  {symbol(along)}".strip())


def _shade_outside(axes: Axes, x: Array, holds: NDArray[np.bool_], theme: Theme) -> None:
    """Shade where the conditions on the step do not hold, half-way to the neighbours that are inside."""
    if holds.all():
        return
    log = axes.get_xscale() == "log"
    middles = np.sqrt(x[1:] * x[:-1]) if log else (x[1:] + x[:-1]) / 2
    left, right = axes.get_xlim()
    edges = np.concatenate([[left], middles, [right]])
    for start, stop in zip(edges[:-1][~holds], edges[1:][~holds], strict=True):
        axes.axvspan(start, stop, facecolor=theme.faint, alpha=0.2, linewidth=0, zorder=0.5, gid="outside")


def meaning(name: str) -> str:
    """What a quantity is, in a few words."""
    return ALPHABET[name].meaning.partition(",")[0] if name in ALPHABET else ""
