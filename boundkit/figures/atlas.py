"""The tightness atlas: how much of every bound and of every term some instance needs.

The summary has a bar a cause, divided by the share of the constants that some instance needs, and the names
of the loosest bounds. In the picture of some theorems, or of all, a line is a theorem, the tightest first.
Its upright mark is the largest measured/bound; a dot is a term, in the colour of its cause, at the share of
its constant that some instance needs, and never right of the mark. Rings at the left are the terms that no
instance needs.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import ceil
from textwrap import fill
from typing import Any, NamedTuple

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import to_rgba
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from boundkit.algebra import CAUSES, BoundkitError
from boundkit.algebra.errors import unknown
from boundkit.attack.atlas import ATTAINED, OPEN
from boundkit.figures.number_format import number
from boundkit.figures.style import LAYOUT, Theme, empty_figure, finish, style, text_colour, theme_of
from boundkit.figures.style import colour as colour_of
from boundkit.theorems import catalogue
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
class AtlasLayout:
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


SCREEN = AtlasLayout(
    columns=2, pitch=46.0, names=16.0, width=13.33, tallest=30.0, rest=3.1, key=12.0, tick=2.6, lift=0.15
)
PAPER = AtlasLayout(
    columns=2, pitch=15.0, names=6.8, width=7.0, tallest=9.6, rest=1.5, key=7.4, tick=2.0, lift=0.2
)
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


def figure(record: TabularResult, preset: str = "presentation", theorems: Sequence[str] = ()) -> Figure:
    """The picture of the record ``atlas``: of these theorems; else of all on paper, and of all in summary.

    Raises BoundkitError where no theorem has a ratio, for a name that is not in the record or has no ratio,
    or for an unknown preset.
    """
    every = picked(record, theorems) if theorems else rows_of(record)
    if not every:
        raise BoundkitError("no theorem of this record has a ratio, so that there is nothing to draw.")
    with style(preset):
        if not theorems and preset != "paper":
            return _summary(record, every)
        form, rows = PAPER if preset == "paper" else SCREEN, every
        form = replace(form, columns=min(form.columns, len(rows)))
        deep = ceil(len(rows) / form.columns)
        page = _page_figure(form, deep)
        key, *panels = _panels(page, form)
        theme = theme_of(key)
        for place, axes in enumerate(panels):
            draw(axes, rows[place * deep : (place + 1) * deep], deep, form)
        panels[0].set_xlabel("share of the constant that some instance needs", loc="left")
        _key(key, rows, theme, form)
        finish(page, _headline(every), _note(record, rows, theme, bool(theorems)), theme)
    return page


CLASSES = {
    "needed": ATTAINED, "within 4": 1 / NEAR, "within 100": LEAST, "more": 0.0, "not shown": -1.0,
}  # fmt: skip
"""By how much a constant could be smaller, as far as is known, and the least share of each class."""
ALPHAS = (1.0, 0.62, 0.34, 0.16, 0.0)
LOOSEST = 8
"""So many of the loosest bounds are named."""


def _summary(record: TabularResult, rows: Sequence[Row]) -> Figure:
    page = empty_figure(height=1.3)
    bars, names = page.subplots(1, 2, width_ratios=(1.15, 1))
    theme = theme_of(bars)
    _draw_classes(bars, rows, theme)
    _name_loosest(names, rows, theme)
    finish(page, _headline(rows), _note(record, rows, theme, False), theme)
    return page


def classes_of(rows: Sequence[Row]) -> dict[str, list[int]]:
    """How many constants of each cause are in each class, and how many whole bounds, which come first."""
    shares: dict[str, list[float | None]] = {"whole bounds": [row.ratio for row in rows]}
    for cause in CAUSES:
        shares[cause] = [share for row in rows for _, of, share in row.terms if of == cause]
    least = list(CLASSES.values())
    return {
        name: np.bincount(
            [next(k for k, v in enumerate(least) if (-1 if s is None else s) >= v) for s in found],
            minlength=len(least),
        ).tolist()
        for name, found in shares.items() if found
    }  # fmt: skip


def _draw_classes(axes: Axes, rows: Sequence[Row], theme: Theme) -> None:
    for row, (name, counts) in enumerate(classes_of(rows).items()):
        tint, left = colour_of(name, theme.dark) if name in CAUSES else theme.faint, 0.0
        shown = axes.text(
            0, row - 0.34, f"{name}: {sum(counts)}", fontsize=theme.note_size, va="center", fontweight="bold",
            color=text_colour(tint, theme.text), gid=f"name {name}",
        )  # fmt: skip
        shown.set_in_layout(False)
        for (kind, count), alpha in zip(zip(CLASSES, counts, strict=True), ALPHAS, strict=True):
            wide = count / sum(counts)
            axes.barh(row + 0.12, wide, left=left, height=0.5, color=to_rgba(tint, alpha),
                      edgecolor=tint, linewidth=0.3 * theme.width, gid=f"{kind} {name}")  # fmt: skip
            if wide > 0.05:
                axes.text(left + wide / 2, row + 0.12, str(count), ha="center", va="center_baseline",
                          fontsize=theme.note_size,
                          color=theme.background if alpha == 1 else theme.text)  # fmt: skip
            left += wide
    axes.set(xlim=(0, 1), ylim=(len(classes_of(rows)) - 0.4, -0.7))
    axes.set_axis_off()
    marks = [
        Patch(facecolor=to_rgba(theme.faint, alpha), edgecolor=theme.faint, label=name)
        for name, alpha in zip(CLASSES, ALPHAS, strict=True)
    ]
    legend = axes.legend(
        handles=marks, loc="lower left", bbox_to_anchor=(0, 1), ncols=len(marks), frameon=False,
        fontsize=theme.note_size, handlelength=0.9, handletextpad=0.3, columnspacing=0.7, borderpad=0,
    )  # fmt: skip
    legend.set_in_layout(False)


def _name_loosest(axes: Axes, rows: Sequence[Row], theme: Theme) -> None:
    axes.set(xlim=(0, 1), ylim=(LOOSEST + 0.5, -0.9))
    axes.set_axis_off()
    axes.set_title("loosest: measured/bound", loc="left", fontsize=theme.label_size)
    for place, row in enumerate(reversed(rows[-LOOSEST:])):
        known = catalogue().get(row.theorem)
        texts = (number(row.ratio), fill(known.title if known else row.theorem, 33))
        for x, words in zip((0, 0.21), texts, strict=True):
            shown = axes.text(x, place, words, fontsize=theme.note_size, va="center", color=theme.text,
                              gid=f"loosest {row.theorem}")  # fmt: skip
            shown.set_in_layout(False)


def _page_figure(form: AtlasLayout, deep: int) -> Figure:
    usual = float(mpl.rcParams["figure.figsize"][1])
    height = min(form.rest + (deep + 1) * form.pitch / 72, form.tallest)
    width = LAYOUT.get().width or form.width
    with mpl.rc_context({"figure.figsize": (width, usual)}):
        return empty_figure(height=height / usual)


def _panels(page: Figure, form: AtlasLayout) -> list[Axes]:
    """A strip for the key above, then the columns."""
    height = page.get_figheight() - form.rest
    grid = page.add_gridspec(2, form.columns, height_ratios=[0.25 * form.rest, height])
    key = page.add_subplot(grid[0, :])
    key.set_axis_off()
    return [key, *(page.add_subplot(grid[1, column]) for column in range(form.columns))]


def draw(axes: Axes, rows: Sequence[Row], deep: int, form: AtlasLayout) -> None:
    """Lines below each other on Axes with room for ``deep`` of them, each below its name."""
    theme = theme_of(axes)
    axes.set_xscale("log")
    axes.set_xlim(LEAST * RINGS, RIGHT)
    axes.set_ylim(deep - 0.3, -0.6)
    axes.set_yticks([])
    axes.set_xticks(TICKS, [number(tick) for tick in TICKS])
    axes.set_xticks([], minor=True)
    for side in ("left", "bottom"):
        axes.spines[side].set_visible(False)
    axes.tick_params(axis="x", length=0, labelsize=theme.note_size, labeltop=True)
    axes.axvline(1, color=theme.text, linewidth=0.4 * theme.width, zorder=1.5, gid="the bound")
    for place, row in enumerate(rows):
        name = axes.text(
            0, place - 0.2, row.theorem, transform=axes.get_yaxis_transform(), va="center",
            fontsize=form.names, color=theme.text, gid=f"name {row.theorem}",
        )  # fmt: skip
        name.set_in_layout(False)
    axes.hlines(
        [place + LINE for place in range(len(rows))], *axes.get_xlim(), zorder=1.1,
        color=mpl.rcParams["grid.color"], linewidth=0.35 * theme.width,
    )  # fmt: skip
    for mark, points in _marks(rows, form).items():
        x, y = zip(*points, strict=True)
        axes.plot(x, y, linestyle="none", gid=mark.name, **mark.look(theme, form))


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

    def look(self, theme: Theme, form: AtlasLayout) -> dict[str, Any]:
        """For matplotlib."""
        size = float(mpl.rcParams["lines.markersize"])
        size *= 1.1 if theme.narrow else 0.85
        colour = colour_of(self.cause, theme.dark) if self.cause else theme.text
        if self.how == "ring":
            return {"marker": "o", "markersize": 0.8 * size, "markerfacecolor": theme.background,
                    "markeredgecolor": colour if self.cause else theme.faint,
                    "markeredgewidth": 0.4 * theme.width, "zorder": 2.5}  # fmt: skip
        if self.how == "at" and not self.cause:
            return {"marker": "|", "markersize": form.tick * size, "color": colour,
                    "markeredgewidth": 0.6 * theme.width, "zorder": 3}  # fmt: skip
        return {"marker": "o" if self.how == "at" else "<", "markersize": size, "color": colour,
                "markeredgecolor": theme.background, "markeredgewidth": 0.2 * theme.width,
                "zorder": 2.5 if self.cause else 2}  # fmt: skip


def _marks(rows: Sequence[Row], form: AtlasLayout) -> dict[Mark, list[tuple[float, float]]]:
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


def _key(axes: Axes, rows: Sequence[Row], theme: Theme, form: AtlasLayout) -> None:
    """What the marks mean, and every cause that is there, in the order of causes."""
    present = {cause for row in rows for _, cause, _ in row.terms}
    known = {"whole bound": Mark("", "at")}
    known |= {cause: Mark(cause, "at") for cause in CAUSES if cause in present}
    known["no instance shows the need"] = Mark("", "ring")
    marks = [
        Line2D([], [], linestyle="none", label=name, **mark.look(theme, form)) for name, mark in known.items()
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


def _note(record: TabularResult, rows: Sequence[Row], theme: Theme, named: bool) -> str:
    """How to read a dot, and which theorems of the catalogue are drawn: the counts add up to all of them."""
    dots = named or theme.narrow
    how = "A dot is a term: at 0.1 its constant" if dots else "Within 4: a constant that"
    sentences = [
        f"{how} could be at most {10 if dots else number(NEAR)} times smaller, as some instance shows"
    ]
    silent = record.columns["theorems silent"]
    if named:
        return f"{sentences[0]}. Drawn: {len(rows)} of the {len(silent)} theorems of the catalogue."
    why = Counter(reason for reason in silent if reason)
    left = "".join(f", and {count} of which {_reason(reason)}" for reason, count in why.items())
    sentences.append(f"The catalogue has {len(silent)} theorems: these {len(rows)}{left}")
    return ". ".join(sentences) + "."


def _reason(silent: str) -> str:
    return "the constants are open" if silent == OPEN else silent
