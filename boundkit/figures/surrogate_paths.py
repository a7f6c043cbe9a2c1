"""Unequal local steps in the plane: the ways of four algorithms, their fixed points, and what they minimise.

Full rings are the level sets of F, dotted ones those of the surrogate that FedAvg's small steps minimise; the
line between their minima is the inconsistency of the objective.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from boundkit.figures.number_format import number, settings, symbol
from boundkit.figures.plane import (
    PlanarQuadratic,
    PointLabel,
    bowls,
    draw_rings,
    even_scale,
    few_ticks,
    name_points,
    path_of,
)
from boundkit.figures.style import Theme, algorithm_style, empty_figure, finish, style, text_colour, theme_of
from boundkit.report.formatting import join_names
from boundkit.simulation.arrays import Array
from boundkit.verification.tabular_result import TabularResult

ALGORITHMS = ("fedavg", "fedprox", "vrlsgd", "fednova")
_RINGS = 14
_MARGIN, _CLOSE = 0.1, 0.5


def figure(record: TabularResult, preset: str = "presentation") -> Figure:
    """The picture of the demonstration ``surrogate_paths``: the whole way, and where it ends, enlarged.

    Raises BoundkitError for an unknown preset.
    """
    with style(preset):
        narrow = preset == "paper"
        page = empty_figure(height=2.0 if narrow else 1.0)
        whole, close = page.subplots(*((2, 1) if narrow else (1, 2)))
        theme = theme_of(whole)
        whole.set_title(f"{_rounds(record)} rounds from one start")
        close.set_title("where they settle, enlarged")
        for axes in (whole, close):
            _ground(axes, record, theme, 0.9 if axes is whole else 0.45)
        finish(page, _headline(record), _note(record, narrow), theme)
        even_scale(whole, *_corners(_everything(record), _MARGIN))
        even_scale(close, *_corners(_settled(record), _CLOSE))
        few_ticks(whole)
        few_ticks(close)
        paths = [path_of(record, "paths", name) for name in ALGORITHMS]
        marked, edge = [*_settled(record)], _outline(whole, close, theme)
        name_points(whole, _clients(whole, record, theme), [*paths, edge], theme.label_size, marked)
        gap = [bowls(record)[name].c for name in ("F", "surrogate")]
        name_points(close, _place_names(record, theme), [*paths, np.array(gap)], theme.label_size)
    return page


def _ground(axes: Axes, record: TabularResult, theme: Theme, apart: float) -> None:
    """All but the names, with rings so far apart."""
    losses = bowls(record)
    for name, line in (("F", "solid"), ("surrogate", (0, (1, 2)))):
        draw_rings(axes, losses[name], apart, _RINGS, color=theme.faint, linewidth=0.28 * theme.width,
                   linestyle=line, alpha=0.6)  # fmt: skip
    axes.plot(*np.array([losses["F"].c, losses["surrogate"].c]).T, color=theme.text,
              linewidth=0.3 * theme.width,
              linestyle=(0, (4, 2)), zorder=2.8, gid="inconsistency")  # fmt: skip
    rim: dict[str, Any] = {"markeredgecolor": theme.background, "markeredgewidth": 0.3 * theme.width}
    for name in ALGORITHMS:
        one = algorithm_style(name)
        axes.plot(*path_of(record, "paths", name).T, color=one.colour(theme.dark), linestyle=one.dashes,
                  linewidth=0.7 * theme.width, zorder=3,
                  gid=f"path {name}")  # fmt: skip
        axes.plot(*_ends(record)[name], one.marker, color=one.colour(theme.dark),
                  markersize=3.4 * theme.width, zorder=5, gid=f"fixed point {name}", **rim)  # fmt: skip
    axes.plot(
        *losses["F"].c, "*", color=theme.text, markersize=5.5 * theme.width, zorder=5.5, gid="optimum", **rim
    )
    axes.plot(*losses["surrogate"].c, "o", color=theme.text, markersize=6.5 * theme.width,
              markerfacecolor="none",
              markeredgewidth=0.6 * theme.width, zorder=4.5, gid="surrogate optimum")  # fmt: skip


def _outline(whole: Axes, close: Axes, theme: Theme) -> Array:
    """The edge of the enlarged part, drawn in the whole."""
    (left, right), (low, high) = close.get_xlim(), close.get_ylim()
    edge = np.array([(left, low), (right, low), (right, high), (left, high), (left, low)])
    whole.plot(*edge.T, color=theme.faint, linewidth=0.4 * theme.width, zorder=2.9, gid="enlarged")
    return edge


def _clients(axes: Axes, record: TabularResult, theme: Theme) -> list[PointLabel]:
    """The clients' own minima, drawn; their names, and that of the start."""
    names = []
    for bowl, tau in zip(_of_clients(record), record.columns["tau"], strict=True):
        axes.plot(*bowl.c, "o", color=theme.faint, markersize=2.6 * theme.width, zorder=4, gid=bowl.name)
        names.append(PointLabel(bowl.c, f"{bowl.name}\n{tau} steps", theme.text))
    return [*names, PointLabel(path_of(record, "paths", "fedavg")[0], "start", theme.text)]


def _place_names(record: TabularResult, theme: Theme) -> list[PointLabel]:
    """Names in the enlarged part: the fixed points and the optima."""
    losses, ends = bowls(record), _ends(record)
    names = [
        PointLabel(
            ends[name],
            algorithm_style(name).title,
            text_colour(algorithm_style(name).colour(theme.dark), theme.text),
            bold=True,
        )
        for name in ALGORITHMS
    ]
    optimum = PointLabel(losses["F"].c, "$x^*$", theme.text, bold=True)
    return [optimum, PointLabel(losses["surrogate"].c, "optimum of\nthe surrogate", theme.text), *names]


def _ends(record: TabularResult) -> dict[str, Array]:
    """The fixed points, by algorithm."""
    points = np.column_stack([record.array("ends x1"), record.array("ends x2")])
    return dict(zip((str(n) for n in record.columns["ends algorithm"]), points, strict=True))


def _distance(record: TabularResult, name: str, column: str = "distance") -> float:
    return float(record.array(f"ends {column}")[list(record.columns["ends algorithm"]).index(name)])


def _of_clients(record: TabularResult) -> list[PlanarQuadratic]:
    return [bowl for name, bowl in bowls(record).items() if name.startswith("client")]


def _rounds(record: TabularResult) -> int:
    return int(record.values["rounds"])


def _everything(record: TabularResult) -> Array:
    ways = np.column_stack([record.array("paths x1"), record.array("paths x2")])
    return np.concatenate([ways, [bowl.c for bowl in _of_clients(record)]])


def _settled(record: TabularResult) -> Array:
    losses = bowls(record)
    return np.array([*_ends(record).values(), losses["F"].c, losses["surrogate"].c])


def _corners(points: Array, margin: float) -> tuple[Array, Array]:
    low, high = points.min(axis=0), points.max(axis=0)
    room = margin * float((high - low).max())
    return low - room, high + room


def _headline(record: TabularResult) -> str:
    away = {name: number(_distance(record, name)) for name in ALGORITHMS}
    return (
        f"{_listed(record)} local steps: FedAvg settles {away['fedavg']} from $x^*$, "
        f"VRL-SGD {away['vrlsgd']}, FedProx {away['fedprox']}, FedNova {away['fednova']}"
    )


def _listed(record: TabularResult) -> str:
    return join_names([str(tau) for tau in record.columns["tau"]])


def _note(record: TabularResult, narrow: bool) -> str:
    step = settings({"eta": record.values["eta"]})
    nova, avg = (number(_distance(record, name, "small_distance")) for name in ("fednova", "fedavg"))
    small = f"At {symbol('eta')}/10 FedNova settles {nova} from $x^*$, FedAvg {avg}"
    mu = f"FedProx: {symbol('mu')}\N{NBSP}=\N{NBSP}{number(record.values['mu'])}"
    shares = ", ".join(number(v, 3) for v in record.columns["weights"])
    rings = f"Full rings: F. Dotted: the surrogate, with weights {shares} in place of equal ones"
    if narrow:
        return f"{step}. {small}. Full rings: F; dotted: the surrogate. {mu}. Exact."
    return f"{step}. {small}. {rings}. {mu}. Exact, without noise."
