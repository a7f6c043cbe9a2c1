"""Client drift in the plane: the rounds of two clients with one local step, and with many.

Left and right differ in tau alone. Rings are the level sets of the two clients' losses; a heavy line is the
server's way, and thin ones are the clients' within a round, from the start and from the point of rest.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from boundkit.figures.number_format import number, settings, symbol
from boundkit.figures.plane import PointLabel, bowls, draw_rings, even_scale, few_ticks, name_points, path_of
from boundkit.figures.style import Theme, colour, empty_figure, finish, style, text_colour, theme_of
from boundkit.simulation.arrays import Array
from boundkit.verification.tabular_result import TabularResult

CLIENTS: dict[str, tuple[str, str]] = {"client 1": ("solid", "o"), "client 2": ("dashed", "s")}
"""The line and the mark of each client."""
_MARGIN, _SAME = 0.12, 1e-9


def figure(record: TabularResult, preset: str = "presentation") -> Figure:
    """The picture of the demonstration ``client_drift``.

    Raises BoundkitError for an unknown preset.
    """
    with style(preset):
        narrow = preset == "paper"
        page = empty_figure(height=2.0 if narrow else 1.0)
        panels = page.subplots(*((2, 1) if narrow else (1, 2)), sharex=True, sharey=True)
        theme = theme_of(panels[0])
        for axes, part in zip(panels, ("few", "many"), strict=True):
            axes.set_title(_title(record, part, narrow))
            _ground(axes, record, part, theme)
        finish(page, _headline(record), _note(record, narrow), theme)
        low, high = _corners(record)
        for axes, part in zip(panels, ("few", "many"), strict=True):
            even_scale(axes, low, high)
            few_ticks(axes)
            _names(axes, record, part, theme)
    return page


def _ground(axes: Axes, record: TabularResult, part: str, theme: Theme) -> None:
    """All but the names."""
    losses = bowls(record)
    drift = colour("client drift", theme.dark)
    if part == "many":
        axes.plot(
            *_fixed_points(record).T,
            color=drift,
            linewidth=0.35 * theme.width,
            zorder=2.5,
            gid="fixed points",
        )
    for name, (dashes, mark) in CLIENTS.items():
        draw_rings(axes, losses[name], 0.5, 12, color=theme.faint, linewidth=0.25 * theme.width,
                   linestyle=dashes, alpha=0.55)  # fmt: skip
        axes.plot(*losses[name].c, mark, color=theme.faint, markersize=2.6 * theme.width, zorder=4)
        for where in ("start", "rest"):
            path = path_of(record, part, f"{name} from {where}")
            _draw_local_path(axes, path, f"{name} from {where}", dashes, theme)
    server = path_of(record, part, "server")
    axes.plot(*server.T, color=theme.text, linewidth=0.8 * theme.width, marker="o", zorder=3.5,
              markersize=(1.9 if len(server) < 50 else 0.9) * theme.width, gid="server")  # fmt: skip
    rim: dict[str, Any] = {"markeredgecolor": theme.background, "markeredgewidth": 0.3 * theme.width}
    axes.plot(
        *_fixed_point(record, part), "D", color=drift, markersize=4 * theme.width, zorder=5, gid="rest", **rim
    )
    axes.plot(
        *losses["F"].c, "*", color=theme.text, markersize=5 * theme.width, zorder=5.5, gid="optimum", **rim
    )


def _draw_local_path(axes: Axes, path: Array, name: str, dashes: str, theme: Theme) -> None:
    """The local models of a client in a round, with an arrow at its end."""
    drift = colour("client drift", theme.dark)
    axes.plot(*path.T, linestyle=dashes, color=drift, linewidth=0.55 * theme.width, zorder=3, gid=name)
    before = path[-1] + 0.01 * (path[-2] - path[-1])  # the head alone: its line would fill the dashes
    axes.annotate(
        "", path[-1], before, annotation_clip=True, zorder=3,
        arrowprops={"arrowstyle": "-|>", "color": drift, "linewidth": 0.55 * theme.width,
                    "mutation_scale": 4.5 * theme.width, "shrinkA": 0, "shrinkB": 0},
    )  # fmt: skip


def _names(axes: Axes, record: TabularResult, part: str, theme: Theme) -> None:
    losses, rest = bowls(record), _fixed_point(record, part)
    optimum, at_optimum = losses["F"].c, record.values[f"distance_{part}"] < _SAME
    drift = text_colour(colour("client drift", theme.dark), theme.text)
    names = [PointLabel(optimum, "$x^*$, fixed point" if at_optimum else "$x^*$", theme.text, bold=True)]
    if not at_optimum:
        names.append(PointLabel(rest, "fixed point", drift, bold=True))
    names += [PointLabel(losses[client].c, client, theme.text) for client in CLIENTS]
    paths = [path_of(record, part, who) for who in ("server", *_local_paths())]
    if part == "many":
        names.append(PointLabel(_fixed_points(record)[-1], r"$\tau \to \infty$", drift))
        paths.append(_fixed_points(record))
    names.append(PointLabel(paths[0][0], "start", theme.text))
    name_points(axes, names, paths, theme.label_size)


def _local_paths() -> list[str]:
    return [f"{client} from {where}" for client in CLIENTS for where in ("start", "rest")]


def _fixed_points(record: TabularResult) -> Array:
    """The fixed points of all tau."""
    return np.column_stack([record.array("settled x1"), record.array("settled x2")])


def _settled(record: TabularResult, part: str) -> int:
    return list(record.columns["settled tau"]).index(record.values[f"tau_{part}"])


def _fixed_point(record: TabularResult, part: str) -> Array:
    return np.asarray(_fixed_points(record)[_settled(record, part)])


def _corners(record: TabularResult) -> tuple[Array, Array]:
    paths = [np.column_stack([record.array(f"{part} x{k}") for k in (1, 2)]) for part in ("few", "many")]
    points = np.concatenate([*paths, [bowl.c for bowl in bowls(record).values()]])
    low, high = points.min(axis=0), points.max(axis=0)
    room = _MARGIN * (high - low)
    return low - room, high + room


def _title(record: TabularResult, part: str, narrow: bool) -> str:
    tau, gradients = record.values[f"tau_{part}"], record.values["gradients"]
    ends = "" if narrow else f", settles {_distance_text(record, part)}"
    return rf"$\tau$ = {tau}: {gradients // tau} rounds{ends}"


def _distance_text(record: TabularResult, part: str) -> str:
    distance = record.values[f"distance_{part}"]
    return "at $x^*$" if distance < _SAME else f"{number(distance, 3)} from $x^*$"


def _headline(record: TabularResult) -> str:
    few, many = record.values["tau_few"], record.values["tau_many"]
    where = _distance_text(record, "few"), _distance_text(record, "many")
    return f"FedAvg settles {where[0]} with {few} local step{_plural(few)}, {where[1]} with {many}"


def _plural(count: int) -> str:
    return "" if count == 1 else "s"


def _note(record: TabularResult, narrow: bool) -> str:
    many, gradients = record.values["tau_many"], record.values["gradients"]
    finer = record.array("settled same_product")[_settled(record, "many")]
    tau, product = symbol("tau"), symbol("eta") + symbol("tau")
    step = settings({"eta": record.values["eta"]})
    if narrow:
        return (
            f"{step} and {gradients} gradients a client in both; at the same {product}, {number(finer)} from "
            f"$x^*$. Rings: the clients' losses. Arrows: clients in a round. Curve: all {tau}. Exact."
        )
    return (
        f"{step} and {gradients} gradients a client in both, so that {tau} alone differs; at the same "
        f"{product} instead, {many} steps settle {number(finer)} from $x^*$. Rings: the clients' losses. "
        "Arrows: clients in a round, from the start and the fixed point. "
        f"Curve: the fixed points of all {tau}. Exact, no noise."
    )
