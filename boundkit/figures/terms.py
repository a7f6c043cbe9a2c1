"""Predicted terms against one parameter, or against two: in panels, both ways round.

Where the step size is outside the theorem's conditions the bound is not proved: there the ground is
shaded, and a note says so.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from numpy.typing import NDArray

from boundkit.algebra import BoundkitError, Theorem
from boundkit.algebra.notation import ALPHABET
from boundkit.analysis.predict import Prediction
from boundkit.figures.causes import colour, text_colour
from boundkit.figures.curves import draw_term, draw_total, end_of, folded, log_height, split, term_label, ticks_of_powers, whole_ticks
from boundkit.figures.labels import Label, label_ends
from boundkit.figures.style import SMALL, Ink, ink_of, sheet, style
from boundkit.figures.words import formula, letter, number, settings

Array = NDArray[np.float64]

PANELS = 3
"""How many values of the second parameter get a panel; more would be too narrow to read."""


def figure(prediction: Prediction, preset: str = "hall") -> Figure:
    """The picture of a prediction with one axis or two.

    With two, the upper row is against the first at values of the second, and the lower the other way
    round. Raises BoundkitError for another number of axes, or for an unknown preset.
    """
    axes_of = _axes_of(prediction)
    with style(preset):
        if len(axes_of) == 1:
            page = sheet()
            axes = page.subplots()
            left_out = draw(axes, prediction)
            axes.set_title(_height(prediction))
        else:
            page = sheet(height=1.6 if preset == "paper" else 1.3)
            left_out = _panels(page, prediction)
            axes = page.axes[0]
        page.suptitle(_headline(prediction), x=0.01, ha="left", wrap=True)
        ink = ink_of(axes)
        page.supxlabel(_footnote(prediction, left_out, ink.narrow), x=0.01, ha="left", wrap=True, color=ink.faint,
                       fontsize=ink.size * (1 if ink.narrow else SMALL))  # fmt: skip
    return page


def draw(axes: Axes, prediction: Prediction) -> list[str]:
    """Draw a prediction with one axis on given Axes; the labels of the terms too small to draw come back."""
    (along,) = _axes_of(prediction)
    x = np.asarray(prediction.parameters.values[along], dtype=float)
    order = np.argsort(x, kind="stable")
    drawn, zero, low = split(prediction.arrays, prediction._total)
    _draw_part(axes, prediction, _part(prediction, along, order, x[order]), drawn)
    return [*zero, *low]


def draw_totals(axes: Axes, prediction: Prediction) -> None:
    """Two axes on one Axes: the bound against the first, a line for each value of the second.

    A piece of a line has the colour of the cause that dominates there.
    """
    first, second = _axes_of(prediction)
    ink = ink_of(axes)
    x = np.asarray(prediction.parameters.values[first], dtype=float)
    others = np.asarray(prediction.parameters.values[second], dtype=float)
    causes = [t.cause for t in prediction.theorem.terms]
    labels = []
    total, dominant = prediction._total, prediction._dominant
    order = np.argsort(x, kind="stable")
    for column in _few(len(others), 2 * PANELS):
        height, winner = total[order, column], dominant[order, column]
        (line,) = axes.plot(x[order], height, color=ink.faint, linewidth=0.4 * ink.width)
        for place in sorted(set(winner.tolist())):
            mine = np.where(_touching(winner == place), height, np.nan)
            axes.plot(x[order], mine, color=colour(causes[place], ink.dark), linewidth=ink.width)
        end = end_of(line)
        if end is not None:
            last = colour(causes[int(winner[-1])], ink.dark)
            words = f"{letter(second)} = {number(float(others[column]), 3)}"
            labels.append(Label(*end, words, text_colour(last, ink.text), line))
    _frame(axes, first, x[order], [total], total)
    _key_of_winners(axes, [causes[place] for place in sorted(set(dominant.ravel().tolist()))], ink)
    label_ends(axes, labels, ink.size)


def _key_of_winners(axes: Axes, causes: Sequence[str], ink: Ink) -> None:
    names = list(dict.fromkeys(causes))
    lines = [Line2D([], [], color=colour(name, ink.dark), linewidth=ink.width) for name in names]
    axes.legend(lines, names, title="dominated by", frameon=False, alignment="left", fontsize=0.9 * ink.size,
                title_fontsize=0.9 * ink.size)  # fmt: skip


def usual_axes(theorem: Theorem, given: Sequence[str]) -> dict[str, list[float]]:
    """What to vary where nobody said: tau and C, or what the theorem has of tau, eta and T."""
    known = {q.name for q in theorem.quantities} - set(given)
    if {"tau", "C", "m"} <= known:
        clients = int(ALPHABET["m"].typical)
        return {"tau": _counts(1, 100), "C": [n / clients for n in _counts(1, clients)]}
    if "tau" in known:
        return {"tau": _counts(1, 100)}
    if "eta" in known:
        return {"eta": np.geomspace(1e-4, 1, 33).tolist()}
    return {"T": _counts(1, 10_000)}


def _counts(low: int, high: int) -> list[float]:
    return np.unique(np.round(np.geomspace(low, high, 41))).tolist()


def _panels(page: Figure, prediction: Prediction) -> list[str]:
    first, second = prediction.axes
    values = {n: np.asarray(prediction.parameters.values[n], dtype=float) for n in (first, second)}
    columns = min(PANELS - (mpl.rcParams["font.size"] < 10), *(len(v) for v in values.values()))
    grid = page.subplots(2, columns, sharey=True, squeeze=False)
    drawn, zero, low = split(prediction.arrays, prediction._total)
    for row, (along, across) in enumerate(((first, second), (second, first))):
        order = np.argsort(values[along], kind="stable")
        chosen = _few(len(values[across]), columns)
        for place, index in enumerate(chosen):
            axes: Axes = grid[row, place]
            at: tuple[Any, ...] = (order, index) if row == 0 else (index, order)
            part = _part(prediction, along, at, values[along][order])
            _draw_part(axes, prediction, part, drawn, labelled=place == len(chosen) - 1)
            axes.set_xlabel(letter(along))
            axes.set_title(f"{letter(across)} = {number(float(values[across][index]), 3)}")
    log_height(grid[0, 0], [prediction.arrays[n] for n in drawn], prediction._total)
    return [*zero, *low]


@dataclass(frozen=True)
class _Part:
    """A prediction along one axis, all else fixed."""

    along: str
    x: Array
    arrays: dict[str, Array]
    total: Array
    holds: NDArray[np.bool_]


def _part(prediction: Prediction, along: str, at: Any, x: Array) -> _Part:
    arrays = {label: np.asarray(values)[at] for label, values in prediction.arrays.items()}
    return _Part(along, x, arrays, prediction._total[at], prediction._holds[at])


def _draw_part(axes: Axes, prediction: Prediction, part: _Part, drawn: list[str], labelled: bool = True) -> None:
    ink, x = ink_of(axes), part.x
    causes = {t.label: t.cause for t in prediction.theorem.terms}
    labels: list[Label | None] = []
    seen: set[str] = set()
    for label in drawn:
        line = draw_term(axes, x, part.arrays[label], causes[label], ink, again=causes[label] in seen)
        line.set_gid(f"term {label}")
        seen.add(causes[label])
        words = term_label(line, label, ink)
        labels.append(words or Label(x[-1], 0.0, f"{folded(label) if ink.narrow else label}: 0", text_colour(str(line.get_color()), ink.text)))
    line = draw_total(axes, x, part.total, ink)
    line.set_gid("bound")
    end = end_of(line)
    labels.append(None if end is None else Label(*end, "bound", ink.text, line, bold=True))
    _frame(axes, part.along, x, [part.arrays[n] for n in drawn], part.total)
    _shade_outside(axes, x, part.holds, ink)
    if labelled:
        label_ends(axes, [label for label in labels if label is not None], ink.size if ink.narrow else 0.92 * ink.size)


def _frame(axes: Axes, along: str, x: Array, curves: list[Array], total: Array) -> None:
    if len(x) > 1 and x[0] > 0 and x[-1] / x[0] >= 8:
        axes.set_xscale("log")
        axes.set_xlim(x[0], x[-1])
        ticks_of_powers(axes, "x")
    else:
        axes.set_xlim(*((x[0], x[-1]) if x[-1] > x[0] else (x[0] - 0.5, x[0] + 0.5)))
        whole_ticks(axes)
    log_height(axes, curves, total)
    axes.set_xlabel(letter(along) if ink_of(axes).narrow else f"{_meaning(along)}  {letter(along)}".strip())


def _shade_outside(axes: Axes, x: Array, holds: Array, ink: Ink) -> None:
    """Shade where the conditions on the step do not hold, half-way to the neighbours that are inside."""
    if holds.all():
        return
    log = axes.get_xscale() == "log"
    middles = np.sqrt(x[1:] * x[:-1]) if log else (x[1:] + x[:-1]) / 2
    left, right = axes.get_xlim()
    edges = np.concatenate([[left], middles, [right]])
    for start, stop in zip(edges[:-1][~holds], edges[1:][~holds], strict=True):
        axes.axvspan(start, stop, facecolor=ink.faint, alpha=0.2, linewidth=0, zorder=0.5, gid="outside")


def _touching(mine: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """The points, and the first one after each run of them, so that pieces of a line meet."""
    return mine | np.concatenate([[False], mine[:-1]])


def _few(count: int, most: int) -> list[int]:
    """At most ``most`` of the places 0, ..., count - 1, evenly spread, with both ends."""
    return np.unique(np.round(np.linspace(0, count - 1, min(count, most)))).astype(int).tolist()


def _axes_of(prediction: Prediction) -> tuple[str, ...]:
    if len(prediction.axes) not in (1, 2):
        had = "none" if not prediction.axes else f"{len(prediction.axes)}: {', '.join(prediction.axes)}"
        raise BoundkitError(
            f"a picture of terms needs one or two parameters that are lists, but the prediction has {had}."
        )
    return prediction.axes


def _meaning(name: str) -> str:
    return ALPHABET[name].meaning.partition(",")[0] if name in ALPHABET else ""


def _height(prediction: Prediction) -> str:
    return f"bound on  {formula(prediction.theorem.claim.latex) or prediction.theorem.claim.plain}"


def _headline(prediction: Prediction) -> str:
    names = " and ".join(letter(n) for n in prediction.axes)
    what = f"the bound on the {prediction.theorem.claim.name}" if len(prediction.axes) == 2 else "the bound"
    return f"{prediction.theorem.name}: {what} against {names}"


def _footnote(prediction: Prediction, left_out: list[str], narrow: bool) -> str:
    values = {n: float(v) for n, v in prediction.parameters.values.items() if n not in prediction.axes}
    sentences = [settings(values)]
    if len(prediction.axes) == 2 or narrow:
        sentences += [f"{letter(n)}: {_meaning(n)}" for n in prediction.axes if _meaning(n)]
    if prediction.up_to_constants:
        sentences.append("Up to constants")
    if prediction.outside:
        sentences.append("Shaded: the step size is outside the condition, and the bound is not proved")
    if left_out:
        sentences.append(f"0, or too small to draw: {', '.join(left_out)}")
    return ". ".join(sentences) + "."
