"""Labels at the ends of curves instead of a legend: beside their curve, and never on each other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
from matplotlib.artist import Artist, allow_rasterization
from matplotlib.axes import Axes
from matplotlib.backend_bases import RendererBase
from matplotlib.lines import Line2D
from matplotlib.text import Text
from matplotlib.transforms import Bbox, IdentityTransform

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
        """Put every label where it belongs at the present size."""
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
    """Add labels to an Axes; None stands for a curve that does not show."""
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
