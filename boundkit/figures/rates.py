"""The exponents of theorems beside those of runs: a block a cause, a line a quantity, a dot a theorem's term.

A term is measured where its cause is the only error. A dot is the exponent that was measured, with the 99 %
interval of how far it is from the predicted one; the upright mark is the predicted one. Left or right of its
mark, a dot says that the bound grows faster than what it bounds: slack, no mistake.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MultipleLocator

from boundkit.algebra import CAUSES, BoundkitError
from boundkit.algebra.notation import ALPHABET
from boundkit.figures.number_format import symbol
from boundkit.figures.style import Ink, finish, ink_of, sheet, style, text_colour
from boundkit.figures.style import colour as colour_of
from boundkit.figures.tightness import QUICK
from boundkit.verification.checks.slopes import TOLERANCE
from boundkit.verification.tabular_result import TabularResult

WHOLE = "up to constants"
"""The block of whole bounds, whose constants are open."""
LEVELS, SPREAD = 4, 0.6
"""Levels of the dots of one line, which would hide each other, and the part of the line that they take."""


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
        return abs(self.measured - self.predicted) > TOLERANCE

    @property
    def ends(self) -> tuple[float, float]:
        """What is drawn of it: its interval and its prediction."""
        return (
            min(self.predicted, self.measured - self.margin),
            max(self.predicted, self.measured + self.margin),
        )


@dataclass(frozen=True)
class Block:
    """The exponents of one cause, by quantity; of whole bounds where the cause is empty."""

    cause: str
    rows: dict[str, list[Exponent]]

    def colour(self, dark: bool) -> str | None:
        """The colour of the cause; None for whole bounds."""
        return colour_of(self.cause, dark) if self.cause else None


def exponents_of(record: TabularResult) -> list[Exponent]:
    """All that the record holds; rates of decay, which are no powers, are left out."""
    names = ("theorem", "cause", "quantity", "measured", "margin", "predicted", "outcome")
    heads = [f"slopes {name}" for name in names]
    if heads[0] not in record.columns:
        return []
    every = [Exponent(*row) for row in zip(*(record.columns[head] for head in heads), strict=True)]
    return [one for one in every if not (one.quantity == "T" and one.margin == 0)]


def figure(record: TabularResult, preset: str = "presentation") -> Figure:
    """The picture of the record ``verified``.

    Raises BoundkitError where it has no slopes, or for an unknown preset.
    """
    every = exponents_of(record)
    if not every:
        raise BoundkitError("no slope was fitted in this record, so that there is nothing to draw.")
    blocks = blocks_of(every)
    with style(preset):
        across = min(2 if preset == "paper" else 3, len(blocks))
        parts = in_columns(blocks, across)
        rows = max(map(_height, parts))
        page = sheet(height=0.45 + 0.048 * rows if preset == "paper" else max(1.0, 0.3 + 0.046 * rows))
        columns = page.subplots(1, len(parts), squeeze=False)[0]
        for axes, part in zip(columns, parts, strict=True):
            draw(axes, part, rows)
        ink = ink_of(columns[0])
        columns[0].set_xlabel("exponent", loc="left")
        finish(page, _headline(every), _note(record, every, ink), ink)
    return page


def blocks_of(every: Sequence[Exponent]) -> list[Block]:
    """By cause, in the order of causes, and by quantity in that of the alphabet; whole bounds at the end."""
    record = []
    for cause in (*CAUSES, ""):
        shown = [one for one in every if one.cause == cause]
        named = [*ALPHABET, *(one.quantity for one in shown)]
        quantities = [name for name in dict.fromkeys(named) if any(one.quantity == name for one in shown)]
        rows = {name: [one for one in shown if one.quantity == name] for name in quantities}
        record += [Block(cause, rows)] if rows else []
    return record


def in_columns(blocks: Sequence[Block], across: int) -> list[list[Block]]:
    """The blocks in so many columns, in their order, the tallest as low as can be."""
    cuts = combinations(range(1, len(blocks)), across - 1)
    ways = [[list(blocks[start:stop]) for start, stop in pairwise((0, *cut, len(blocks)))] for cut in cuts]
    return min(ways, key=lambda parts: max(map(_height, parts)))


def _height(part: Sequence[Block]) -> int:
    return sum(len(block.rows) + 1 for block in part)


def draw(axes: Axes, part: Sequence[Block], rows: int) -> None:
    """Blocks below each other on Axes with room for ``rows`` lines: a heading, then a line a quantity."""
    ink = ink_of(axes)
    at, names = 0, {}
    for block in part:
        heading = text_colour(block.colour(ink.dark) or ink.text, ink.text)
        axes.annotate(
            block.cause or WHOLE, (0, at + 0.15), xycoords=("axes fraction", "data"), va="center",
            fontsize=ink.label_size, color=heading, fontweight="bold", gid=f"heading {block.cause or WHOLE}",
        )  # fmt: skip
        for name, shown in block.rows.items():
            at += 1
            names[at] = symbol(name) if name in ALPHABET else name
            _line(axes, at, block, shown, ink)
        at += 1
    axes.set_yticks([*names], [*names.values()])
    axes.set_ylim(rows - 0.4, -0.6)
    axes.tick_params(axis="y", length=0)
    axes.grid(visible=False, axis="y")
    axes.spines["left"].set_visible(False)
    every = [end for block in part for shown in block.rows.values() for one in shown for end in one.ends]
    axes.set_xlim(min(every) - 0.3, max(every) + 0.3)
    wide = max(every) - min(every) > (4 if ink.narrow else 8)
    axes.xaxis.set_major_locator(MultipleLocator(2 if wide else 1))


def _line(axes: Axes, row: int, block: Block, shown: Sequence[Exponent], ink: Ink) -> None:
    """The dots of one quantity, on levels, each with the mark of its prediction, and how many they are."""
    here = sorted(shown, key=lambda one: (one.predicted, one.measured))
    y = np.array([row + SPREAD * ((place % LEVELS + 0.5) / LEVELS - 0.5) for place in range(len(here))])
    measured, predicted = np.array([(one.measured, one.predicted) for one in here]).T
    colour = block.colour(ink.dark) or ink.faint
    name = f"{block.cause or WHOLE}, {here[0].quantity}"
    size = 0.5 * float(mpl.rcParams["lines.markersize"])
    left, right = np.array([one.ends for one in here]).T
    axes.hlines(y, left, right, color=colour, alpha=0.5, linewidth=0.3 * ink.width, gid=f"margin {name}")
    axes.plot(predicted, y, linestyle="none", marker="|", markersize=2.4 * size, color=ink.text,
              markeredgewidth=0.4 * ink.width, gid=f"predicted {name}")  # fmt: skip
    axes.plot(measured, y, linestyle="none", marker="o", markersize=size, color=colour, markeredgewidth=0,
              zorder=2.5, gid=f"measured {name}")  # fmt: skip
    wrong = np.array([one.outcome == "violated" for one in here])
    axes.plot(measured[wrong], y[wrong], linestyle="none", marker="X", markersize=2 * size, color=ink.text,
              zorder=3, gid=f"violated {name}")  # fmt: skip
    axes.annotate(
        str(len(here)), (1, row), xycoords=("axes fraction", "data"), va="center", ha="left",
        fontsize=ink.note_size, color=ink.faint, gid=f"count {name}",
    )  # fmt: skip


def _headline(every: Sequence[Exponent]) -> str:
    as_said = sum(not one.off for one in every)
    wrong = sum(one.outcome == "violated" for one in every)
    rest = f"{wrong} are violated" if wrong else "the others are slack"
    return f"{as_said} of {len(every)} exponents are measured as predicted, within {TOLERANCE}; {rest}"


def _note(record: TabularResult, every: Sequence[Exponent], ink: Ink) -> str:
    theorems = len({one.theorem for one in every})
    text = f"Exponents of {theorems} theorems, each cause alone. Upright: predicted. Dot: measured"
    if not ink.narrow:
        text += ", with its 99\N{NBSP}% interval. At the right: how many. Up to constants: whole bounds"
    return f"{text}. {QUICK}." if record.values["quick"] else f"{text}."
