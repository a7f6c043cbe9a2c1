"""Bounds from both sides: the constant of each term, and the least that it can be.

A row a term: a dot at the constant of the theorem, a bar at the constant below which the term is false, and
the factor between them; where they are known, a ring at the constant of the theorem that is sharpened, and a
cross at the constant that a search has found to be needed.
"""

from __future__ import annotations

from collections.abc import Sequence

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from boundkit.algebra import BoundkitError
from boundkit.analysis.necessary_constants import NecessaryConstant, NecessaryConstants
from boundkit.figures.curves import ticks_of_powers
from boundkit.figures.number_format import number
from boundkit.figures.style import Theme, colour, empty_figure, finish, style, theme_of

NBSP = "\N{NO-BREAK SPACE}"
THEOREMS = (
    "fedavg_nonconvex_partial_sharp",
    "fedavg_convex_partial_sharp",
    "fedavg_strongly_convex_partial_sharp",
)
"""The theorems that are shown where none is named."""


def figure(answers: Sequence[NecessaryConstants], preset: str = "presentation") -> Figure:
    """The picture of some theorems.

    Raises BoundkitError where no term of a theorem has a lower bound, or for an unknown preset.
    """
    for answer in answers:
        if not answer.terms:
            raise BoundkitError(
                f"no lower bound of a term of {answer.theorem.name} is known; of {THEOREMS[0]} some are."
            )
    with style(preset):
        rows = sum(len(answer.terms) + 1 for answer in answers)
        page = empty_figure(height=0.3 + 0.065 * rows if preset == "paper" else 1.0)
        axes = page.subplots()
        theme = theme_of(axes)
        draw(axes, answers, theme)
        finish(page, _headline(answers), _note(), theme)
    return page


def draw(axes: Axes, answers: Sequence[NecessaryConstants], theme: Theme) -> None:
    """A group of rows a theorem, below its title."""
    size = float(mpl.rcParams["lines.markersize"])
    row, places, labels = 0, [], []
    numbers = [v for a in answers for t in a.terms for v in (float(t.constant), t.necessary, *_further(t))]
    low, high = min(numbers) / 1.5, max(numbers) * (100 if theme.narrow else 8)
    for answer in answers:
        title = axes.annotate(
            answer.theorem.title, (0.012, row), xycoords=("figure fraction", "data"), va="center",
            fontsize=(0.78 if theme.narrow else 1) * theme.note_size, color=theme.text, fontweight="bold",
            gid=f"theorem {answer.theorem.name}", annotation_clip=False,
        )  # fmt: skip
        title.set_in_layout(False)
        row += 1
        for term in answer.terms:
            paint = colour(term.term, theme.dark)
            ends = [term.necessary, float(term.constant)]
            axes.plot(ends, [row, row], color=paint, linewidth=0.6 * theme.width, gid=f"range {term.term}")
            for mark, name, value in (("o", "before", term.before), ("x", "found", term.found)):
                if value is not None:
                    axes.plot([float(value)], [row], marker=mark, markersize=0.8 * size,
                              markerfacecolor="none", markeredgewidth=0.6 * theme.width, color=paint,
                              linestyle="none", gid=f"{name} {term.term}")  # fmt: skip
            axes.plot(ends[:1], [row], marker="|", markersize=1.6 * size, markeredgewidth=1.2 * theme.width,
                      color=paint, linestyle="none", gid=f"necessary {term.term}")  # fmt: skip
            axes.plot(ends[1:], [row], marker="o", markersize=size, color=paint, markeredgewidth=0,
                      linestyle="none", gid=f"constant {term.term}")  # fmt: skip
            factor = axes.annotate(
                f"{term.constant},{NBSP}{number(term.factor, 3)}{NBSP}×", (1, row),
                xycoords=("axes fraction", "data"), ha="right", va="center",
                fontsize=theme.note_size, color=theme.text, gid=f"factor {term.term}",
                bbox={"facecolor": axes.figure.get_facecolor(), "edgecolor": "none", "pad": 1},
            )  # fmt: skip
            factor.set_in_layout(False)
            places.append(row)
            labels.append(term.term)
            row += 1
    axes.set_xscale("log")
    axes.set_xlim(low, high)
    ticks_of_powers(axes, "x")
    axes.set_ylim(row - 0.4, -0.6)
    axes.set_yticks(places, labels, fontsize=theme.note_size)
    axes.tick_params(axis="y", length=0)
    axes.grid(visible=False, axis="y")
    axes.spines["left"].set_visible(False)
    axes.set_xlabel("constant of the term")


def _further(term: NecessaryConstant) -> list[float]:
    """The other constants of a term that are known."""
    return [float(value) for value in (term.before, term.found) if value is not None]


def _headline(answers: Sequence[NecessaryConstants]) -> str:
    factors = [term.factor for answer in answers for term in answer.terms]
    ends = f"{number(min(factors), 3)} and {number(max(factors), 3)}"
    return f"Every constant is between {ends} times a necessary one"


def _note() -> str:
    return (
        "Dot: the constant that is proved. Bar: the constant below which the term is false, by the instance "
        "of a lower bound. Cross: what the worst instances of searches need. Number: how many times the "
        "larger of bar and cross the dot is. Ring: the constant of the theorem that is sharpened."
    )
