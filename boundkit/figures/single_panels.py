"""Pictures of values that have no figure of their own, each on one Axes: ``bk.plot`` draws with them.

The terms of a prediction, its totals over two axes, what each source of a diagnosis costs, the loss along a
trajectory, and times of a round.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from numpy.typing import NDArray

from boundkit.algebra import BoundkitError
from boundkit.algebra.term import CAUSES
from boundkit.analysis.predict import Prediction
from boundkit.analysis.runtime import RoundTime
from boundkit.figures.curves import (
    FEW,
    end_label,
    end_of,
    evenly_spaced,
    frame,
    log_height,
    numeric_axis,
    shown_on_log,
    ticks_of_powers,
    whole_ticks,
)
from boundkit.figures.labels import Label, label_ends
from boundkit.figures.number_format import number, symbol
from boundkit.figures.style import Theme, cause_style, colour, text_colour, theme_of
from boundkit.simulation.confidence_interval import confidence_margin
from boundkit.simulation.trajectory import Trajectory
from boundkit.studies.diagnosis import Diagnosis

LINES = 6
"""How many values of the second axis get a line."""

NOT_PROVED = "  (outside the step condition: not proved)"
"""What follows a title where the steps are outside the conditions, at one place or more."""


def draw_bars(axes: Axes, prediction: Prediction) -> None:
    """The terms in the order of the theorem, from the top, with their values; the total in the title."""
    theme = theme_of(axes)
    values = dict(prediction.terms)
    causes = {t.label: t.cause for t in prediction.theorem.terms}
    places = np.arange(len(values))[::-1]
    for place, (label, value) in zip(places, values.items(), strict=True):
        axes.barh(
            place, value, height=0.6, color=colour(causes[label], theme.dark),
            hatch=cause_style(causes[label]).hatch, edgecolor=theme.background, linewidth=0.3 * theme.width,
            zorder=2, gid=f"term {label}",
        )  # fmt: skip
        axes.annotate(
            number(value, 3), (value, place), xytext=(0.4 * theme.size, 0), textcoords="offset points",
            va="center", fontsize=theme.label_size, color=theme.text, gid=f"value {label}",
        )  # fmt: skip
    axes.set_yticks(places, list(values))
    axes.tick_params(axis="y", length=0)
    axes.grid(visible=False, axis="y")
    axes.set_xlim(0, 1.2 * max(values.values()) or 1.0)
    proved = "" if prediction.holds else NOT_PROVED
    axes.set_title(f"{prediction.theorem.name}: {number(float(prediction.total), 3)}{proved}")


OUTSIDE = (0, (2, 1))
"""Dashes where the bound is not proved."""


def draw_totals(axes: Axes, prediction: Prediction) -> None:
    """Two axes on one Axes: the bound against the first, a line for each value of the second.

    A piece of a line has the colour of the cause that dominates there, and is dashed where the step
    size is outside the conditions, so that the bound is not proved.
    """
    first, second = prediction.axes
    theme, causes = theme_of(axes), {t.label: t.cause for t in prediction.theorem.terms}
    x, others = (numeric_axis(prediction, n) for n in (first, second))
    order = np.argsort(x, kind="stable")
    x, total = x[order], np.asarray(prediction.total)[order]
    dominant, holds = np.asarray(prediction.dominant)[order], np.asarray(prediction.holds)[order]
    labels: list[Label | None] = []
    for column in evenly_spaced(len(others), LINES):
        (line,) = axes.plot(x, total[:, column], color=theme.faint, linewidth=0.3 * theme.width)
        line.set_gid(f"bound at {second} = {others[column]:g}")
        for label, inside in dict.fromkeys(zip(dominant[:, column], holds[:, column], strict=True)):
            mine = (dominant[:, column] == label) & (holds[:, column] == inside)
            axes.plot(
                x, np.where(_touching(mine), total[:, column], np.nan),
                color=colour(causes[label], theme.dark), linewidth=theme.width,
                linestyle="solid" if inside else OUTSIDE,
            )  # fmt: skip
        last = text_colour(colour(causes[str(dominant[-1, column])], theme.dark), theme.text)
        words = f"{symbol(second)} = {number(float(others[column]), 3)}"
        labels.append(end_label(line, words, theme, last))
    frame(axes, first, x, [total], total)
    causes_present = {causes[label] for label in dominant.ravel().tolist()}
    _key(axes, [cause for cause in CAUSES if cause in causes_present], bool(holds.all()), theme)
    label_ends(axes, labels, theme.label_size)


def _key(axes: Axes, causes: Sequence[str], inside: bool, theme: Theme) -> None:
    names = [*causes, *([] if inside else ["outside the step condition"])]
    lines = [Line2D([], [], color=colour(cause, theme.dark), linewidth=theme.width) for cause in causes]
    lines += [] if inside else [Line2D([], [], color=theme.faint, linewidth=theme.width, linestyle=OUTSIDE)]
    size = theme.note_size
    axes.legend(lines, names, title="dominated by", frameon=False, alignment="left", fontsize=size,
                title_fontsize=size)  # fmt: skip


def _touching(mine: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """The points, and the first one after each run of them, so that pieces of a line meet."""
    before: NDArray[np.bool_] = np.concatenate([[False], mine[:-1]])
    return mine | before


def draw_diagnosis(axes: Axes, diagnosis: Diagnosis) -> None:
    """A point with its 95 % interval for each source, the dearest on top; left of 0 it helps.

    Raises BoundkitError where no source could be removed.
    """
    theme = theme_of(axes)
    sources = [(cost.source, cost.loss) for cost in diagnosis.costs if cost.loss is not None]
    costs = sorted(sources, key=lambda pair: pair[1].value)
    if not costs:
        raise BoundkitError(
            f"there is nothing to draw of this run of {diagnosis.algorithm}: no source has a cost."
        )
    for place, (source, loss) in enumerate(costs):
        sure = loss.low > 0 or loss.high < 0
        shade = theme.text if sure else theme.faint
        axes.plot(
            [loss.low, loss.high],
            [place, place],
            color=shade,
            linewidth=theme.width,
            gid=f"interval {source}",
        )
        axes.plot(
            [loss.value], [place], "o", color=shade, markersize=3 * theme.width, gid=f"cost {source}",
        )  # fmt: skip
        axes.annotate(
            number(loss.value), (loss.value, place), xytext=(0, 0.6 * theme.size), textcoords="offset points",
            ha="center", fontsize=theme.label_size, color=shade,
        )  # fmt: skip
    axes.axvline(0, color=theme.faint, linewidth=0.7 * theme.width, zorder=1)
    axes.set_yticks(range(len(costs)), [source for source, _ in costs])
    axes.set_ylim(-0.6, len(costs) - 0.3)
    axes.grid(visible=False, axis="y")
    axes.set_xlabel("loss at the end, minus that of the run without it")
    axes.set_title(f"{diagnosis.algorithm}: what each source costs")


LEVEL = 0.95
"""Of the band."""

HEIGHTS = {
    "loss_gap": r"$F(x_t) - F_{\inf}$",
    "gradient_norm_squared": r"$\|\nabla F(x_t)\|^2$",
    "loss": r"$F(x_t)$",
}
"""What may be drawn, the most telling first."""


def draw_trajectory(axes: Axes, run: Trajectory) -> None:
    """The mean over replicas, and where it is random the band of its 95 % interval.

    Raises BoundkitError where nothing was observed that has a picture.
    """
    name = next((n for n in HEIGHTS if n in run.observed), None)
    if name is None or len(run.rounds) < 2:
        raise BoundkitError(
            f"there is nothing to draw of this run of {run.algorithm}: no round was observed."
        )
    theme, x, mean = theme_of(axes), run.rounds.astype(float), run.mean(name)
    margin = confidence_margin(run.observed[name], run.random and run.replicas > 1, LEVEL)
    if name == "loss" or not np.any(mean > 0):
        drawn = mean
    else:
        drawn = shown_on_log(mean)
        log_height(axes, [mean], mean, must=[mean])
    if np.any(margin > 0):
        low = np.maximum(mean - margin, 1e-12 * np.max(np.abs(mean))) if drawn is not mean else mean - margin
        axes.fill_between(x, low, mean + margin, color=theme.text, alpha=0.2, linewidth=0, gid="band")
    (line,) = axes.plot(x, drawn, color=theme.text, linewidth=1.3 * theme.width, gid=name)
    axes.set_xlim(x[0], x[-1])
    whole_ticks(axes)
    axes.set_xlabel("rounds")
    axes.set_ylabel(HEIGHTS[name])
    many = f", mean of {run.replicas} replicas" if run.random and run.replicas > 1 else ""
    ended = "" if run.diverged_at is None else f", diverges in round {run.diverged_at}"
    axes.set_title(f"{run.algorithm}{many}{ended}")
    end = end_of(line)
    label_ends(
        axes, [None if end is None else Label(*end, number(end[1]), theme.text, line)], theme.label_size
    )


def draw_round_time(axes: Axes, times: RoundTime) -> None:
    """One axis: a line. Two: a line for each value of the second.

    Raises BoundkitError for another number of axes, and for an axis of one value.
    """
    if len(times.axes) not in (1, 2) or np.size(times.values[times.axes[0]]) < 2:
        raise BoundkitError(
            "a picture of times needs one or two parameters that are lists, of which the first has several "
            f"values, but there are {len(times.axes)}: {', '.join(times.axes) or 'none'}."
        )
    theme, first = theme_of(axes), times.axes[0]
    x = np.asarray(times.values[first], dtype=float)
    order = np.argsort(x, kind="stable")
    seconds = np.asarray(times.per_round, dtype=float).reshape(len(x), -1)[order]
    others = np.asarray(times.values[times.axes[1]], dtype=float) if len(times.axes) == 2 else np.zeros(1)
    labels: list[Label | None] = []
    for shade, column in zip(
        np.linspace(1, 0.35, LINES), evenly_spaced(seconds.shape[1], LINES), strict=False
    ):
        (line,) = axes.plot(
            x[order], seconds[:, column], color=theme.text, alpha=shade, linewidth=theme.width,
            marker="o" if len(x) <= FEW else "", markersize=2 * theme.width, gid=f"time {column}",
        )  # fmt: skip
        end = end_of(line)
        at = f"{symbol(times.axes[1])} = {number(float(others[column]), 3)}: " if len(times.axes) == 2 else ""
        labels.append(None if end is None else Label(*end, f"{at}{number(end[1])}", theme.text, line))
    axes.set_xscale("log")
    axes.set_xlim(x.min(), x.max())
    ticks_of_powers(axes, "x")
    log_height(axes, [seconds], seconds)
    axes.set_xlabel(symbol(first))
    axes.set_ylabel("seconds a round")
    axes.set_title(f"{times.scheme.name}: {times.distribution.name} times of a step")
    label_ends(axes, labels, theme.label_size)
