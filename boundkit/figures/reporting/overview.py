"""All verdicts at a glance: how much of each bound its worst run used, on one logarithmic axis.

A large dot is the worst instance, small ones are the others; right of 1 a bound is violated. Far to the
left a bound is loose on all that was tried.
"""

from __future__ import annotations

from collections.abc import Sequence

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from boundkit.figures.page import finish
from boundkit.figures.reporting.lines import Line
from boundkit.figures.style import Ink, ink_of, style
from boundkit.figures.words import ratio

_COLOURS = {"holds": "#0A58CC", "violated": "#C8102E", "undecided": "#AE6A00"}
_MARKS = {"holds": "o", "violated": "X", "undecided": "D"}
_ROW, _ROOM = 0.42, 2.9
"""Inches for a theorem, and for what stands above and below them."""


def overview(lines: Sequence[Line]) -> Figure | None:
    """The picture; None where no ratio is known."""
    shown = [line for line in lines if line.spoken and line.verdict["ratio"] is not None]
    if not shown:
        return None
    with style(), mpl.rc_context({"ytick.labelsize": 15, "axes.grid.axis": "x"}):
        width = mpl.rcParams["figure.figsize"][0]
        page = Figure(figsize=(width, _ROOM + _ROW * len(shown)), dpi=100)
        axes = page.subplots()
        ink = ink_of(axes)
        _draw(axes, shown, ink)
        finish(page, _headline(shown), _note(shown), ink)
    return page


def _draw(axes: Axes, shown: Sequence[Line], ink: Ink) -> None:
    rows = np.arange(len(shown))
    worst = np.array([_positive(line.verdict["ratio"]) for line in shown])
    low = min(float(worst.min()), *(r for line in shown for r in _others(line)), 0.1)
    for row, line in zip(rows, shown, strict=True):
        others = _others(line)
        axes.plot(others, [row] * len(others), linestyle="none", marker="o", markersize=4, color=ink.faint,
                  alpha=0.7, markeredgewidth=0, gid=f"instances {line.name}")  # fmt: skip
        interval = line.verdict["interval"]
        colour = _COLOURS[line.answer]
        if interval and interval[0] < interval[1]:
            axes.plot([max(interval[0], low / 2), interval[1]], [row, row], color=colour,
                      linewidth=2, solid_capstyle="butt")  # fmt: skip
        mark = "<" if _lower(line) and line.answer == "holds" else _MARKS[line.answer]
        axes.plot([worst[row]], [row], marker=mark, markersize=10, color=colour,
                  markeredgecolor=ink.ground, gid=f"worst {line.name}")  # fmt: skip
    axes.axvline(1, color=ink.text, linewidth=1.5, zorder=0.9, gid="the bound")
    axes.set_xscale("log")
    axes.set_xlim(low / 1.6, max(float(worst.max()) * 1.6, 2.0))
    axes.set_yticks(rows, [line.name for line in shown])
    axes.set_ylim(len(shown) - 0.4, -0.6)
    axes.tick_params(axis="y", length=0)
    axes.spines["left"].set_visible(False)
    axes.set_xlabel("measured / bound")


def _others(line: Line) -> list[float]:
    """The ratios of its instances, as far as a logarithmic axis shows them."""
    return [float(c["ratio"]) for c in line.verdict["cases"] if c["ratio"] is not None and c["ratio"] > 1e-6]


def _positive(value: float) -> float:
    return max(float(value), 1e-6)


def _headline(shown: Sequence[Line]) -> str:
    bad = sum(line.answer == "violated" for line in shown)
    if bad:
        return f"{bad} of {len(shown)} bounds {'is' if bad == 1 else 'are'} violated"
    above = [line for line in shown if not _lower(line)]
    if not above:
        return f"None of {len(shown)} lower bounds is violated"
    share = max(line.verdict["ratio"] for line in above)
    return f"Measured over bound, the worst instance of each of {len(above)} theorems; at most {ratio(share)}"


def _note(shown: Sequence[Line]) -> str:
    said = (
        "Large: the worst instance, with its 99\N{NBSP}% interval where it was sampled. Small: the other "
        "instances. Right of the line at 1 a bound is violated."
    )
    lower = " A triangle is a lower bound, which is violated left of it."
    return said + (lower if any(map(_lower, shown)) else "")


def _lower(line: Line) -> bool:
    return bool(line.verdict["kind"] == "lower")
