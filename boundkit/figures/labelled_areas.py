"""A map over two quantities: areas in colour with their names in them, curves, and a hatched ground."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import ListedColormap, to_hex, to_rgb
from matplotlib.patheffects import withStroke
from numpy.typing import NDArray

from boundkit.analysis.default_ranges import edges_of, is_logarithmic
from boundkit.figures.curves import folded, ticks_of_powers, whole_ticks
from boundkit.figures.labels import FreeSpace, Label, label_ends
from boundkit.figures.style import Theme, text_colour, theme_of
from boundkit.simulation.arrays import Array

TINT = 0.5
"""How much of the ground is mixed into the colour of an area, so that words on it can be read."""

HATCH = "///"
"""On what is outside the conditions."""


@dataclass(frozen=True)
class Area:
    """A part of a map: its name, its colour, and the cells that it covers."""

    name: str
    colour: str
    cells: NDArray[np.bool_]


def paint(axes: Axes, x: Array, y: Array, areas: Sequence[Area], outside: NDArray[np.bool_]) -> None:
    """Fill the areas, hatch what is outside the conditions, and set scales and ticks."""
    theme = theme_of(axes)
    codes = np.zeros((x.size, y.size))
    for code, area in enumerate(areas):
        codes[area.cells] = code
    colours = ListedColormap([tinted(area.colour, theme) for area in areas])
    for which, values in (("x", x), ("y", y)):
        if is_logarithmic(values):
            axes.set(**{f"{which}scale": "log"})
        axes.set(**{f"{which}lim": (values[0], values[-1])})
        if is_logarithmic(values):
            ticks_of_powers(axes, which)
        elif which == "x":
            whole_ticks(axes)
    # As an image: thousands of separate cells would show their seams, and make a slow file.
    axes.pcolormesh(
        edges_of(x), edges_of(y), codes.T, cmap=colours, vmin=-0.5, vmax=len(areas) - 0.5, rasterized=True,
        zorder=0.5, gid="areas",
    )  # fmt: skip
    if outside.any():
        drawn = axes.contourf(
            x, y, outside.T.astype(float), levels=[0.5, 1.5], colors="none", hatches=[HATCH], zorder=0.7
        )
        drawn.set(edgecolor=theme.background, linewidth=0, gid="outside")
    axes.grid(False)


def name_areas(axes: Axes, room: FreeSpace, areas: Sequence[Area]) -> list[Area]:
    """Set the name of each area inside it; return the areas in which no name fits."""
    theme = theme_of(axes)
    left = []
    for area in areas:
        for words, size, angle in _sizes(area.name, theme):
            place = room.inside(area.cells, *room.size(words, size, "bold", upright=angle == 90))
            if place is not None:
                text = axes.text(
                    *place, words, transform=axes.transAxes, ha="center", va="center", fontsize=size,
                    fontweight="bold", color=text_colour(text_colour(area.colour, theme.text), theme.text),
                    linespacing=1.05, rotation=angle, gid=f"name {area.name}",
                )  # fmt: skip
                # A rim in the colour of the area, so that hatches end before the text.
                text.set_path_effects(
                    [withStroke(linewidth=0.3 * size, foreground=tinted(area.colour, theme))]
                )
                break
        else:
            left.append(area)
    return left


def name_outside(axes: Axes, x: Array, y: Array, areas: Sequence[Area]) -> None:
    """Set the names of small areas to the right of the map, each with a dot in its area."""
    from scipy.ndimage import distance_transform_edt

    theme = theme_of(axes)
    labels: list[Label | None] = []
    for area in areas:
        depth = distance_transform_edt(np.pad(area.cells, 1))[1:-1, 1:-1]
        deepest = np.argwhere(depth >= 0.99 * depth.max())
        column, row = (int(place) for place in deepest[len(deepest) // 2])
        shade = text_colour(area.colour, theme.text)
        (dot,) = axes.plot(
            [x[column]], [y[row]], marker="o", markersize=1.6 * theme.width, color=shade,
            linewidth=theme.width, gid=f"dot {area.name}",
        )  # fmt: skip
        axes.plot([x[column], x[-1]], [y[row]] * 2, color=shade, linewidth=0.3 * theme.width)
        words = folded(area.name) if theme.narrow else area.name
        labels.append(Label(float(x[column]), float(y[row]), words, shade, dot, bold=True))
    if labels:
        label_ends(axes, labels, theme.label_size)


def in_axes(axes: Axes, points: Array) -> Array:
    """Points in data as shares of the Axes."""
    both = []
    for values, scale, limits in (
        (points[:, 0], axes.get_xscale(), axes.get_xlim()),
        (points[:, 1], axes.get_yscale(), axes.get_ylim()),
    ):
        scaled, (low, high) = (np.log(values), np.log(limits)) if scale == "log" else (values, limits)
        both.append((scaled - low) / (high - low))
    return np.column_stack(both)


def tinted(colour: str, theme: Theme) -> str:
    """A colour with some of the ground in it."""
    pairs = zip(to_rgb(colour), to_rgb(theme.background), strict=True)
    red, green, blue = (a + TINT * (b - a) for a, b in pairs)
    return to_hex((red, green, blue))


def _sizes(name: str, theme: Theme) -> list[tuple[str, float, int]]:
    """A name in one line and in two, both a little smaller, and at last upright: words, size, angle."""
    sizes = (theme.label_size,) if theme.narrow else (theme.size, theme.note_size)
    flat = [(words, size, 0) for size in sizes for words in dict.fromkeys((name, folded(name)))]
    return [*flat, *((name, size, 90) for size in sizes)]
