"""Time-varying availability of clients, and the error floors of four algorithms under it."""

from __future__ import annotations

from math import ceil, floor, log10

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from boundkit.figures.curves import end_label, ticks_of_powers
from boundkit.figures.labels import Label, label_ends
from boundkit.figures.number_format import number, settings
from boundkit.figures.style import Theme, algorithm_style, empty_figure, finish, style, text_colour, theme_of
from boundkit.simulation.arrays import Array
from boundkit.verification.tabular_result import TabularResult

ALGORITHMS = ("fedavg", "fedau", "mifa", "fedawe")
ENDS = {"often": "solid", "seldom": (0, (2, 1.2))}
LOWEST = 1e-3
"""Range of the drawn distances: MIFA's tends to 0."""


def figure(record: TabularResult, preset: str = "presentation") -> Figure:
    """The picture of the demonstration ``client_availability``.

    Raises BoundkitError for an unknown preset.
    """
    with style(preset):
        narrow = preset == "paper"
        kinds = _kinds(record)
        across = 2 if narrow else len(kinds)
        down = -(-len(kinds) // across)
        page = empty_figure(height=2.6 if narrow else 1.15)
        grid = page.subplots(2 * down, across, squeeze=False, height_ratios=(0.6, 1) * down)
        theme = theme_of(grid[0, 0])
        for place, kind in enumerate(kinds):
            row, column = divmod(place, across)
            above, below = grid[2 * row, column], grid[2 * row + 1, column]
            edges = column == 0, column == across - 1
            _draw_availability(above, record, kind, edges, theme)
            _distances(below, record, kind, edges, theme)
        finish(page, _headline(record), _note(record), theme)
    return page


def _kinds(record: TabularResult) -> list[str]:
    """The dynamics, in the order of the record."""
    return [name.removeprefix("settles ") for name in record.values if name.startswith("settles ")]


def _column_of(
    record: TabularResult, table: str, column: str, kind: str, algorithm: str | None = None
) -> Array:
    """A column of a table, of one of the dynamics, and one algorithm."""
    whose = np.array(record.columns[f"{table} dynamics"]) == kind
    if algorithm is not None:
        whose &= np.array(record.columns[f"{table} algorithm"]) == algorithm
    return np.asarray(record.array(f"{table} {column}")[whose])


def _draw_availability(
    axes: Axes, record: TabularResult, kind: str, edges: tuple[bool, bool], theme: Theme
) -> None:
    rounds = _column_of(record, "chances", "round", kind)
    lines = {
        end: axes.plot(
            rounds, _column_of(record, "chances", end, kind), color=theme.text, linestyle=dashes,
            linewidth=0.7 * theme.width, drawstyle="steps-post", gid=f"chance {kind} {end}",
        )[0]
        for end, dashes in ENDS.items()
    }  # fmt: skip
    axes.set_ylim(0, 1.05)
    axes.set_yticks([0, 0.5, 1], ["0", "0.5", "1"] if edges[0] else [])
    axes.set_xlim(0, float(rounds[-1]))
    axes.set_xticks([0, record.values["period"], 2 * record.values["period"]])
    axes.set_xlabel("round $t$")
    axes.set_title(kind.replace("_", " "))
    if edges[1]:
        labels = [end_label(line, end, theme, theme.text) for end, line in lines.items()]
        label_ends(axes, labels, theme.label_size)
    if edges[0]:
        axes.set_ylabel("availability")


def _distances(axes: Axes, record: TabularResult, kind: str, edges: tuple[bool, bool], theme: Theme) -> None:
    rounds = _column_of(record, "paths", "round", kind, "fedavg")
    labels = []
    for name in ALGORITHMS:
        this = algorithm_style(name)
        tint = this.colour(theme.dark)
        path, margin = (_column_of(record, "paths", column, kind, name) for column in ("distance", "margin"))
        (line,) = axes.plot(rounds, np.maximum(path, LOWEST / 10), color=tint, linestyle=this.dashes,
                            linewidth=0.8 * theme.width, gid=f"distance {kind} {name}")  # fmt: skip
        low, high = (np.maximum(end, LOWEST / 10) for end in (path - margin, path + margin))
        axes.fill_between(rounds, low, high, color=tint, alpha=0.22, linewidth=0)
        labels.append(Label(float(rounds[-1]), max(float(path[-1]), LOWEST / 10), this.title,
                            text_colour(tint, theme.text), line))  # fmt: skip
    axes.axhline(record.values[f"settles {kind}"], color=theme.faint, linewidth=0.35 * theme.width,
                 zorder=1.8, gid=f"settles {kind}")  # fmt: skip
    axes.set_yscale("log")
    axes.set_ylim(LOWEST, 2 * float(_column_of(record, "paths", "distance", kind, "fedavg")[0]))
    axes.set_xlim(0, float(rounds[-1]))
    axes.set_xticks([0, 100, 200] if rounds[-1] >= 200 else [0, float(rounds[-1])])
    ticks_of_powers(axes, "y")
    axes.set_xlabel("round $t$")
    if edges[0]:
        axes.set_ylabel(r"$\mathrm{E}\,(x_t-x^*)^2$")
    else:
        axes.tick_params(labelleft=False)
    if edges[1]:
        label_ends(axes, labels, theme.label_size)


def _headline(record: TabularResult) -> str:
    biases = [record.values[f"settles {kind}"] for kind in _kinds(record)]
    low, high = number(min(biases)), number(max(biases))
    return (
        f"FedAvg settles off the optimum, by {low} to {high} in the square, whatever the availability; "
        f"FedAU and FedAWE keep {_most(record, 'fedau', 'fedawe')} or less in the mean of a period, "
        f"MIFA {_most(record, 'mifa')}"
    )


def _most(record: TabularResult, *algorithms: str) -> str:
    """The upper end of the largest interval of the distance in the last period, rounded up."""
    names = ("algorithm", "distance", "margin")
    rows = zip(*(record.columns[f"ends {name}"] for name in names), strict=True)
    most = max(float(distance + margin) for name, distance, margin in rows if name in algorithms)
    if most == 0:
        return "0"
    digit = 10.0 ** (floor(log10(most)) - 1)
    return number(ceil(most / digit) * digit)


def _note(record: TabularResult) -> str:
    v = record.values
    return (
        f"{v['clients']} clients of one curvature, minima from −1, often there, to 1, seldom; "
        f"{settings({'eta': v['eta']})}, no noise. Grey: FedAvg's squared bias. FedAvg is exact, the others "
        f"are means of {v['replicas']} runs with 99 % bands; what FedAU and FedAWE keep falls with the step."
    )
