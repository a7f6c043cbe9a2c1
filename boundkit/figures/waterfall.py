"""From what was measured to the bound: a bar for what each step of a proof gives away.

Every bar begins where the one above it ends, in the colour of the term whose constant contains the step; the
last is the bound itself, by cause. Steps that give away little are one bar.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Patch

from boundkit.algebra import CAUSES, BoundkitError
from boundkit.figures.number_format import number
from boundkit.figures.style import (
    Theme,
    cause_style,
    colour,
    empty_figure,
    finish,
    style,
    text_colour,
    theme_of,
)
from boundkit.verification.tabular_result import TabularResult

LITTLE = 0.01
"""A step that gives away less of the bound than this has no bar of its own."""
MOST, MOST_NARROW = 11, 9
"""Bars of steps, on a slide and in a column."""
THICK = 0.62
NBSP = "\N{NBSP}"


@dataclass(frozen=True)
class Bar:
    """A step with its slack, in units of what the axis counts; ``broken``: whether it is wrong on the run."""

    name: str
    slack: float
    cause: str
    broken: bool


def bars_of(record: TabularResult, most: int = MOST) -> tuple[list[Bar], list[Bar]]:
    """The steps with bars of their own, in the order of the proof, and all the others.

    Raises BoundkitError where the record has no steps.
    """
    heads = [f"steps {name}" for name in ("name", "slack", "cause", "broken", "kind")]
    if any(not record.columns.get(head) for head in heads):
        raise BoundkitError("no step is in this record, so that there is nothing to draw.")
    rows = zip(*(record.columns[head] for head in heads), strict=True)
    every = [Bar(name, slack, cause, broken is not None) for name, slack, cause, broken, kind in rows
             if kind != "identity"]  # fmt: skip
    least = LITTLE * abs(record.values["bound"])
    large = sorted((bar for bar in every if abs(bar.slack) >= least), key=lambda bar: -abs(bar.slack))[:most]
    shown = [bar for bar in every if bar in large or bar.broken]
    return shown, [bar for bar in every if bar not in shown]


def figure(record: TabularResult, preset: str = "presentation") -> Figure:
    """The picture of the record of a ledger.

    Raises BoundkitError where it has no steps, or for an unknown preset.
    """
    with style(preset):
        shown, others = bars_of(record, MOST_NARROW if preset == "paper" else MOST)
        page = empty_figure(height=0.9 + 0.05 * len(shown) if preset == "paper" else 1.0)
        axes = page.subplots()
        theme = theme_of(axes)
        draw(axes, record, shown, others)
        finish(page, _headline(record, shown), _note(record, others, theme), theme)
    return page


def draw(axes: Axes, record: TabularResult, shown: Sequence[Bar], others: Sequence[Bar]) -> None:
    """The bars on Axes, counted in per cent of the bound."""
    theme = theme_of(axes)
    unit = _unit(record)
    rest = sum(bar.slack for bar in others)
    end = record.values["end"] / unit
    left, right = 0.0, record.values["measured"] / unit
    wide = max(end, right, *_heights(record, shown, unit))
    _bar(axes, 0, 0.0, right, theme.faint, "", theme, "measured")
    _label(axes, 0, 0.0, right, wide, "measured", _percent(right), theme.text, theme)
    at = right
    for row, bar in enumerate(shown, 1):
        left, at = at, at + bar.slack / unit
        paint = colour(bar.cause, theme.dark)
        _bar(axes, row, left, at, paint, cause_style(bar.cause).hatch, theme, f"step {bar.name}")
        _joint(axes, row, left, theme)
        words = f"{bar.name}: wrong here" if bar.broken else bar.name
        _label(
            axes, row, left, at, wide, words, _signed(bar.slack / unit), text_colour(paint, theme.text), theme
        )
    row = len(shown) + 1
    if others:
        _bar(axes, row, at, at + rest / unit, theme.faint, "", theme, "other steps")
        _joint(axes, row, at, theme)
        words = f"{len(others)} other steps"
        _label(axes, row, at, at + rest / unit, wide, words, _signed(rest / unit), theme.faint, theme)
        at, row = at + rest / unit, row + 1
    _joint(axes, row, at, theme)
    _bound(axes, row, record, unit, theme)
    _key(axes, record, shown, unit, theme)
    axes.set_ylim(row + 0.7, -0.5)
    axes.set_xlim(0, 1.12 * wide)
    axes.set_yticks([])
    axes.grid(visible=False, axis="y")
    axes.spines["left"].set_visible(False)
    axes.set_xlabel("per cent of the bound", loc="left")


def _unit(record: TabularResult) -> float:
    """A per cent of the bound; 1 where the bound is 0."""
    return float(record.values["bound"]) / 100 or 1.0


def _heights(record: TabularResult, shown: Sequence[Bar], unit: float) -> list[float]:
    at, heights = record.values["measured"], []
    for bar in shown:
        at += bar.slack
        heights.append(at / unit)
    return heights


def _bar(
    axes: Axes, row: int, left: float, right: float, paint: str, hatch: str, theme: Theme, name: str
) -> None:
    axes.barh(
        row, right - left, left=left, height=THICK, color=paint, hatch=hatch, edgecolor=theme.background,
        linewidth=0.3 * theme.width, zorder=2, gid=name,
    )  # fmt: skip


def _joint(axes: Axes, row: int, at: float, theme: Theme) -> None:
    """From the end of the bar above down to the beginning of this one."""
    axes.plot([at, at], [row - 1 + THICK / 2, row - THICK / 2], color=theme.faint,
              linewidth=0.3 * theme.width, solid_capstyle="butt", zorder=1.5, gid=f"joint {row}")  # fmt: skip


def _label(
    axes: Axes,
    row: int,
    left: float,
    right: float,
    wide: float,
    name: str,
    value: str,
    paint: str,
    theme: Theme,
) -> None:
    """Name and value beside a bar, on the side that has more room."""
    low, high = min(left, right), max(left, right)
    to_right = 1.12 * wide - high >= low
    x, ha, shift = (high, "left", 0.35) if to_right else (low, "right", -0.35)
    words = f"{value}  {name}" if to_right else f"{name}  {value}"
    axes.annotate(
        words, (x, row), xytext=(shift * theme.label_size, 0), textcoords="offset points", ha=ha, va="center",
        fontsize=theme.label_size, color=paint, gid=f"label {name}",
    )  # fmt: skip


def _bound(axes: Axes, row: int, record: TabularResult, unit: float, theme: Theme) -> None:
    """The bound by cause, and its total at its end."""
    at = 0.0
    for cause, part in _parts(record, unit).items():
        if part > 0:
            axes.barh(
                row, part, left=at, height=THICK, color=colour(cause, theme.dark),
                hatch=cause_style(cause).hatch, edgecolor=theme.background, linewidth=0.3 * theme.width,
                zorder=2, gid=f"bound {cause}",
            )  # fmt: skip
            at += part
    axes.annotate(
        f"{number(at, 3)}{NBSP}%\nthe bound", (at, row),
        xytext=(0.35 * theme.label_size, 0), textcoords="offset points", va="center",
        fontsize=theme.label_size, color=theme.text, fontweight="bold", gid="label bound", linespacing=0.95,
    )  # fmt: skip


def _parts(record: TabularResult, unit: float) -> dict[str, float]:
    """The bound by cause, in the order of causes."""
    columns = record.columns
    causes = columns.get("terms cause", columns["terms term"])  # older records have no column of causes
    named = list(zip(causes, columns["terms value"], strict=True))
    return {cause: sum(value for term, value in named if term.startswith(cause)) / unit for cause in CAUSES}


def _key(axes: Axes, record: TabularResult, shown: Sequence[Bar], unit: float, theme: Theme) -> None:
    """The names of the drawn causes, above the picture."""
    causes = {bar.cause for bar in shown}
    handles = [
        Patch(
            facecolor=colour(cause, theme.dark),
            hatch=cause_style(cause).hatch,
            edgecolor=theme.background,
            label=cause,
        )
        for cause, part in _parts(record, unit).items()
        if cause in causes or part >= 100 * LITTLE
    ]
    axes.legend(
        handles=handles, frameon=False, fontsize=theme.note_size, loc="lower left", bbox_to_anchor=(0, 1),
        borderaxespad=0.2, ncols=2 if theme.narrow else 5, handlelength=1.4, columnspacing=1.2, borderpad=0,
    )  # fmt: skip


def _percent(value: float) -> str:
    return f"{value:.1f}{NBSP}%"


def _signed(value: float) -> str:
    return f"{'−' if value < 0 else '+'}{_percent(abs(value))}"


def _headline(record: TabularResult, shown: Sequence[Bar]) -> str:
    wrong = [bar.name for bar in shown if bar.broken]
    if wrong:
        return f"The proof of {record.values['theorem']} breaks at the step “{wrong[0]}”"
    if not record.values["measured"] or not shown:
        return f"The proof of {record.values['theorem']}, step by step"
    factor = number(record.values["bound"] / record.values["measured"])
    most = max(shown, key=lambda bar: bar.slack)
    part = f"{100 * most.slack / record.values['bound']:.0f}{NBSP}% of the bound"
    return f"The bound is {factor} times what was measured: {part} is lost at “{most.name}”"


def _note(record: TabularResult, others: Sequence[Bar], theme: Theme) -> str:
    sentences = [f"{record.values['theorem']}; {record.values['engine']}"]
    about = str(record.values.get("setting", "")).replace(" = ", f"{NBSP}={NBSP}")
    sentences.append(f"{about[0].upper()}{about[1:]}" if about else f"{record.values['rounds']} rounds")
    paint = "in the colour of its term"
    sentences.append(f"A bar: what a step gives away, {paint if theme.narrow else paint.replace(' ', NBSP)}")
    if others:
        sentences.append(f"The other steps are each below {100 * LITTLE:.0f}{NBSP}% of the bound")
    return f"{'. '.join(sentences)}."
