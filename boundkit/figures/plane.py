"""The plane: level sets of quadratic losses, paths, and one scale both ways."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator
from numpy.typing import NDArray

from boundkit.verification.tabular_result import TabularResult

Array = NDArray[np.float64]

_POINTS = 181


@dataclass(frozen=True)
class Bowl:
    """1/2 (x - c)'H(x - c), with H (2, 2) and c (2,)."""

    name: str
    H: Array
    c: Array


def bowls(record: TabularResult, field: str = "losses") -> dict[str, Bowl]:
    """The losses of a record, by name."""
    h11, h12, h22, c1, c2 = (record.array(f"{field} {part}") for part in ("h11", "h12", "h22", "c1", "c2"))
    names = record.columns[f"{field} loss"]
    return {
        str(name): Bowl(str(name), np.array([[h11[k], h12[k]], [h12[k], h22[k]]]), np.array([c1[k], c2[k]]))
        for k, name in enumerate(names)
    }


def path_of(record: TabularResult, field: str, who: str) -> Array:
    """The models of ``who`` in a record, (steps + 1, 2)."""
    own = np.array([name == who for name in record.columns[f"{field} who"]])
    return np.column_stack([record.array(f"{field} x1")[own], record.array(f"{field} x2")[own]])


def ring(bowl: Bowl, height: float) -> Array:
    """The points at which the loss is this much above its minimum, (points, 2)."""
    values, vectors = np.linalg.eigh(bowl.H)
    turn = np.linspace(0, 2 * np.pi, _POINTS)
    circle = np.column_stack([np.cos(turn), np.sin(turn)])
    return np.asarray(bowl.c + (circle * np.sqrt(2 * height / values)) @ vectors.T)


def draw_rings(axes: Axes, bowl: Bowl, apart: float, count: int, **looks: Any) -> None:
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
