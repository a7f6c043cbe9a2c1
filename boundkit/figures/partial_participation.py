"""Error of client sampling, which stored updates remove: paths of FedAvg and FedVARP, error floors by C."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from boundkit.figures.curves import end_of, ticks_of_powers, whole_ticks
from boundkit.figures.labels import Label, label_ends
from boundkit.figures.number_format import number, settings, symbol
from boundkit.figures.style import Theme, algorithm_style, empty_figure, finish, style, text_colour, theme_of
from boundkit.verification.tabular_result import TabularResult

EVERYBODY = "fedavg, all"
"""The record's name of FedAvg with full participation."""
ROUNDS, LOWEST = 100, 1e-11
"""What is drawn of the paths: further down is nothing but rounding."""


def figure(record: TabularResult, preset: str = "presentation") -> Figure:
    """The picture of the demonstration ``error_floors``.

    Raises BoundkitError for an unknown preset.
    """
    with style(preset):
        narrow = preset == "paper"
        page = empty_figure(height=1.75 if narrow else 1.0)
        if narrow:
            over_rounds, over_share = page.subplots(2, 1, height_ratios=(1, 0.8))
        else:
            over_rounds, over_share = page.subplots(1, 2, width_ratios=(1.1, 1))
        theme = theme_of(over_rounds)
        _paths(over_rounds, record, theme)
        _floors(over_share, record, theme)
        finish(page, _headline(record), _note(record), theme)
    return page


def _paths(axes: Axes, record: TabularResult, theme: Theme) -> None:
    share = f"$C$ = {_share(record)}"
    labels = []
    for name, algorithm, words in (
        ("fedavg", "fedavg", f"FedAvg\n{share}"),
        ("fedvarp", "fedvarp", f"FedVARP\n{share}"),
        (EVERYBODY, "fedavg", "FedAvg\n$C$ = 1"),
    ):
        kind, whole = algorithm_style(algorithm), name == EVERYBODY
        path = record.array(f"paths {name}")[: ROUNDS + 1]
        tint = theme.faint if whole else kind.colour(theme.dark)
        (line,) = axes.plot(
            np.arange(len(path)), np.where(path >= LOWEST, path, np.nan), color=tint,
            linestyle=(0, (2, 1.2)) if whole else kind.dashes, gid=f"path {name}",
        )  # fmt: skip
        x, y = end_of(line) or (0.0, LOWEST)
        if name == "fedavg":
            labels.append(Label(x, y, words, text_colour(tint, theme.text), line))
        else:
            axes.annotate(
                words, (x, y), (0.5 * theme.label_size, 0), textcoords="offset points", va="bottom",
                color=text_colour(tint, theme.text), fontsize=theme.label_size, linespacing=1.05,
            )  # fmt: skip
    axes.set_yscale("log")
    axes.set_ylim(LOWEST, 30)
    axes.set_xlim(0, ROUNDS)
    ticks_of_powers(axes, "y")
    whole_ticks(axes)
    label_ends(axes, labels, theme.label_size)
    axes.set_title(r"$\mathrm{E}\,\|x_t - x^*\|^2$")
    axes.set_xlabel("round $t$")


def _floors(axes: Axes, record: TabularResult, theme: Theme) -> None:
    coming, formula = record.array("coming"), record.array("formula_with")
    m = len(coming)
    share = np.linspace(1 / m, 1, 200)
    curve = formula[0] * (1 / share - 1) / (m - 1)
    axes.plot(share, curve, color=theme.faint, zorder=1.9, gid="formula")
    for name in ("fedavg", "fedvarp"):
        kind = algorithm_style(name)
        axes.plot(
            coming / m, record.array(f"floors_with {name}"), kind.marker, color=kind.colour(theme.dark),
            markersize=3.6 * theme.width, clip_on=False, gid=f"floors {name}",
        )  # fmt: skip
    top = float(formula[0])
    axes.set_ylim(0, 1.08 * top)
    axes.set_xlim(0, 1.02)
    axes.set_xticks(
        [1 / m, *(k / m for k in range(2, m + 1))], [str(Fraction(k, m)) for k in range(1, m + 1)]
    )
    axes.yaxis.set_major_locator(MaxNLocator(4, steps=[1, 2, 5, 10]))
    axes.yaxis.set_major_formatter(lambda value, _: number(value))
    axes.set_title("error floor")
    axes.set_xlabel(f"{symbol('C')}, the share of clients in a round")
    words = {"fedavg": ("FedAvg: dots computed,\nline by formula", 2.1 / m, top * 0.6),
             "fedvarp": ("FedVARP:\n0 at every $C$", 0.015, top * 0.05)}  # fmt: skip
    for name, (text, x, y) in words.items():
        axes.text(x, y, text, color=text_colour(algorithm_style(name).colour(theme.dark), theme.text),
                  va="bottom", fontsize=theme.label_size, linespacing=1.05)  # fmt: skip


def _share(record: TabularResult) -> Fraction:
    return Fraction(int(record.values["coming_usually"]), len(record.columns["coming"]))


def _headline(record: TabularResult) -> str:
    floor = number(float(record.array("floors fedavg")[-1]))
    some = f"{record.values['coming_usually']} of {len(record.columns['coming'])} clients"
    return f"With {some} a round FedAvg stays at {floor}; FedVARP's stored updates remove that error floor"


def _note(record: TabularResult) -> str:
    given = settings({"m": len(record.columns["coming"]), "eta": float(record.array("eta")[-1]),
                      "tau": record.values["tau"]})  # fmt: skip
    return (
        rf"Clients $\|x-e_i\|^2/2$, {given}, no noise; exact expectations. Formula: "
        r"$\rho/(2-\rho)\cdot(1-C)/(C(m-1))\cdot{}V$ with $\rho=1-(1-\eta)^\tau$ and $V$ the variance of the "
        "$e_i$. Gradient noise would leave both a floor."
    )
