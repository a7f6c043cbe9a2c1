"""Where words fit into a map: inside an area, or along a curve, and never on each other.

A map is a raster of the Axes, first index to the right, second upwards; sizes are in its cells.
"""

from __future__ import annotations

from itertools import pairwise
from math import ceil

import numpy as np
from matplotlib.axes import Axes
from matplotlib.font_manager import FontProperties
from matplotlib.textpath import text_to_path
from numpy.typing import NDArray

CELLS = 360
"""Cells of the raster, each way."""

Mask = NDArray[np.bool_]
Array = NDArray[np.float64]

_LINE = 1.25
"""Height of a line of text, in heights of the type."""


class FreeSpace:
    """What is still free on a map, with the size of one cell in points."""

    def __init__(self, axes: Axes) -> None:
        figure = axes.get_figure(root=True)
        assert figure is not None
        box = axes.get_position()
        width, height = figure.get_size_inches()
        self.cell = 72 * box.width * width / CELLS, 72 * box.height * height / CELLS
        self.taken: Mask = np.zeros((CELLS, CELLS), dtype=bool)

    def size(self, words: str, size: float, weight: str = "normal", upright: bool = False) -> tuple[int, int]:
        """The cells that words take to the right and upwards, with a little air around them."""
        lines = words.split("\n")
        font = FontProperties(family="DejaVu Sans", size=size, weight=weight)
        boxes = [text_to_path.get_text_width_height_descent(line, font, ismath="$" in line) for line in lines]
        width = max(box[0] for box in boxes) + size
        height = sum(max(box[1], size) for box in boxes) * _LINE
        across, up = (height, width) if upright else (width, height)
        return ceil(across / self.cell[0]), ceil(up / self.cell[1])

    def inside(self, area: Mask, wide: int, high: int) -> tuple[float, float] | None:
        """The middle of a box in the area, as far from its edge as can be, in shares of the Axes; taken then.

        None where the box fits nowhere.
        """
        from scipy.ndimage import distance_transform_edt, minimum_filter

        free = area & ~self.taken
        fits = minimum_filter(free, size=(wide | 1, high | 1), mode="constant", cval=0)
        if not fits.any():
            return None
        depth = distance_transform_edt(np.pad(free, 1))[1:-1, 1:-1]
        x, y = (int(place) for place in np.unravel_index(np.argmax(np.where(fits, depth, -1)), depth.shape))
        self.taken[max(x - wide // 2, 0) : x + wide // 2 + 1, max(y - high // 2, 0) : y + high // 2 + 1] = (
            True
        )
        return (x + 0.5) / CELLS, (y + 0.5) / CELLS

    def draw(self, points: Array) -> None:
        """Take the cells that a curve passes, given in shares of the Axes; nan breaks it."""
        for start, stop in pairwise(points):
            if np.isfinite(start).all() and np.isfinite(stop).all():
                steps = np.linspace(start, stop, 2 + int(2 * CELLS * np.abs(stop - start).max()))
                x, y = np.clip((CELLS * steps).astype(int), 0, CELLS - 1).T
                self.taken[x, y] = True

    def along(self, points: Array, wide: int, high: int) -> tuple[float, float, float] | None:
        """The middle of a box beside a curve and its angle in degrees, or None where there is no place."""
        known = points[np.isfinite(points).all(axis=-1)]
        if len(known) < 3:
            return None
        scale = CELLS * np.array(self.cell)  # points of type, so that an angle is one
        size = wide * self.cell[0], high * self.cell[1]
        order = np.argsort(np.abs(np.arange(len(known)) - len(known) / 2), kind="stable")
        for place in order[:: max(len(order) // 60, 1)]:
            before, after = known[max(place - 6, 0)], known[min(place + 6, len(known) - 1)]
            run, rise = (after - before) * scale
            angle = np.arctan2(rise, run)
            angle = angle - np.pi * np.sign(angle) if abs(angle) > np.pi / 2 + 1e-9 else angle
            for side in (1, -1):
                away = side * 0.62 * size[1] * np.array([-np.sin(angle), np.cos(angle)])
                middle = known[place] * scale + away
                cells = self._box(middle, size, float(angle))
                if cells is not None and not self.taken[cells].any():
                    self.taken[cells] = True
                    x, y = middle / scale
                    return float(x), float(y), float(np.degrees(angle))
        return None

    def _box(self, middle: Array, size: tuple[float, float], angle: float) -> tuple[Array, Array] | None:
        """The cells of a turned box; None where it leaves the Axes."""
        wide, high = np.linspace(-0.5, 0.5, 80) * size[0], np.linspace(-0.5, 0.5, 20) * size[1]
        across, up = np.meshgrid(wide, high)
        x = (middle[0] + across * np.cos(angle) - up * np.sin(angle)) / self.cell[0]
        y = (middle[1] + across * np.sin(angle) + up * np.cos(angle)) / self.cell[1]
        if min(x.min(), y.min()) < 1 or max(x.max(), y.max()) > CELLS - 1:
            return None
        return x.astype(int).ravel(), y.astype(int).ravel()
