"""Unequal local steps in the plane: the ways of four algorithms, their fixed points, and what they minimise.

Full rings are the level sets of F, dotted ones those of the surrogate that FedAvg's small steps minimise; the
line between their minima is the inconsistency of the objective.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import NDArray

from boundkit.figures.algorithm_styles import look
from boundkit.figures.cause_styles import text_colour
from boundkit.figures.number_format import letter, number, settings
from boundkit.figures.page import finish, sheet
from boundkit.figures.plane import Bowl, bowls, draw_rings, even_scale, few_ticks, path_of
from boundkit.figures.point_labels import Name, name_points
from boundkit.figures.style import Ink, ink_of, style
from boundkit.report.formatting import join_names
from boundkit.verification.tabular_result import TabularResult

Array = NDArray[np.float64]

ALGORITHMS = ("fedavg", "fedprox", "vrlsgd", "fednova")
_RINGS = 14
_MARGIN, _CLOSE = 0.1, 0.5


def figure(found: TabularResult, preset: str = "hall") -> Figure:
    """The picture of the demonstration ``surrogate_paths``: the whole way, and where it ends, enlarged.

    Raises BoundkitError for an unknown preset.
    """
    with style(preset):
        narrow = preset == "paper"
        page = sheet(height=2.0 if narrow else 1.0)
        whole, close = page.subplots(*((2, 1) if narrow else (1, 2)))
        ink = ink_of(whole)
        whole.set_title(f"{_rounds(found)} rounds from one start")
        close.set_title("where they settle, enlarged")
        for axes in (whole, close):
            _ground(axes, found, ink, 0.9 if axes is whole else 0.45)
        finish(page, _headline(found), _note(found, narrow), ink)
        even_scale(whole, *_corners(_everything(found), _MARGIN))
        even_scale(close, *_corners(_settled(found), _CLOSE))
        few_ticks(whole)
        few_ticks(close)
        paths = [path_of(found, "paths", name) for name in ALGORITHMS]
        marked, edge = [*_settled(found)], _outline(whole, close, ink)
        name_points(whole, _clients(whole, found, ink), [*paths, edge], ink.label_size, marked)
        gap = [bowls(found)[name].c for name in ("F", "surrogate")]
        name_points(close, _where(found, ink), [*paths, np.array(gap)], ink.label_size)
    return page


def _ground(axes: Axes, found: TabularResult, ink: Ink, apart: float) -> None:
    """All but the names, with rings so far apart."""
    losses = bowls(found)
    for name, line in (("F", "solid"), ("surrogate", (0, (1, 2)))):
        draw_rings(axes, losses[name], apart, _RINGS, color=ink.faint, linewidth=0.28 * ink.width,
                   linestyle=line, alpha=0.6)  # fmt: skip
    axes.plot(*np.array([losses["F"].c, losses["surrogate"].c]).T, color=ink.text, linewidth=0.3 * ink.width,
              linestyle=(0, (4, 2)), zorder=2.8, gid="inconsistency")  # fmt: skip
    rim: dict[str, Any] = {"markeredgecolor": ink.ground, "markeredgewidth": 0.3 * ink.width}
    for name in ALGORITHMS:
        one = look(name)
        axes.plot(*path_of(found, "paths", name).T, color=one.colour(ink.dark), linestyle=one.dashes,
                  linewidth=0.7 * ink.width, zorder=3, gid=f"path {name}")  # fmt: skip
        axes.plot(*_ends(found)[name], one.marker, color=one.colour(ink.dark), markersize=3.4 * ink.width,
                  zorder=5, gid=f"fixed point {name}", **rim)  # fmt: skip
    axes.plot(
        *losses["F"].c, "*", color=ink.text, markersize=5.5 * ink.width, zorder=5.5, gid="optimum", **rim
    )
    axes.plot(*losses["surrogate"].c, "o", color=ink.text, markersize=6.5 * ink.width, markerfacecolor="none",
              markeredgewidth=0.6 * ink.width, zorder=4.5, gid="surrogate optimum")  # fmt: skip


def _outline(whole: Axes, close: Axes, ink: Ink) -> Array:
    """The edge of the enlarged part, drawn in the whole."""
    (left, right), (low, high) = close.get_xlim(), close.get_ylim()
    edge = np.array([(left, low), (right, low), (right, high), (left, high), (left, low)])
    whole.plot(*edge.T, color=ink.faint, linewidth=0.4 * ink.width, zorder=2.9, gid="enlarged")
    return edge


def _clients(axes: Axes, found: TabularResult, ink: Ink) -> list[Name]:
    """The clients' own minima, drawn; their names, and that of the start."""
    names = []
    for bowl, tau in zip(_of_clients(found), found.columns["tau"], strict=True):
        axes.plot(*bowl.c, "o", color=ink.faint, markersize=2.6 * ink.width, zorder=4, gid=bowl.name)
        names.append(Name(bowl.c, f"{bowl.name}\n{tau} steps", ink.text))
    return [*names, Name(path_of(found, "paths", "fedavg")[0], "start", ink.text)]


def _where(found: TabularResult, ink: Ink) -> list[Name]:
    """Names in the enlarged part: the fixed points and the optima."""
    losses, ends = bowls(found), _ends(found)
    names = [
        Name(ends[name], look(name).title, text_colour(look(name).colour(ink.dark), ink.text), bold=True)
        for name in ALGORITHMS
    ]
    optimum = Name(losses["F"].c, "$x^*$", ink.text, bold=True)
    return [optimum, Name(losses["surrogate"].c, "optimum of\nthe surrogate", ink.text), *names]


def _ends(found: TabularResult) -> dict[str, Array]:
    """The fixed points, by algorithm."""
    points = np.column_stack([found.array("ends x1"), found.array("ends x2")])
    return dict(zip((str(n) for n in found.columns["ends algorithm"]), points, strict=True))


def _distance(found: TabularResult, name: str, column: str = "distance") -> float:
    return float(found.array(f"ends {column}")[list(found.columns["ends algorithm"]).index(name)])


def _of_clients(found: TabularResult) -> list[Bowl]:
    return [bowl for name, bowl in bowls(found).items() if name.startswith("client")]


def _rounds(found: TabularResult) -> int:
    return int(found.values["rounds"])


def _everything(found: TabularResult) -> Array:
    ways = np.column_stack([found.array("paths x1"), found.array("paths x2")])
    return np.concatenate([ways, [bowl.c for bowl in _of_clients(found)]])


def _settled(found: TabularResult) -> Array:
    losses = bowls(found)
    return np.array([*_ends(found).values(), losses["F"].c, losses["surrogate"].c])


def _corners(points: Array, margin: float) -> tuple[Array, Array]:
    low, high = points.min(axis=0), points.max(axis=0)
    room = margin * float((high - low).max())
    return low - room, high + room


def _headline(found: TabularResult) -> str:
    away = {name: number(_distance(found, name)) for name in ALGORITHMS}
    return (
        f"{_listed(found)} local steps: FedAvg settles {away['fedavg']} from $x^*$, "
        f"VRL-SGD {away['vrlsgd']}, FedProx {away['fedprox']}, FedNova {away['fednova']}"
    )


def _listed(found: TabularResult) -> str:
    return join_names([str(tau) for tau in found.columns["tau"]])


def _note(found: TabularResult, narrow: bool) -> str:
    step = settings({"eta": found.values["eta"]})
    nova, avg = (number(_distance(found, name, "small_distance")) for name in ("fednova", "fedavg"))
    small = f"At {letter('eta')}/10 FedNova settles {nova} from $x^*$, FedAvg {avg}"
    mu = f"FedProx: {letter('mu')}\N{NBSP}=\N{NBSP}{number(found.values['mu'])}"
    shares = ", ".join(number(v, 3) for v in found.columns["weights"])
    rings = f"Full rings: F. Dotted: the surrogate, with weights {shares} in place of equal ones"
    if narrow:
        return f"{step}. {small}. Full rings: F; dotted: the surrogate. {mu}. Exact."
    return f"{step}. {small}. {rings}. {mu}. Exact, without noise."
