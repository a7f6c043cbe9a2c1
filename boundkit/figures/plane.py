"""The plane: level sets of quadratic losses, paths, and one scale both ways.

Names beside points of a map, where there is room.

They are placed after the layout (``figures.style.finish``), when it is known how large everything is. Names
are set one after the other, each as near to its point as it can be; several orders are tried, and the one
that leaves the names nearest to their points is taken.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.patheffects import withStroke
from matplotlib.ticker import MaxNLocator
from numpy.typing import NDArray

from boundkit.figures.labelled_areas import in_axes
from boundkit.figures.labels import CELLS, FreeSpace, Mask
from boundkit.figures.style import theme_of
from boundkit.simulation.arrays import Array
from boundkit.verification.tabular_result import TabularResult

_POINTS = 181


@dataclass(frozen=True)
class PlanarQuadratic:
    """1/2 (x - c)'H(x - c), with H (2, 2) and c (2,)."""

    name: str
    H: Array
    c: Array


def bowls(record: TabularResult, field: str = "losses") -> dict[str, PlanarQuadratic]:
    """The losses of a record, by name."""
    h11, h12, h22, c1, c2 = (record.array(f"{field} {part}") for part in ("h11", "h12", "h22", "c1", "c2"))
    names = record.columns[f"{field} loss"]
    return {
        str(name): PlanarQuadratic(
            str(name), np.array([[h11[k], h12[k]], [h12[k], h22[k]]]), np.array([c1[k], c2[k]])
        )
        for k, name in enumerate(names)
    }


def path_of(record: TabularResult, field: str, who: str) -> Array:
    """The models of ``who`` in a record, (steps + 1, 2)."""
    own = np.array([name == who for name in record.columns[f"{field} who"]])
    return np.column_stack([record.array(f"{field} x1")[own], record.array(f"{field} x2")[own]])


def ring(bowl: PlanarQuadratic, height: float) -> Array:
    """The points at which the loss is this much above its minimum, (points, 2)."""
    values, vectors = np.linalg.eigh(bowl.H)
    turn = np.linspace(0, 2 * np.pi, _POINTS)
    circle = np.column_stack([np.cos(turn), np.sin(turn)])
    return np.asarray(bowl.c + (circle * np.sqrt(2 * height / values)) @ vectors.T)


def draw_rings(axes: Axes, bowl: PlanarQuadratic, apart: float, count: int, **looks: Any) -> None:
    """``count`` level sets, whose spacing across the steepest direction is ``apart`` in data."""
    steepest = float(np.linalg.eigvalsh(bowl.H)[-1])
    for k in range(1, count + 1):
        axes.plot(*ring(bowl, steepest * (k * apart) ** 2 / 2).T, gid=f"ring {bowl.name}", **looks)


def even_scale(axes: Axes, low: Array, high: Array) -> None:
    """Limits that hold these corners, with one scale both ways; the layout is done."""
    page = axes.get_figure(root=True)
    assert page is not None
    size = np.array(axes.get_position().size) * page.get_size_inches()
    scale = float(((high - low) / size).max())
    middle, half = (low + high) / 2, scale * size / 2
    axes.set_xlim(middle[0] - half[0], middle[0] + half[0])
    axes.set_ylim(middle[1] - half[1], middle[1] + half[1])
    axes.grid(False)


def few_ticks(axes: Axes) -> None:
    """Whole numbers, a few: they tell how long a distance is."""
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_major_locator(MaxNLocator(nbins=4, steps=[1, 2, 5, 10], integer=True))


Cells = tuple[slice, slice]

DIRECTIONS = 24
"""In which a name is tried around its point, the first to the right."""
REACH = (0.6, 1.0, 1.5, 2.2, 3.2, 4.5)
"""How far from its point a name is tried, in heights of the type; from the third on it has a line to it."""
ORDERS = 16
_COVERED, _CROSSED = 100.0, 0.012
"""What it costs to lie on something, in heights of the type; and what part of its box a name might as well
cover as have a line that crosses a path."""


@dataclass(frozen=True)
class PointLabel:
    """Words beside a point, (2,) in data."""

    point: Array
    words: str
    colour: str
    bold: bool = False

    @property
    def weight(self) -> str:
        """As matplotlib calls it."""
        return "bold" if self.bold else "normal"


@dataclass(frozen=True)
class PlacedLabel:
    """A point and the box beside it, both in cells: the middle of the box, and its size."""

    point: Array
    middle: Array
    box: Array
    reach: float

    @cached_property
    def leader(self) -> Array:
        """From the point to the nearest of the box."""
        return np.array(
            [self.point, np.clip(self.point, self.middle - self.box / 2, self.middle + self.box / 2)]
        )

    @property
    def far(self) -> bool:
        """Whether it needs a line to its point."""
        return self.reach > REACH[1]


def name_points(
    axes: Axes, names: Sequence[PointLabel], paths: Iterable[Array], size: float, marks: Iterable[Array] = ()
) -> None:
    """Set names near their points, free of the paths, the points, further marks and each other.

    ``paths``, (points, 2), and ``marks``, (2,), are in data. A line to a distant name crosses no
    other name.
    """
    theme, room = theme_of(axes), FreeSpace(axes)
    for path in paths:
        room.draw(in_axes(axes, path))
    points = CELLS * in_axes(axes, np.array([name.point for name in names]))
    em = size / np.array(room.cell)
    further = [CELLS * in_axes(axes, np.array([mark]))[0] for mark in marks]
    for point in [*points, *further]:
        _take(room.taken, point, em)
    boxes = [np.array(room.size(name.words, size, name.weight)) - [0.6 * em[0], 0] for name in names]
    for name, spot in zip(names, _arranged(room.taken, points, boxes, em), strict=True):
        if spot.far:
            axes.plot(*(spot.leader / CELLS).T, transform=axes.transAxes, color=name.colour, zorder=2.9,
                      linewidth=0.3 * theme.width, gid=f"leader {name.words}")  # fmt: skip
        x, y = spot.middle / CELLS
        text = axes.text(
            x, y, name.words, transform=axes.transAxes, ha="center", va="center",
            fontsize=size, fontweight=name.weight, color=name.colour, zorder=6, linespacing=1.05,
            gid=f"name {name.words}",
        )  # fmt: skip
        text.set_path_effects([withStroke(linewidth=0.25 * size, foreground=theme.background)])


def _arranged(taken: Mask, points: Array, boxes: Sequence[Array], em: Array) -> list[PlacedLabel]:
    """The spots of all names, of the order that costs least."""
    places = [_places(point, box, em) for point, box in zip(points, boxes, strict=True)]
    orders = [np.random.default_rng(k).permutation(len(points)) for k in range(ORDERS)]
    best: tuple[float, list[PlacedLabel]] | None = None
    for order in [range(len(points)), *orders]:
        free, words = taken.copy(), np.zeros_like(taken)
        spots: dict[int, PlacedLabel] = {}
        cost = 0.0
        for k in order:
            covered, spot = _nearest(free, words, places[k])
            cost += _COVERED * covered + spot.reach
            spots[k] = spot
            for cells in (free, words):
                _take(cells, spot.middle, spot.box)
            if spot.far:
                free[_line(spot.leader)] = True
        if best is None or cost < best[0]:
            best = cost, [spots[k] for k in range(len(points))]
    assert best is not None
    return best[1]


def _places(point: Array, box: Array, em: Array) -> list[tuple[PlacedLabel, Cells]]:
    """All spots for a name that lie on the map, the nearest first, and the cells of their boxes."""
    candidates = []
    for reach, turn in product(REACH, range(DIRECTIONS)):
        angle = 2 * np.pi * turn / DIRECTIONS
        way = np.array([np.cos(angle), np.sin(angle)])
        spot = PlacedLabel(point, point + reach * em * way + box / 2 * np.clip(1.6 * way, -1, 1), box, reach)
        low, high = spot.middle - box / 2, spot.middle + box / 2
        if low.min() >= 1 and high.max() <= CELLS - 1:
            candidates.append((spot, _cells(spot.middle, box)))
    inside = np.clip(point, box / 2 + 1, CELLS - 1 - box / 2)
    return candidates or [(PlacedLabel(point, inside, box, REACH[0]), _cells(inside, box))]


def _nearest(
    taken: Mask, words: Mask, places: Sequence[tuple[PlacedLabel, Cells]]
) -> tuple[float, PlacedLabel]:
    """The nearest spot of those that cover and cross least of what is taken, and how much that is."""
    best = 1.0, places[0][0]
    for spot, cells in places:
        box = taken[cells]
        covered = np.count_nonzero(box) / box.size
        if spot.far and covered < best[0]:
            line = _line(spot.leader)
            if words[line].any():
                continue
            covered += _CROSSED * bool(taken[line][_OWN:].any())
        if covered < best[0]:
            best = covered, spot
            if covered == 0:
                break
    return best


_OWN = CELLS // 2
"""Of the cells of a line, those nearest to its own point: there is the path that it names."""


def _line(ends: Array) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    x, y = np.clip(np.linspace(ends[0], ends[1], CELLS), 0, CELLS - 1).astype(np.intp).T
    return x, y


def _cells(middle: Array, box: Array) -> Cells:
    low, high = (middle - box / 2).astype(int).tolist(), np.ceil(middle + box / 2).astype(int).tolist()
    return slice(max(low[0], 0), high[0]), slice(max(low[1], 0), high[1])


def _take(cells: Mask, middle: Array, box: Array) -> None:
    cells[_cells(middle, box)] = True
