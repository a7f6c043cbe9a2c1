"""FedExP's server step over time beside FedAvg's 1, and the losses of both: minima shared, and not."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from boundkit.figures.curves import end_label, ticks_of_powers
from boundkit.figures.labels import label_ends
from boundkit.figures.number_format import number, settings
from boundkit.figures.style import Theme, algorithm_style, empty_figure, finish, style, theme_of
from boundkit.simulation.arrays import Array
from boundkit.verification.tabular_result import TabularResult

TITLES = {"shared": "one minimum for all clients", "differ": "a minimum for each client"}
GAPS = {"fedavg": "FedAvg", "fedexp": "FedExP,\nlast iterate", "fedexp_mean": "FedExP,\nmean"}
"""What the lower panels show: the column, and what it is called."""
_EARLY = 10
"""The round at which the headline compares."""


def figure(record: TabularResult, preset: str = "presentation") -> Figure:
    """The picture of the demonstration ``fedexp_step``.

    Raises BoundkitError for an unknown preset.
    """
    with style(preset):
        narrow = preset == "paper"
        page = empty_figure(height=1.5 if narrow else 1.15)
        panels = page.subplots(2, 2, sharex=True, sharey="row")
        theme = theme_of(panels[0, 0])
        for column, (name, title) in enumerate(TITLES.items()):
            last = column == len(TITLES) - 1
            _steps(panels[0, column], record, name, theme, last)
            _gaps(panels[1, column], record, name, theme, last)
            panels[0, column].set_title(title.replace(" for ", "\nfor ") if narrow else title)
            panels[1, column].set_xlabel("round")
        panels[0, 0].set_ylabel("server step")
        panels[1, 0].set_ylabel("$F - F^*$")
        for axes in panels.flat:
            axes.set(xscale="log", yscale="log")
            axes.set_xlim(1, record.array("rounds")[-1])
            ticks_of_powers(axes, "x")
            ticks_of_powers(axes, "y")
        finish(page, _headline(record), _note(record, narrow), theme)
    return page


def _steps(axes: Axes, record: TabularResult, name: str, theme: Theme, labelled: bool) -> None:
    rounds = record.array("rounds")
    own = _line(axes, rounds, record.array(f"step {name}"), "fedexp", theme, "step fedexp")
    one = _line(axes, rounds, np.ones_like(rounds), "fedavg", theme, "step fedavg")
    if labelled:
        label_ends(
            axes, [end_label(own, "FedExP", theme), end_label(one, "FedAvg: 1", theme)], theme.label_size
        )


def _gaps(axes: Axes, record: TabularResult, name: str, theme: Theme, labelled: bool) -> None:
    rounds = record.array("rounds")
    lines = {n: _line(axes, rounds, record.array(f"{n} {name}"), n, theme, f"gap {n}") for n in GAPS}
    if labelled:
        label_ends(axes, [end_label(lines[n], words, theme) for n, words in GAPS.items()], theme.label_size)


def _line(axes: Axes, x: Array, y: Array, name: str, theme: Theme, gid: str) -> Line2D:
    """A curve of FedAvg, or of FedExP: its last iterate, whose rounds are points, or its mean."""
    kind = algorithm_style("fedavg" if name == "fedavg" else "fedexp")
    # A line alone would fill the area where it oscillates.
    points: dict[str, Any] = {
        "marker": "o",
        "markersize": 1.2 * theme.width,
        "markeredgewidth": 0,
        "linewidth": 0.25 * theme.width,
    }
    whole: dict[str, Any] = {"linestyle": kind.dashes, "linewidth": 0.8 * theme.width}
    (line,) = axes.plot(
        x, y, color=kind.colour(theme.dark), gid=gid, **(points if name == "fedexp" else whole)
    )
    return line


def _headline(record: TabularResult) -> str:
    k = min(_EARLY, len(record.array("rounds"))) - 1
    longest, apart = (number(float(record.array(f"step {name}").max())) for name in ("shared", "differ"))
    ahead = number(float(record.array("fedavg shared")[k] / record.array("fedexp shared")[k]))
    rests = "settles" if _converges(record.array("fedexp differ")) else "does not settle"
    return (
        f"Where minima are shared, FedExP steps up to {longest} times as far, its loss {ahead} times lower "
        f"after {k + 1} rounds; where they differ, up to {apart} times, and its last iterate {rests}"
    )


def _converges(loss: Array) -> bool:
    """Whether no round of the last quarter doubles the loss."""
    late = loss[-max(2, len(loss) // 4) :]
    return bool(np.all(late[1:] <= 2 * late[:-1]))


def _note(record: TabularResult, narrow: bool) -> str:
    values = record.values
    step = settings({"eta": values["eta"], "tau": values["tau"]})
    allowed = settings({"eta": values["allowed_eta"]})
    longest = max(values[f"allowed_longest {name}"] for name in TITLES)
    epsilon = f"$\\epsilon$\N{NBSP}=\N{NBSP}{number(values['epsilon'])}"
    if narrow:
        return (
            f"{step}, {epsilon}; the theorem allows {allowed}, where server steps are at most "
            f"{number(longest)}. Mean: by server steps. Exact."
        )
    return (
        f"{step}; FedExP: {epsilon}. The theorem allows {allowed}, where server steps are at most "
        f"{number(longest)} and nothing oscillates. Mean: of FedExP's iterates, weighed by their server "
        "steps. Full participation; exact, no noise."
    )
