"""What a finished figure holds, found by the names that its parts carry."""

from itertools import combinations

import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.text import Text
from matplotlib.transforms import Bbox

from boundkit.figures.labels import EndLabels

LAYOUTS = ("paper", "presentation")
"""Presets that differ in more than colours; test_style asserts that dark has the layout of presentation."""


def drawn(figure: Figure) -> Figure:
    """The figure after it has been laid out and drawn, unless nothing has changed since."""
    if figure.stale:
        figure.draw_without_rendering()
    return figure


def part(axes: Axes, name: str) -> Artist:
    """The one artist of that name."""
    (found,) = axes.findobj(lambda artist: artist.get_gid() == name)
    return found


def line(axes: Axes, name: str) -> Line2D:
    found = part(axes, name)
    assert isinstance(found, Line2D)
    return found


def names(axes: Axes) -> set[str]:
    """The names of all parts."""
    return {str(artist.get_gid()) for artist in axes.findobj(lambda artist: artist.get_gid() is not None)}


def end_labels(axes: Axes) -> EndLabels:
    (found,) = axes.findobj(EndLabels)
    assert isinstance(found, EndLabels)
    return found


def texts(figure: Figure) -> list[Text]:
    """Every text that is seen."""
    found = [
        t for t in figure.findobj(Text) if isinstance(t, Text) and t.get_visible() and t.get_text().strip()
    ]
    ticks = {id(label) for axes in figure.axes for label in _ticks(axes)}
    hidden = {id(t) for axes in figure.axes for t in _all_ticks(axes) if id(t) not in ticks}
    return [t for t in found if id(t) not in hidden]


def words(figure: Figure) -> str:
    """All that the figure says, a line for each text, however it is wrapped."""
    return "\n".join(t.get_text().replace("\n", " ") for t in texts(figure))


def overlaps(figure: Figure) -> list[tuple[str, str]]:
    """Pairs of texts that lie on each other, by more than a rounding."""
    boxes = [(t.get_text(), shrunk(t.get_window_extent())) for t in texts(drawn(figure))]
    return [(a, b) for (a, one), (b, other) in combinations(boxes, 2) if one.overlaps(other)]


def outside(figure: Figure) -> list[str]:
    """Texts that the edge of the figure cuts."""
    page = figure.bbox.padded(0.5)
    extents = [(t.get_text(), t.get_window_extent()) for t in texts(drawn(figure))]
    return [text for text, box in extents if not (page.contains(*box.min) and page.contains(*box.max))]


def shrunk(box: Bbox) -> Bbox:
    """The box without the air that a font keeps above and below its letters."""
    return Bbox.from_extents(
        box.x0 + 0.5, box.y0 + 0.08 * box.height, box.x1 - 0.5, box.y1 - 0.08 * box.height
    )


def _ticks(axes: Axes) -> list[Text]:
    """Labels of ticks inside the limits: the others exist, but are not drawn."""
    kept = []
    for axis, limits in ((axes.xaxis, axes.get_xlim()), (axes.yaxis, axes.get_ylim())):
        along = axis.get_transform().transform
        low, high = sorted(along(np.array(limits)))
        room = 1e-9 * (high - low)
        for tick in axis.get_major_ticks():
            if low - room <= along(np.array([tick.get_loc()]))[0] <= high + room:
                kept.append(tick.label1)
    return kept


def _all_ticks(axes: Axes) -> list[Text]:
    return [
        t
        for axis in (axes.xaxis, axes.yaxis)
        for tick in axis.get_major_ticks()
        for t in (tick.label1, tick.label2)
    ]


def same(seen: object, wanted: object) -> bool:
    """Numbers that are equal to the last bit, gaps included."""
    return np.array_equal(np.asarray(seen, dtype=float), np.asarray(wanted, dtype=float), equal_nan=True)
