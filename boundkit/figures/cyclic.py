"""Groups in turn against clients drawn from all: the path over rounds, and the long run against eta."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from boundkit.figures.curves import end_label, ticks_of_powers, whole_ticks
from boundkit.figures.labels import label_ends
from boundkit.figures.number_format import number, symbol
from boundkit.figures.style import Theme, cause_style, colour, empty_figure, finish, style, theme_of
from boundkit.simulation.arrays import Array
from boundkit.studies.demonstrations.cyclic_groups import CLIENTS, COUNT
from boundkit.verification.tabular_result import TabularResult

SAMPLED, ORDERED = "partial participation", "cyclic order"
DRAWN, TURNS = "drawn from all", "in turns"


def figure(record: TabularResult, preset: str = "presentation") -> Figure:
    """The picture of the demonstration ``cyclic_groups``.

    Raises BoundkitError for an unknown preset.
    """
    with style(preset):
        narrow = preset == "paper"
        page = empty_figure(height=1.75 if narrow else 1.0)
        over_rounds, over_eta = page.subplots(*((2, 1) if narrow else (1, 2)))
        theme = theme_of(over_rounds)
        _paths(over_rounds, record, theme)
        _long_run(over_eta, record, theme)
        finish(page, _headline(record), _note(record), theme)
    return page


def _paths(axes: Axes, record: TabularResult, theme: Theme) -> None:
    groups = int(record.values["groups"])
    drawn, turns = record.array("path_drawn"), record.array("path_in_turns")
    rounds = np.arange(float(len(drawn)))
    lines = [
        _draw(axes, rounds, drawn, DRAWN, SAMPLED, theme),
        _draw(axes, rounds, turns, TURNS, "", theme, width=0.6),
    ]
    axes.plot(
        rounds[::groups], turns[::groups], "o", color=theme.text, markersize=1.4 * theme.width, gid="ends"
    )
    _finish(axes, [drawn, turns], lines, theme)
    axes.set_xlim(0, len(rounds) - 1)
    whole_ticks(axes)
    axes.set_title(f"{_SQUARE} at {symbol('eta')} = {number(record.values['path_eta'])}")
    axes.set_xlabel("round $t$; a dot ends a cycle")


def _long_run(axes: Axes, record: TabularResult, theme: Theme) -> None:
    eta, drawn = record.array("eta"), record.array("drawn")
    spread, bias = record.array("spread"), record.array("bias_squared")
    lines = [
        _draw(axes, eta, drawn, DRAWN, SAMPLED, theme),
        _draw(axes, eta, spread + bias, TURNS, "", theme),
        _draw(axes, eta, spread, "turns: spread", SAMPLED, theme, width=0.5, mark="s"),
        _draw(axes, eta, bias, "turns: bias$^2$", ORDERED, theme, width=0.8),
    ]
    axes.set_xscale("log")
    _finish(axes, [drawn, spread + bias, bias], lines, theme)
    axes.set_xlim(eta[0], eta[-1] * 1.02)
    ticks_of_powers(axes, "x")
    axes.set_title("in the long run, at the end of a cycle")
    axes.set_xlabel(symbol("eta"))


_SQUARE = r"$\mathrm{E}\,(x_t-x^*)^2$"


def _draw(
    axes: Axes, x: Array, y: Array, name: str, cause: str, theme: Theme, width: float = 1.0, mark: str = ""
) -> tuple[Line2D, str]:
    """A curve of one cause, or of all in the colour of the ink."""
    tint = colour(cause, theme.dark) if cause else theme.text
    (line,) = axes.plot(
        x, y, color=tint, linestyle=cause_style(cause).dashes if cause else "solid",
        linewidth=width * theme.width, marker=mark, markersize=1.6 * theme.width, gid=name,
    )  # fmt: skip
    return line, name


def _finish(axes: Axes, curves: list[Array], lines: list[tuple[Line2D, str]], theme: Theme) -> None:
    axes.set_yscale("log")
    axes.set_ylim(min(c.min() for c in curves) / 1.3, max(c.max() for c in curves) * 2)
    ticks_of_powers(axes, "y")
    label_ends(axes, [end_label(line, name, theme) for line, name in lines], theme.label_size)


def _headline(record: TabularResult) -> str:
    eta, drawn = record.array("eta"), record.array("drawn")
    turns = record.array("spread") + record.array("bias_squared")
    at = int(np.argmin(np.abs(eta - record.values["path_eta"])))
    worse = eta[turns > drawn]
    step = symbol("eta")
    later = f"; from {step} = {number(float(worse[0]))} on turns end higher" if len(worse) else ""
    return (
        f"At {step} = {number(float(eta[at]))} groups in turn end at {number(float(turns[at]))}, "
        f"draws from all at {number(float(drawn[at]))}{later}"
    )


def _note(record: TabularResult) -> str:
    groups = int(record.values["groups"])
    return (
        f"{CLIENTS} clients $(x-e_k)^2/2$ in {groups} groups; {COUNT} come a round, of the group whose turn "
        f"it is, or of all; no noise. Exact. Spreads go with {symbol('eta')}, bias$^2$ with $\\eta^2$."
    )
