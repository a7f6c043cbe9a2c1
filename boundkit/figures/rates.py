"""The exponents of theorems beside those of runs: how far the measured ones are from the predicted ones.

A term is measured where its cause is the only error. A line a cause says how many exponents are as predicted,
and how far these extend; each other one has a line of its own, with its name and the 99 % interval. Left or
right of 0, a dot says that the bound grows faster than what it bounds: slack, no mistake.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from textwrap import fill

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MultipleLocator

from boundkit.algebra import CAUSES, BoundkitError
from boundkit.algebra.notation import ALPHABET
from boundkit.figures.number_format import symbol
from boundkit.figures.style import Theme, empty_figure, finish, style, text_colour, theme_of
from boundkit.figures.style import colour as colour_of
from boundkit.figures.tightness import QUICK
from boundkit.theorems import catalogue
from boundkit.verification.checks.slopes import TOLERANCE
from boundkit.verification.tabular_result import TabularResult

WHOLE = "up to constants"
"""The line of whole bounds, whose constants are open."""
REACH = 1.15
"""Differences are drawn up to here; an interval that goes on is cut."""


@dataclass(frozen=True)
class Exponent:
    """An exponent of one theorem's term in one quantity."""

    theorem: str
    cause: str
    quantity: str
    measured: float
    margin: float
    predicted: float
    outcome: str

    @property
    def off(self) -> bool:
        """Whether measured and predicted differ by more than a finite sweep may bend them."""
        return abs(self.difference) > TOLERANCE

    @property
    def difference(self) -> float:
        """Measured minus predicted."""
        return self.measured - self.predicted

    def words(self, most: int) -> str:
        """Its quantity and the title of its theorem, in lines of at most so many characters."""
        known = catalogue().get(self.theorem)
        letter = symbol(self.quantity) if self.quantity in ALPHABET else self.quantity
        return f"{letter}: {fill(known.title if known else self.theorem, most, break_on_hyphens=False)}"


def exponents_of(record: TabularResult) -> list[Exponent]:
    """All that the record holds; rates of decay, which are no powers, are left out."""
    names = ("theorem", "cause", "quantity", "measured", "margin", "predicted", "outcome")
    heads = [f"slopes {name}" for name in names]
    if heads[0] not in record.columns:
        return []
    rows = zip(*(record.columns[head] for head in heads), strict=True)
    every = [
        Exponent(name, cause, quantity, float(measured), float(margin), float(predicted), outcome)
        for name, cause, quantity, measured, margin, predicted, outcome in rows
    ]
    return [one for one in every if not (one.quantity == "T" and one.margin == 0)]


def figure(record: TabularResult, preset: str = "presentation") -> Figure:
    """The picture of the record ``verified``.

    Raises BoundkitError where it has no slopes, or for an unknown preset.
    """
    every = exponents_of(record)
    if not every:
        raise BoundkitError("no slope was fitted in this record, so that there is nothing to draw.")
    with style(preset):
        narrow = preset == "paper"
        lines = _lines(every, 29 if narrow else 60)
        rows = sum(line.tall for line in lines)
        page = empty_figure(height=0.4 + 0.05 * rows if narrow else max(0.8, 0.3 + 0.039 * rows))
        axes, names = page.subplots(1, 2, width_ratios=(1, 1.7) if narrow else (1, 1.35))
        theme = theme_of(axes)
        _draw(axes, names, lines, theme)
        finish(page, _headline(every), _note(record, every, theme), theme)
    return page


def by_cause(every: Sequence[Exponent]) -> dict[str, list[Exponent]]:
    """In the order of causes, whole bounds at the end, the farthest from its prediction first."""
    shown = {cause: [one for one in every if one.cause == cause] for cause in (*CAUSES, "")}
    return {cause: sorted(ones, key=_deviation, reverse=True) for cause, ones in shown.items() if ones}


def _deviation(one: Exponent) -> float:
    return abs(one.difference)


@dataclass(frozen=True)
class Line:
    """A line of the picture: a cause with the ends of what is as predicted, or one exponent that is not."""

    cause: str
    words: str
    ends: tuple[float, float] | None = None
    outlier: Exponent | None = None

    @property
    def tall(self) -> int:
        """How many lines its words take."""
        return self.words.count("\n") + 1


def _lines(every: Sequence[Exponent], most: int) -> list[Line]:
    """Names are broken after ``most`` characters."""
    lines = []
    for cause, ones in by_cause(every).items():
        good = [one.difference for one in ones if not one.off]
        ends = (min(good), max(good)) if good else None
        lines.append(Line(cause, f"{cause or WHOLE}: {len(good)} of {len(ones)}", ends))
        lines += [Line(cause, one.words(most), outlier=one) for one in ones if one.off]
    return lines


def _draw(axes: Axes, names: Axes, lines: Sequence[Line], theme: Theme) -> None:
    """The differences on Axes, and the words of each line beside them."""
    axes.axvspan(-TOLERANCE, TOLERANCE, color=theme.faint, alpha=0.18, linewidth=0, gid="as predicted")
    names.set_axis_off()
    row = 0.0
    for line in lines:
        tint, at = colour_of(line.cause, theme.dark) if line.cause else theme.faint, row + line.tall / 2
        if line.outlier:
            _draw_outlier(axes, at, line.outlier, tint, theme)
        elif line.ends:
            axes.plot(
                line.ends, [at, at], color=tint, linewidth=3 * theme.width, marker="o",
                markersize=3 * theme.width, gid=f"as predicted {line.cause or WHOLE}",
            )  # fmt: skip
        shown = names.text(
            0, at, line.words, va="center", fontsize=theme.note_size if line.outlier else theme.label_size,
            fontweight="normal" if line.outlier else "bold",
            color=theme.text if line.outlier else text_colour(tint, theme.text),
        )  # fmt: skip
        shown.set_in_layout(False)
        row += line.tall
    for one in (axes, names):
        one.set_ylim(row, 0)
    axes.set_xlim(-REACH, REACH)
    axes.set_yticks([])
    axes.spines["left"].set_visible(False)
    axes.xaxis.set_major_locator(MultipleLocator(1 if theme.narrow else 0.5))
    axes.set_xlabel("measured minus predicted exponent", loc="left")


def _draw_outlier(axes: Axes, at: float, one: Exponent, tint: str, theme: Theme) -> None:
    wrong, size = one.outcome == "violated", float(mpl.rcParams["lines.markersize"])
    low, high = (max(min(one.difference + side * one.margin, REACH), -REACH) for side in (-1, 1))
    axes.hlines(at, low, high, color=tint, alpha=0.5, linewidth=0.5 * theme.width)
    axes.plot(
        [one.difference], [at], linestyle="none", marker="X" if wrong else "o",
        color=theme.text if wrong else tint, markersize=(1.1 if wrong else 0.8) * size, markeredgewidth=0,
        zorder=2.5, gid=f"{one.outcome} {one.cause or WHOLE}, {one.quantity}, {one.theorem}",
    )  # fmt: skip


def _headline(every: Sequence[Exponent]) -> str:
    as_said = sum(not one.off for one in every)
    wrong = sum(one.outcome == "violated" for one in every)
    rest = f"{wrong} are violated" if wrong else "the others are slack"
    return f"{as_said} of {len(every)} exponents are measured as predicted, within {TOLERANCE}; {rest}"


def _note(record: TabularResult, every: Sequence[Exponent], theme: Theme) -> str:
    theorems = len({one.theorem for one in every})
    text = f"Exponents of {theorems} theorems, each cause alone. A dot: one that differs by more"
    if not theme.narrow:
        text += f" than {TOLERANCE}, with its 99\N{NBSP}% interval. Up to constants: whole bounds"
    return f"{text}. {QUICK}." if record.values["quick"] else f"{text}."
