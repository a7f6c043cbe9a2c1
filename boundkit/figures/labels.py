"""Labels at the ends of curves instead of a legend, and words inside areas: never on each other.

Words inside areas or along curves are placed on a map, a raster of the Axes, first index to the right, second
upwards; sizes are in its cells.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import ceil
from typing import Any, TypeVar

import numpy as np
from matplotlib.artist import Artist, allow_rasterization
from matplotlib.axes import Axes
from matplotlib.backend_bases import RendererBase
from matplotlib.font_manager import FontProperties
from matplotlib.lines import Line2D
from matplotlib.text import Text
from matplotlib.textpath import text_to_path
from matplotlib.transforms import Bbox, IdentityTransform
from numpy.typing import NDArray

from boundkit.simulation.arrays import Array

Child = TypeVar("Child", Text, Line2D)

GAP, LEADER = 0.25, 1.0
"""Between two labels, and from the curve to its label, in heights of the type."""


@dataclass(frozen=True)
class Label:
    """Words for the end of a curve at (x, y) in data, with a leader to it where there is a line.

    Where y has no place on the axis, as 0 on a logarithmic one, the label goes to the bottom.
    """

    x: float
    y: float
    text: str
    text_colour: str
    line: Line2D | None = None
    bold: bool = False


class EndLabels(Artist):
    """Labels to the right of an Axes. They are placed when drawn, so they follow every change of size."""

    def __init__(self, axes: Axes, labels: Sequence[Label], size: float) -> None:
        super().__init__()
        self.axes: Axes = axes
        self.set_figure(axes.get_figure(root=False))  # type: ignore[arg-type]  # an Axes here has a figure
        self.set_clip_on(False)
        self.size = size
        self.labels = sorted(labels, key=lambda label: label.y)
        self.texts = [self._text(label) for label in self.labels]
        self.leaders = [self._leader(label) for label in self.labels]

    def get_children(self) -> list[Artist]:
        return [*self.leaders, *self.texts]

    @allow_rasterization  # type: ignore[untyped-decorator]
    def draw(self, renderer: RendererBase) -> None:
        if not self.get_visible():
            return
        self.arrange(renderer)
        for child in self.get_children():
            child.draw(renderer)

    def get_window_extent(self, renderer: RendererBase | None = None) -> Bbox:
        """The box around all labels, so that layouts leave room for them."""
        if not self.texts:
            return Bbox.null()
        self.arrange(renderer)
        return Bbox.union([text.get_window_extent(renderer) for text in self.texts])

    def arrange(self, renderer: RendererBase | None = None) -> None:
        """Place every label at the present size."""
        if not self.labels:
            return
        em = self.size * self.axes.get_figure(root=True).dpi / 72  # type: ignore[union-attr]  # as above
        ends = np.array([self._end(label) for label in self.labels])
        heights = np.array([text.get_window_extent(renderer).height for text in self.texts]) + GAP * em
        box = self.axes.bbox
        places = spread(np.clip(ends[:, 1], box.y0, box.y1), heights, float(box.y0), float(box.y1))
        left = float(box.x1) + LEADER * em
        for text, leader, end, y in zip(self.texts, self.leaders, ends, places, strict=True):
            text.set_position((left + 0.3 * em, y))
            start = min(max(float(end[1]), box.y0), box.y1)
            leader.set_data([float(end[0]), float(box.x1) + 0.35 * em, left], [start, start, y])

    def _end(self, label: Label) -> tuple[float, float]:
        place = label.y if label.y > 0 or self.axes.get_yscale() != "log" else self.axes.get_ylim()[0]
        x, y = self.axes.transData.transform((label.x, place))
        return float(x), float(y)

    def _text(self, label: Label) -> Text:
        return self._own(Text(
            0, 0, label.text, color=label.text_colour, fontsize=self.size, ha="left", va="center",
            fontweight="bold" if label.bold else "normal", linespacing=1.05,
        ))  # fmt: skip

    def _leader(self, label: Label) -> Line2D:
        if label.line is None:
            return self._own(Line2D([], [], linestyle="none"))
        width = 0.6 * min(label.line.get_linewidth(), self.size / 8)
        return self._own(Line2D([], [], color=label.line.get_color(), linewidth=width))

    def _own(self, child: Child) -> Child:
        child.set_figure(self.get_figure(root=False))  # type: ignore[arg-type]  # as above
        child.set_transform(IdentityTransform())
        child.set_clip_on(False)
        return child


def label_ends(axes: Axes, labels: Sequence[Label | None], size: float) -> EndLabels:
    """Add labels to an Axes; None: a curve that is not visible."""
    artist = EndLabels(axes, [label for label in labels if label is not None], size)
    axes.add_artist(artist)
    artist.set_clip_path(None)
    return artist


def spread(wanted: Any, heights: Any, low: float, high: float) -> list[float]:
    """Centres of boxes that do not overlap, as near to the wanted ones (rising) as least squares can.

    They stay between ``low`` and ``high`` where all boxes fit, and stick out evenly where they do not.

    >>> spread([1.0, 1.0], [2.0, 2.0], 0.0, 10.0)
    [0.0, 2.0]
    >>> spread([0.0, 9.5], [2.0, 2.0], 0.0, 10.0)
    [0.0, 9.5]
    """
    h = np.asarray(heights, dtype=float)
    offsets = np.concatenate(([0.0], np.cumsum((h[:-1] + h[1:]) / 2)))
    blocks: list[list[float]] = []
    for value in np.asarray(wanted, dtype=float) - offsets:
        # Isotonic regression: neighbours that clash share their mean.
        blocks.append([float(value), 1.0])
        while len(blocks) > 1 and blocks[-2][0] >= blocks[-1][0]:
            (mean, count), (before, others) = blocks.pop(), blocks.pop()
            blocks.append([(mean * count + before * others) / (count + others), count + others])
    level = np.concatenate([np.full(int(count), mean) for mean, count in blocks])
    room = high - low - offsets[-1]
    bounded = np.clip(level, low, low + room) if room >= 0 else np.full(len(level), low + room / 2)
    return [float(v) for v in bounded + offsets]


CELLS = 360
"""Cells of the raster, each way."""

Mask = NDArray[np.bool_]


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
