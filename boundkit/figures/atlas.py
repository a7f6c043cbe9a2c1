"""The tightness atlas: every bound and every term on one axis, how much of it some instance needs.

A line is a theorem, the tightest first. Its upright mark is the largest measured/bound; a dot is a term, in
the colour of its cause, at the share of its constant that some instance needs, and never right of the mark.
At the left stand, as rings, the terms of which no instance shows that they are needed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil
from typing import Any, NamedTuple

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from boundkit.algebra import CAUSES, BoundkitError
from boundkit.attack.atlas import ATTAINED
from boundkit.figures.causes import colour as colour_of
from boundkit.figures.page import finish, sheet
from boundkit.figures.style import Ink, ink_of, style
from boundkit.figures.words import number
from boundkit.verify.checks.upper import ROUNDING
from boundkit.verify.demonstrated import Demonstrated

LEAST = 1e-2
"""Smaller shares stand here, as arrows."""
TICKS = (0.01, 0.1, 0.25, 1)
RINGS = 0.14
"""Rings stand between LEAST and so much of it, room for eight."""
RIGHT = 1.15
NEAR = 4.0
"""The headline counts the constants that could be at most so many times smaller."""


@dataclass(frozen=True)
class Form:
    """How a preset sets the atlas: columns, points a line at most, points of names, inches.

    ``tallest``: no page is taller, so that lines stand closer where theorems are many.
    """

    columns: int
    pitch: float
    names: float
    width: float
    tallest: float
    rest: float


SCREEN = Form(columns=3, pitch=22.0, names=11.0, width=13.33, tallest=14.0, rest=3.3)
PAPER = Form(columns=2, pitch=15.0, names=6.8, width=7.0, tallest=9.6, rest=1.5)
"""A whole page: in one column of a paper nobody could read the names."""


@dataclass(frozen=True)
class Row:
    """A theorem, its ratio, and its terms as (term, cause, share)."""

    theorem: str
    kind: str
    ratio: float
    terms: tuple[tuple[str, str, float | None], ...]


def rows_of(found: Demonstrated) -> list[Row]:
    """The theorems that have a ratio, the tightest first."""
    heads = [found.columns[f"terms {name}"] for name in ("theorem", "term", "cause", "share")]
    terms: dict[str, list[tuple[str, str, float | None]]] = {}
    for theorem, *term in zip(*heads, strict=True):
        terms.setdefault(theorem, []).append((term[0], term[1], term[2]))
    whole = [found.columns[f"theorems {name}"] for name in ("theorem", "kind", "ratio")]
    rows = [
        Row(theorem, kind, ratio, tuple(terms.get(theorem, ())))
        for theorem, kind, ratio in zip(*whole, strict=True)
        if ratio is not None
    ]
    return sorted(rows, key=lambda row: (-row.ratio, row.theorem))


def figure(found: Demonstrated, preset: str = "hall") -> Figure:
    """The picture of the record ``atlas``.

    Raises BoundkitError where no theorem has a ratio, or for an unknown preset.
    """
    rows = rows_of(found)
    if not rows:
        raise BoundkitError("no theorem of this record has a ratio, so that there is nothing to draw.")
    with style(preset):
        form = PAPER if preset == "paper" else SCREEN
        deep = ceil(len(rows) / form.columns)
        page = _sheet(form, deep)
        key, *panels = _panels(page, form)
        ink = ink_of(key)
        for place, axes in enumerate(panels):
            draw(axes, rows[place * deep : (place + 1) * deep], deep, form.names)
        panels[0].set_xlabel("share of the constant that some instance needs", loc="left")
        _key(key, rows, ink)
        finish(page, _headline(rows), _note(found, ink), ink)
    return page


def _sheet(form: Form, deep: int) -> Figure:
    usual = float(mpl.rcParams["figure.figsize"][1])
    height = min(form.rest + (deep + 1) * form.pitch / 72, form.tallest)
    with mpl.rc_context({"figure.figsize": (form.width, usual)}):
        return sheet(height=height / usual)


def _panels(page: Figure, form: Form) -> list[Axes]:
    """A strip for the key above, then the columns."""
    height = page.get_figheight() - form.rest
    grid = page.add_gridspec(2, form.columns, height_ratios=[0.25 * form.rest, height])
    key = page.add_subplot(grid[0, :])
    key.set_axis_off()
    return [key, *(page.add_subplot(grid[1, column]) for column in range(form.columns))]


def draw(axes: Axes, rows: Sequence[Row], deep: int, names: float) -> None:
    """Lines below each other on Axes with room for ``deep`` of them, each below its name."""
    ink = ink_of(axes)
    axes.set_xscale("log")
    axes.set_xlim(LEAST * RINGS, RIGHT)
    axes.set_ylim(deep - 0.3, -0.6)
    axes.set_yticks([])
    axes.set_xticks(TICKS, [number(tick) for tick in TICKS])
    axes.set_xticks([], minor=True)
    for side in ("left", "bottom"):
        axes.spines[side].set_visible(False)
    axes.tick_params(axis="x", length=0, labelsize=ink.note_size, labeltop=True)
    axes.axvline(1, color=ink.text, linewidth=0.4 * ink.width, zorder=1.5, gid="the bound")
    for place, row in enumerate(rows):
        name = axes.text(
            0, place - 0.2, row.theorem, transform=axes.get_yaxis_transform(), va="center", fontsize=names,
            color=ink.text, gid=f"name {row.theorem}",
        )  # fmt: skip
        name.set_in_layout(False)
    axes.hlines(
        [place + LINE for place in range(len(rows))], *axes.get_xlim(), zorder=1.1,
        color=mpl.rcParams["grid.color"], linewidth=0.35 * ink.width,
    )  # fmt: skip
    for mark, points in _marks(rows).items():
        x, y = zip(*points, strict=True)
        axes.plot(x, y, linestyle="none", gid=mark.name, **mark.look(ink))


LINE = 0.28
"""How far below the middle of its row a theorem's line is; its name is above."""
TOUCHING, LIFT = 0.05, 0.2
"""Dots nearer than this, in powers of ten, would hide each other: every other one is lifted off the line."""


class Mark(NamedTuple):
    """What stands for a bound, where ``cause`` is empty, or a term: ``how`` is at, below or ring."""

    cause: str
    how: str

    @property
    def name(self) -> str:
        """The name of all marks of one panel that look alike."""
        return f"{self.how} {self.cause or 'whole bound'}"

    def look(self, ink: Ink) -> dict[str, Any]:
        """For matplotlib."""
        size = float(mpl.rcParams["lines.markersize"])
        size *= 1.1 if ink.narrow else 0.85
        colour = colour_of(self.cause, ink.dark) if self.cause else ink.text
        if self.how == "ring":
            return {"marker": "o", "markersize": 0.8 * size, "markerfacecolor": ink.ground,
                    "markeredgecolor": colour if self.cause else ink.faint,
                    "markeredgewidth": 0.4 * ink.width, "zorder": 2.5}  # fmt: skip
        if self.how == "at" and not self.cause:
            return {"marker": "|", "markersize": 1.65 * size, "color": colour,
                    "markeredgewidth": 0.85 * ink.width, "zorder": 2}  # fmt: skip
        return {"marker": "o" if self.how == "at" else "<", "markersize": size, "color": colour,
                "markeredgecolor": ink.ground, "markeredgewidth": 0.2 * ink.width,
                "zorder": 2.5 if self.cause else 2}  # fmt: skip


def _marks(rows: Sequence[Row]) -> dict[Mark, list[tuple[float, float]]]:
    """The points of each mark."""
    found: dict[Mark, list[tuple[float, float]]] = {}

    def put(cause: str, share: float, y: float) -> None:
        how = "at" if share >= LEAST else "below"
        found.setdefault(Mark(cause, how), []).append((max(share, LEAST), y))

    for place, row in enumerate(rows):
        y = place + LINE
        put("", row.ratio, y)
        shown = sorted((share, cause) for _, cause, share in row.terms if share is not None)
        for (share, cause), up in zip(shown, _levels([share for share, _ in shown]), strict=True):
            put(cause, share, y - up)
        silent = [cause for _, cause, share in row.terms if share is None]
        for count, cause in enumerate(silent):
            at = LEAST * RINGS ** (1 - (count + 0.4) / 8)
            found.setdefault(Mark(cause, "ring"), []).append((at, y))
    return found


def _levels(shares: Sequence[float]) -> list[float]:
    """How far each dot is lifted off its line; shares rise."""
    lifted: list[float] = []
    for place, share in enumerate(shares):
        near = place > 0 and np.log10(max(share, LEAST) / max(shares[place - 1], LEAST)) < TOUCHING
        lifted.append(LIFT if near and not lifted[-1] else 0.0)
    return lifted


def _key(axes: Axes, rows: Sequence[Row], ink: Ink) -> None:
    """What the marks mean, and every cause that is there, in the order of causes."""
    present = {cause for row in rows for _, cause, _ in row.terms}
    known = {"whole bound": Mark("", "at")}
    known |= {cause: Mark(cause, "at") for cause in CAUSES if cause in present}
    known["no instance shows the need"] = Mark("", "ring")
    marks = [Line2D([], [], linestyle="none", label=name, **mark.look(ink)) for name, mark in known.items()]
    legend = axes.legend(
        handles=marks, loc="upper left", ncols=5, frameon=False, fontsize=0.92 * ink.note_size,
        handletextpad=0.1, columnspacing=1.2, labelspacing=0.3, borderpad=0, borderaxespad=0,
    )  # fmt: skip
    legend.set_in_layout(False)  # the strip has room for it, and a layout would narrow the columns


def _headline(rows: Sequence[Row]) -> str:
    wrong = sum(row.ratio > 1 + ROUNDING for row in rows)
    if wrong:
        return f"{wrong} of {len(rows)} bounds {'is' if wrong == 1 else 'are'} violated"
    attained = sum(row.ratio >= ATTAINED for row in rows)
    terms = [share for row in rows for _, _, share in row.terms]
    near = sum(share is not None and share >= 1 / NEAR for share in terms)
    return (
        f"{attained} of {len(rows)} bounds are attained within 1\N{NBSP}%; "
        f"{near} of {len(terms)} constants are needed within a factor of {number(NEAR)}"
    )


def _note(found: Demonstrated, ink: Ink) -> str:
    said = "A dot is a term: at 0.1 its constant could be at most 10 times smaller, as some instance shows"
    opened = sum(kind == "order" for kind in found.columns["theorems kind"])
    if not ink.narrow and opened:
        said += f". Left out, as their constants are open: {opened} more"
    return f"{said}."
