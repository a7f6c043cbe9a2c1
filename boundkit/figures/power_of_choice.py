"""Speed against bias where losses choose: gaps over rounds, and the floor and both skews against d."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import to_hex, to_rgb
from matplotlib.figure import Figure
from matplotlib.ticker import LogLocator

from boundkit.analysis.evaluate import evaluate
from boundkit.figures.curves import end_label, shown_on_log, ticks_of_powers, whole_ticks
from boundkit.figures.labels import Label, label_ends
from boundkit.figures.number_format import number, settings, symbol
from boundkit.figures.style import Theme, colour, empty_figure, finish, style, text_colour, theme_of
from boundkit.simulation.arrays import Array
from boundkit.theorems.biased_selection_strongly_convex_decaying_sharp import THEOREM
from boundkit.verification.tabular_result import TabularResult

BIAS = "selection bias"
_PALEST = 0.55
"""How much of the ground is in the colour of the fewest candidates."""


def figure(record: TabularResult, preset: str = "presentation") -> Figure:
    """The picture of the demonstration ``number_of_candidates``.

    Raises BoundkitError for an unknown preset.
    """
    with style(preset):
        narrow = preset == "paper"
        page = empty_figure(height=2.4 if narrow else 1.1)
        if narrow:
            over_rounds, floors, skews = page.subplots(3, 1, height_ratios=(1.3, 1, 1))
        else:
            panels = page.subplot_mosaic([["rounds", "floors"], ["rounds", "skews"]], width_ratios=(1.25, 1))
            over_rounds, floors, skews = (panels[name] for name in ("rounds", "floors", "skews"))
        theme = theme_of(over_rounds)
        _paths(over_rounds, record, theme)
        _floors(floors, record, theme)
        _skews(skews, record, theme)
        finish(page, _headline(record), _note(record), theme)
    return page


def _ways(record: TabularResult) -> list[str]:
    """As the record calls them: drawn by p, then d candidates, rising."""
    return [name.removeprefix("gaps ") for name in record.columns if name.startswith("gaps ")]


def _paths(axes: Axes, record: TabularResult, theme: Theme) -> None:
    ways, rounds = _ways(record), record.array("rounds")
    labels = []
    for place, name in enumerate(ways):
        drawn = place == 0
        tint = theme.faint if drawn else _tint(place / (len(ways) - 1), theme)
        gap = shown_on_log(record.array(f"gaps {name}"))
        (line,) = axes.plot(
            rounds, gap, color=tint, gid=f"gaps {name}", linestyle=(0, (2, 1.2)) if drawn else "solid",
            linewidth=(0.6 + 0.4 * place / len(ways)) * theme.width,
        )  # fmt: skip
        margin = record.array(f"margin {name}")
        axes.fill_between(
            rounds, np.maximum(gap - margin, 1e-3), gap + margin, color=tint, alpha=0.25, linewidth=0
        )
        labels.append(end_label(line, name if drawn else re.sub("^d", "$d$", name), theme))
    axes.set_yscale("log")
    axes.set_ylim(0.1, 2 * float(record.array(f"gaps {ways[0]}")[0]))
    axes.set_xlim(0, float(rounds[-1]))
    ticks_of_powers(axes, "y")
    whole_ticks(axes)
    label_ends(axes, labels, theme.label_size)
    axes.set_title(r"$\mathrm{E}\,F(x_t)-F^*$")
    axes.set_xlabel("round $t$")


def _tint(part: float, theme: Theme) -> str:
    """The colour of the cause, paler with fewer candidates."""
    pairs = zip(to_rgb(colour(BIAS, theme.dark)), to_rgb(theme.background), strict=True)
    red, green, blue = (c + _PALEST * (1 - part) * (g - c) for c, g in pairs)
    return to_hex((red, green, blue))


def _floors(axes: Axes, record: TabularResult, theme: Theme) -> None:
    d, floor, bound = record.array("by_candidates d"), record.array("by_candidates floor"), bounds(record)
    tint = colour(BIAS, theme.dark)
    axes.plot(
        d, floor, "o-", color=tint, markersize=2.6 * theme.width, linewidth=0.6 * theme.width, gid="floor"
    )
    axes.plot(d, bound, color=theme.faint, linewidth=1.6 * theme.width, zorder=1.9, gid="bound")
    axes.set_yscale("log")
    axes.set_ylim(float(floor.min()) / 3, float(bound.max()) * 3)
    _along_d(axes, d)
    label_ends(
        axes,
        [
            Label(float(d[-1]), float(floor[-1]), "floor", text_colour(tint, theme.text)),
            Label(float(d[-1]), float(bound[-1]), "bound", text_colour(theme.faint, theme.text)),
        ],
        theme.label_size,
    )
    axes.set_title(r"$F-F^*$ where small steps end")


def _skews(axes: Axes, record: TabularResult, theme: Theme) -> None:
    d = record.array("by_candidates d")
    low, high = record.array("by_candidates rho_bar"), record.array("by_candidates reached")
    tilde, tint = record.array("by_candidates rho_tilde"), colour(BIAS, theme.dark)
    looks: dict[str, Any] = {"markersize": 2.6 * theme.width, "linewidth": 0.6 * theme.width}
    axes.plot(d, tilde, "^-", color=tint, gid="rho_tilde", **looks)
    axes.fill_between(d, low, high, color=theme.text, alpha=0.25, linewidth=0, gid="between")
    axes.plot(d, low, "v-", color=theme.text, gid="rho_bar", **looks)
    axes.set_yscale("log")
    axes.set_ylim(float(low.min()) / 2, float(tilde.max()) * 2)
    _along_d(axes, d)
    label_ends(
        axes,
        [
            Label(float(d[-1]), float(tilde[-1]), symbol("rho_tilde"), text_colour(tint, theme.text)),
            Label(float(d[-1]), float(low[-1]), symbol("rho_bar"), theme.text),
        ],
        theme.label_size,
    )
    axes.set_title("the skew of the choice")
    axes.set_xlabel("$d$ candidates")


def _along_d(axes: Axes, d: Array) -> None:
    axes.set_xticks(d)
    axes.set_xlim(d[0] - 0.15, d[-1] + 0.15)
    ticks_of_powers(axes, "y")
    axes.yaxis.set_major_locator(LogLocator(numticks=5))


def bounds(record: TabularResult) -> Array:
    """The one term of the theorem that stays for ever, for each d."""
    (term,) = (t for t in THEOREM.terms if t.cause == BIAS)
    values = {name: record.values[name] for name in ("L", "mu", "Gamma")}
    values |= {name: record.array(f"by_candidates {name}") for name in ("rho_bar", "rho_tilde")}
    return np.asarray(evaluate(term.expr, values), dtype=float)


def _headline(record: TabularResult) -> str:
    ways, rounds = _ways(record), record.array("rounds")
    early = len(rounds) // 8
    first = [float(record.array(f"gaps {name}")[early]) for name in (ways[0], ways[-1])]
    floor = float(record.array("by_candidates floor")[-1])
    return (
        f"All {record.values['clients']} as candidates: {number(first[0] / first[1])} times lower than draws "
        f"by p after {number(rounds[early], 3)} rounds, but a floor of {number(floor, 3)} stays"
    )


def _note(record: TabularResult) -> str:
    v = record.values
    given = settings({"eta": v["eta"], "tau": v["tau"]})
    return (
        f"{v['count']} of {v['clients']} clients a round: drawn by p, or the largest losses of $d$ "
        f"candidates; {given}, no noise; mean of {v['replicas']} runs with its 99 % band. Bound: the term of "
        f"{THEOREM.name} that stays. Grey: {symbol('rho_bar')} is in between."
    )
