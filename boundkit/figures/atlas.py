"""The tightness atlas: every bound and every term on one axis, how much of it some instance needs.

A line is a theorem, the tightest first. Its upright mark is the largest measured/bound; a dot is a term, in
the colour of its cause, at the share of its constant that some instance needs, and never right of the mark.
Rings at the left are the terms that no instance needs.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import ceil
from typing import Any, NamedTuple

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from boundkit.algebra import CAUSES, BoundkitError
from boundkit.algebra.errors import unknown
from boundkit.attack.atlas import ATTAINED, OPEN
from boundkit.figures.number_format import number
from boundkit.figures.style import LAYOUT, Ink, finish, ink_of, sheet, style
from boundkit.figures.style import colour as colour_of
from boundkit.verification.checks.bound_comparison import ROUNDING
from boundkit.verification.tabular_result import TabularResult

LEAST = 1e-2
"""Smaller shares are drawn here, as arrows."""
TICKS = (0.01, 0.1, 0.25, 1)
RINGS = 0.14
"""Rings are drawn between LEAST and this multiple of it, space for eight."""
RIGHT = 1.15
NEAR = 4.0
"""The headline counts the constants that could be at most so many times smaller."""


@dataclass(frozen=True)
class Form:
    """How a preset sets the atlas: columns, points a line at most, points of names, inches.

    ``tallest``: no page is taller, so that lines are closer where theorems are many. ``key``: the type of
    the key; ``tick``: how tall the mark of a bound is, in dots; ``lift``: how far above its line, in lines, a
    dot is that another would hide.
    """

    columns: int
    pitch: float
    names: float
    width: float
    tallest: float
    rest: float
    key: float
    tick: float
    lift: float


SCREEN = Form(
    columns=2, pitch=46.0, names=16.0, width=13.33, tallest=30.0, rest=3.1, key=12.0, tick=2.6, lift=0.15
)
PAPER = Form(columns=2, pitch=15.0, names=6.8, width=7.0, tallest=9.6, rest=1.5, key=7.4, tick=2.0, lift=0.2)
"""A whole page: in one column of a paper the names would be illegible."""


@dataclass(frozen=True)
class Row:
    """A theorem, its ratio, and its terms as (term, cause, share)."""

    theorem: str
    algorithm: str
    kind: str
    ratio: float
    terms: tuple[tuple[str, str, float | None], ...]


def rows_of(record: TabularResult) -> list[Row]:
    """The theorems that have a ratio, the tightest first."""
    heads = [record.columns[f"terms {name}"] for name in ("theorem", "term", "cause", "share")]
    terms: dict[str, list[tuple[str, str, float | None]]] = {}
    for theorem, *term in zip(*heads, strict=True):
        terms.setdefault(theorem, []).append((term[0], term[1], term[2]))
    whole = [record.columns[f"theorems {name}"] for name in ("theorem", "algorithm", "kind", "ratio")]
    rows = [
        Row(theorem, algorithm, kind, ratio, tuple(terms.get(theorem, ())))
        for theorem, algorithm, kind, ratio in zip(*whole, strict=True)
        if ratio is not None
    ]
    return sorted(rows, key=lambda row: (-row.ratio, row.theorem))


def picked(record: TabularResult, theorems: Sequence[str]) -> list[Row]:
    """The rows of these theorems, the tightest first.

    Raises BoundkitError for one that is not in the record, or has no ratio.
    """
    every = {row.theorem: row for row in rows_of(record)}
    silent = dict(zip(record.columns["theorems theorem"], record.columns["theorems silent"], strict=True))
    for name in theorems:
        if name not in silent:
            raise unknown("theorem", name, silent)
        if name not in every:
            raise BoundkitError(f"the atlas has no ratio of {name}: {silent[name]}.")
    return [row for row in every.values() if row.theorem in theorems]


def one_a_method(rows: Sequence[Row]) -> list[Row]:
    """Of each algorithm the theorem with most terms, one named after it where there is one, the tightest."""
    best: dict[str, tuple[tuple[bool, int], Row]] = {}
    for row in rows:  # the tightest first
        rank = (row.theorem.startswith(row.algorithm), len(row.terms))
        if row.algorithm not in best or rank > best[row.algorithm][0]:
            best[row.algorithm] = (rank, row)
    return [row for row in rows if best[row.algorithm][1] is row]


def figure(record: TabularResult, preset: str = "presentation", theorems: Sequence[str] = ()) -> Figure:
    """The picture of the record ``atlas``: of these theorems; else of all on paper, and of one a method.

    Raises BoundkitError where no theorem has a ratio, for a name that is not in the record or has no ratio,
    or for an unknown preset.
    """
    every = picked(record, theorems) if theorems else rows_of(record)
    if not every:
        raise BoundkitError("no theorem of this record has a ratio, so that there is nothing to draw.")
    with style(preset):
        form = PAPER if preset == "paper" else SCREEN
        rows = every if theorems or preset == "paper" else one_a_method(every)
        form = replace(form, columns=min(form.columns, len(rows)))
        deep = ceil(len(rows) / form.columns)
        page = _sheet(form, deep)
        key, *panels = _panels(page, form)
        ink = ink_of(key)
        for place, axes in enumerate(panels):
            draw(axes, rows[place * deep : (place + 1) * deep], deep, form)
        panels[0].set_xlabel("share of the constant that some instance needs", loc="left")
        _key(key, rows, ink, form)
        finish(page, _headline(every), _note(record, every, rows, bool(theorems)), ink)
    return page


def _sheet(form: Form, deep: int) -> Figure:
    usual = float(mpl.rcParams["figure.figsize"][1])
    height = min(form.rest + (deep + 1) * form.pitch / 72, form.tallest)
    width = LAYOUT.get().width or form.width
    with mpl.rc_context({"figure.figsize": (width, usual)}):
        return sheet(height=height / usual)


def _panels(page: Figure, form: Form) -> list[Axes]:
    """A strip for the key above, then the columns."""
    height = page.get_figheight() - form.rest
    grid = page.add_gridspec(2, form.columns, height_ratios=[0.25 * form.rest, height])
    key = page.add_subplot(grid[0, :])
    key.set_axis_off()
    return [key, *(page.add_subplot(grid[1, column]) for column in range(form.columns))]


def draw(axes: Axes, rows: Sequence[Row], deep: int, form: Form) -> None:
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
            0, place - 0.2, row.theorem, transform=axes.get_yaxis_transform(), va="center",
            fontsize=form.names, color=ink.text, gid=f"name {row.theorem}",
        )  # fmt: skip
        name.set_in_layout(False)
    axes.hlines(
        [place + LINE for place in range(len(rows))], *axes.get_xlim(), zorder=1.1,
        color=mpl.rcParams["grid.color"], linewidth=0.35 * ink.width,
    )  # fmt: skip
    for mark, points in _marks(rows, form).items():
        x, y = zip(*points, strict=True)
        axes.plot(x, y, linestyle="none", gid=mark.name, **mark.look(ink, form))


LINE = 0.28
"""How far below the middle of its row a theorem's line is; its name is above."""
TOUCHING = 0.05
"""Dots nearer than this, in powers of ten, would hide each other: every other one is lifted off the line."""


class Mark(NamedTuple):
    """The mark of a bound, where ``cause`` is empty, or of a term: ``how`` is at, below or ring."""

    cause: str
    how: str

    @property
    def name(self) -> str:
        """The name of all equal marks of one panel."""
        return f"{self.how} {self.cause or 'whole bound'}"

    def look(self, ink: Ink, form: Form) -> dict[str, Any]:
        """For matplotlib."""
        size = float(mpl.rcParams["lines.markersize"])
        size *= 1.1 if ink.narrow else 0.85
        colour = colour_of(self.cause, ink.dark) if self.cause else ink.text
        if self.how == "ring":
            return {"marker": "o", "markersize": 0.8 * size, "markerfacecolor": ink.ground,
                    "markeredgecolor": colour if self.cause else ink.faint,
                    "markeredgewidth": 0.4 * ink.width, "zorder": 2.5}  # fmt: skip
        if self.how == "at" and not self.cause:
            return {"marker": "|", "markersize": form.tick * size, "color": colour,
                    "markeredgewidth": 0.6 * ink.width, "zorder": 3}  # fmt: skip
        return {"marker": "o" if self.how == "at" else "<", "markersize": size, "color": colour,
                "markeredgecolor": ink.ground, "markeredgewidth": 0.2 * ink.width,
                "zorder": 2.5 if self.cause else 2}  # fmt: skip


def _marks(rows: Sequence[Row], form: Form) -> dict[Mark, list[tuple[float, float]]]:
    """The points of each mark."""
    points: dict[Mark, list[tuple[float, float]]] = {}

    def put(cause: str, share: float, y: float) -> None:
        how = "at" if share >= LEAST else "below"
        points.setdefault(Mark(cause, how), []).append((max(share, LEAST), y))

    for place, row in enumerate(rows):
        y = place + LINE
        put("", row.ratio, y)
        shown = sorted((share, cause) for _, cause, share in row.terms if share is not None)
        for (share, cause), up in zip(shown, _levels([share for share, _ in shown]), strict=True):
            put(cause, share, y - form.lift * up)
        silent = [cause for _, cause, share in row.terms if share is None]
        for count, cause in enumerate(silent):
            at = LEAST * RINGS ** (1 - (count + 0.4) / 8)
            points.setdefault(Mark(cause, "ring"), []).append((at, y))
    return points


def _levels(shares: Sequence[float]) -> list[int]:
    """Which dots are lifted off their line; shares rise."""
    lifted: list[int] = []
    for place, share in enumerate(shares):
        near = place > 0 and np.log10(max(share, LEAST) / max(shares[place - 1], LEAST)) < TOUCHING
        lifted.append(int(near and not lifted[-1]))
    return lifted


def _key(axes: Axes, rows: Sequence[Row], ink: Ink, form: Form) -> None:
    """What the marks mean, and every cause that is there, in the order of causes."""
    present = {cause for row in rows for _, cause, _ in row.terms}
    known = {"whole bound": Mark("", "at")}
    known |= {cause: Mark(cause, "at") for cause in CAUSES if cause in present}
    known["no instance shows the need"] = Mark("", "ring")
    marks = [
        Line2D([], [], linestyle="none", label=name, **mark.look(ink, form)) for name, mark in known.items()
    ]
    legend = axes.legend(
        handles=marks, loc="upper left", ncols=5, frameon=False, fontsize=form.key,
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


def _note(record: TabularResult, every: Sequence[Row], rows: Sequence[Row], named: bool) -> str:
    """How to read a dot, and which theorems of the catalogue are drawn: the counts add up to all of them."""
    sentences = [
        "A dot is a term: at 0.1 its constant could be at most 10 times smaller, as some instance shows"
    ]
    silent = record.columns["theorems silent"]
    if named:
        return f"{sentences[0]}. Drawn: {len(rows)} of the {len(silent)} theorems of the catalogue."
    if len(rows) < len(every):
        sentences.append(
            f"Drawn: {len(rows)} of the {len(every)}, of each method the theorem of its name with most terms"
        )
    why = Counter(reason for reason in silent if reason)
    left = "".join(f", and {count} of which {_reason(reason)}" for reason, count in why.items())
    sentences.append(f"The catalogue has {len(silent)} theorems: these {len(every)}{left}")
    return ". ".join(sentences) + "."


def _reason(silent: str) -> str:
    return "the constants are open" if silent == OPEN else silent
