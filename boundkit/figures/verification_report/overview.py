"""Overview of all verdicts: how much of each bound its worst run used, on one logarithmic axis.

A large dot is the worst instance, small ones are the others; right of 1 a bound is violated. Far to the
left a bound is loose on all that was tried.
"""

from __future__ import annotations

from collections.abc import Sequence

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from boundkit.figures.number_format import ratio
from boundkit.figures.style import LEAST, Theme, finish, style, theme_of, verdict_style
from boundkit.figures.verification_report.lines import TheoremEntry
from boundkit.studies.verdict_summary import instances_of

_ROW, _ROOM = 0.36, 3.2
"""Inches for a theorem, and above and below them."""
_ONE_COLUMN = 24
"""Most theorems in one column; more are in two."""


def overview(lines: Sequence[TheoremEntry]) -> Figure | None:
    """The picture; None where no ratio is known."""
    shown = [line for line in lines if line.tested and line.verdict["ratio"] is not None]
    if not shown:
        return None
    middle = len(shown) if len(shown) <= _ONE_COLUMN else (len(shown) + 1) // 2
    parts = [part for part in (shown[:middle], shown[middle:]) if part]
    with style(), mpl.rc_context({"ytick.labelsize": 13, "axes.grid.axis": "x"}):
        width = mpl.rcParams["figure.figsize"][0] * (1 if len(parts) == 1 else 1.4)
        page = Figure(figsize=(width, _ROOM + _ROW * middle), dpi=100)
        row = page.subplots(1, len(parts), squeeze=False, sharex=True)[0]
        theme = theme_of(row[0])
        for axes, part in zip(row, parts, strict=True):
            _draw(axes, part, theme, middle)
        row[0].set_xlim(*_limits(shown))
        finish(page, headline(shown), note(shown), theme)
    return page


def _limits(shown: Sequence[TheoremEntry]) -> tuple[float, float]:
    worst = [_positive(line.verdict["ratio"]) for line in shown]
    low = min(*worst, *(r for line in shown for r in instance_ratios(line)), 0.1)
    return low / 1.6, max(1.6 * max(worst), 2.0)


def _draw(axes: Axes, shown: Sequence[TheoremEntry], theme: Theme, room: int) -> None:
    """The theorems of a column that has room for so many."""
    rows = np.arange(len(shown))
    worst = np.array([_positive(line.verdict["ratio"]) for line in shown])
    for row, line in zip(rows, shown, strict=True):
        rest = instance_ratios(line)
        axes.plot(rest, [row] * len(rest), linestyle="none", marker="o", markersize=6, color=theme.text,
                  alpha=0.5, markeredgewidth=0, gid=f"instances {line.name}")  # fmt: skip
        interval = line.verdict["interval"]
        look = verdict_style(line.verdict["kind"], line.answer)
        if interval and interval[0] < interval[1]:
            axes.plot([max(interval[0], LEAST), interval[1]], [row, row], color=look.light,
                      linewidth=2, solid_capstyle="butt")  # fmt: skip
        axes.plot([worst[row]], [row], marker=look.marker, markersize=10, color=look.light,
                  markeredgecolor=theme.background, gid=f"worst {line.name}")  # fmt: skip
    axes.axvline(1, color=theme.text, linewidth=1.5, zorder=0.9, gid="the bound")
    axes.set_xscale("log")
    axes.set_yticks(rows, [line.name for line in shown])
    axes.set_ylim(room - 0.4, -0.6)
    axes.tick_params(axis="y", length=0)
    axes.tick_params(axis="x", top=True, labeltop=True)
    axes.spines["left"].set_visible(False)
    axes.set_xlabel("measured / bound")


def instance_ratios(line: TheoremEntry) -> list[float]:
    """The ratios of its instances, as far as a logarithmic axis shows them."""
    return [float(one.ratio) for one in instances_of(line.record) if one.ratio > LEAST]


def _positive(value: float) -> float:
    return max(float(value), LEAST)


def headline(shown: Sequence[TheoremEntry]) -> str:
    """The numbers in a sentence."""
    bad = sum(line.answer == "violated" for line in shown)
    if bad:
        return f"{bad} of {len(shown)} bounds {'is' if bad == 1 else 'are'} violated"
    above = [line for line in shown if not _lower(line)]
    if not above:
        return f"None of {len(shown)} lower bounds is violated"
    share = max(line.verdict["ratio"] for line in above)
    return f"Measured over bound, the worst instance of each of {len(above)} theorems; at most {ratio(share)}"


def note(shown: Sequence[TheoremEntry]) -> str:
    """How to read the dots."""
    text = (
        "Large: the worst instance, with its 99\N{NBSP}% interval where it was sampled. Small: the other "
        "instances. Right of the line at 1 a bound is violated."
    )
    lower = " A triangle is a lower bound, which is violated left of it."
    return text + (lower if any(map(_lower, shown)) else "")


def _lower(line: TheoremEntry) -> bool:
    return bool(line.verdict["kind"] == "lower")
