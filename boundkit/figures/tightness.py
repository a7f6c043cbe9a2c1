"""How tight is every theorem: measured over bound of its worst run, all theorems sorted, on one axis.

Where the dot is at 1, a run attains the bound. Far to the left the bound is loose on all that was tried.
Names are beside dots where there is space; the others are in the data.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.transforms import Bbox, BboxBase

from boundkit.algebra import BoundkitError
from boundkit.figures.curves import evenly_spaced, ticks_of_powers
from boundkit.figures.number_format import number
from boundkit.figures.style import HOLDING, LEAST, Theme, empty_figure, finish, style, theme_of, verdict_style
from boundkit.verification.tabular_result import TabularResult

ATTAINED = 0.99
"""From here on a run attains the bound."""

KINDS = {"upper": "upper bound", "lower": "lower bound", "order": "up to constants, open ones at 1"}
"""What the marks mean."""


QUICK = "Only the first few instances of each theorem were run"
"""The remark on a record that was made with --quick."""


@dataclass(frozen=True)
class Dot:
    """A theorem and the ratio of its worst instance."""

    theorem: str
    kind: str
    answer: str
    ratio: float
    instance: str


def dots_of(record: TabularResult) -> list[Dot]:
    """The theorems that have a ratio, the loosest first."""
    names = ("theorem", "kind", "answer", "ratio", "instance")
    rows = zip(*(record.columns[f"theorems {name}"] for name in names), strict=True)
    dots = [Dot(*row) for row in rows if row[3] is not None]
    return sorted(dots, key=lambda dot: (dot.ratio, dot.theorem))


def figure(record: TabularResult, preset: str = "presentation") -> Figure:
    """The picture of the record ``verified``.

    Raises BoundkitError where no theorem has a ratio, or for an unknown preset.
    """
    dots = dots_of(record)
    if not dots:
        raise BoundkitError("no theorem of this record has a ratio, so that there is nothing to draw.")
    with style(preset):
        page = empty_figure(height=1.5 if preset == "paper" else 1.0)
        axes = page.subplots()
        theme = theme_of(axes)
        draw(axes, dots, theme)
        finish(page, _headline(dots), _note(record, dots, theme), theme)
        name_some(axes, dots, theme)
    return page


def draw(axes: Axes, dots: Sequence[Dot], theme: Theme) -> None:
    """A row a theorem, the tightest on top; every few rows the name of one."""
    size = float(mpl.rcParams["lines.markersize"]) * (0.8 if theme.narrow else 0.75)
    for row, dot in enumerate(dots):
        look = verdict_style(dot.kind, dot.answer)
        colour = look.colour(theme.dark)
        at = max(dot.ratio, LEAST)
        axes.plot([at], [row], marker=look.marker, markersize=size, color=colour, markeredgewidth=0,
                  linestyle="none", gid=f"worst {dot.theorem}")  # fmt: skip
    axes.axvline(1, color=theme.text, linewidth=0.5 * theme.width, zorder=1.4, gid="the bound")
    axes.set_xscale("log")
    axes.set_xlim(max(dots[0].ratio, LEAST) / 1.6, 1.6 * max(1.0, *(dot.ratio for dot in dots)))
    ticks_of_powers(axes, "x")
    axes.set_ylim(-0.03 * len(dots) - 0.5, len(dots))
    axes.set_yticks([])
    axes.spines["left"].set_visible(False)
    axes.set_xlabel("measured / bound, worst run")
    _key(axes, dots, theme)


def name_some(axes: Axes, dots: Sequence[Dot], theme: Theme) -> None:
    """The names of some theorems beside their dots, where there is room: both ends first, then all over."""
    count = len(dots)
    wanted = dict.fromkeys(
        [count - 1, 0, *evenly_spaced(count, 12 if theme.narrow else 18), *evenly_spaced(count, 45)]
    )
    at = axes.transData.transform([(max(dot.ratio, LEAST), row) for row, dot in enumerate(dots)])
    pixel = axes.get_figure(root=True).dpi / 72  # type: ignore[union-attr]  # an Axes here has a figure
    reach, step = 0.4 * pixel * float(mpl.rcParams["lines.markersize"]), 0.45 * pixel * theme.size
    bound = float(axes.transData.transform((1, 0))[0])
    marks = [Bbox.from_extents(x - reach, y - reach, x + reach, y + reach) for x, y in at]
    taken = [*marks, Bbox.from_extents(bound, axes.bbox.y0, bound + 1, axes.bbox.y1)]
    taken += [legend.get_window_extent()] if (legend := axes.get_legend()) else []
    for row in wanted:
        name = dots[row].theorem
        text = axes.text(0, 0, name, fontsize=theme.note_size, color=theme.text, gid=f"name {name}")
        size = text.get_window_extent()
        for across, up in SIDES:
            x, y = at[row, 0] + across * step, at[row, 1] + up * size.height / 2
            left = x if across > 0 else x - size.width
            box = Bbox.from_bounds(left, y - size.height / 2, size.width, size.height)
            if _is_contained(box, axes.bbox) and not box.count_overlaps(taken):
                place = axes.transData.inverted().transform((x, y))
                text.set(position=place, ha="left" if across > 0 else "right", va="center")
                taken.append(box.padded(0.3 * size.height))
                break
        else:
            text.remove()


SIDES = ((-1, 0), (1, 0), (-1, 1), (1, -1))
"""Places of a name beside its dot: left of it, right of it, left and above, right and below."""


def _is_contained(box: Bbox, other: BboxBase) -> bool:
    return bool(other.containsx(box.x0) and other.containsx(box.x1)
                and other.containsy(box.y0) and other.containsy(box.y1))  # fmt: skip


def _key(axes: Axes, dots: Sequence[Dot], theme: Theme) -> None:
    """What the marks mean, in the empty corner."""
    present = {dot.kind for dot in dots if dot.answer == "holds"}
    marks = [
        Line2D([], [], linestyle="none", marker=look.marker, color=look.colour(theme.dark), label=KINDS[kind])
        for kind, look in HOLDING.items()
        if kind in present
    ]
    axes.legend(
        handles=marks, loc="upper left", frameon=False, fontsize=theme.note_size, handletextpad=0.2,
        borderpad=0, borderaxespad=0.4, markerscale=0.9,
    )  # fmt: skip


def _headline(dots: Sequence[Dot]) -> str:
    wrong = sum(dot.answer == "violated" for dot in dots)
    if wrong:
        return f"{wrong} of {len(dots)} theorems {'is' if wrong == 1 else 'are'} violated"
    upper = [dot.ratio for dot in dots if dot.kind == "upper"]
    if not upper:
        return f"None of {len(dots)} bounds is violated"
    attained = sum(share > ATTAINED for share in upper)
    factor = number(1 / float(np.median(upper)))
    return (
        f"{len(upper)} upper bounds: {attained} are attained within 1\N{NBSP}%, "
        f"half are within a factor of {factor}"
    )


def _note(record: TabularResult, dots: Sequence[Dot], theme: Theme) -> str:
    runs = len(record.columns["instances ratio"])
    sentences = [f"A dot is a theorem: the worst of its runs ({runs} in all)"]
    if not theme.narrow:
        others = record.values["not_applicable"]
        sentences.append("Right of 1 an upper bound would be violated, left of 1 a lower one")
        if others:
            sentences.append(f"{others} more apply to no run")
    if record.values["quick"]:
        sentences.append(QUICK)
    return ". ".join(sentences) + "."
