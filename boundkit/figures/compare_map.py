"""Bounds over two axes: a map of who is lowest, with the borders as lines."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes
from numpy.typing import NDArray

from boundkit.algebra import BoundkitError
from boundkit.analysis.compare import EQUAL, Comparison
from boundkit.figures.label_placement import CELLS
from boundkit.figures.labelled_areas import Area, name_outside, paint
from boundkit.figures.number_format import letter
from boundkit.figures.style import ink_of
from boundkit.figures.terms_along_axis import meaning
from boundkit.figures.theorem_styles import shade

Array = NDArray[np.float64]


def draw_map(axes: Axes, found: Comparison) -> list[Area]:
    """The areas, hatched where the lowest bound is not proved, without the names in them.

    Raises BoundkitError where an axis has one value, and for bounds up to constants.
    """
    if not found.ranked:
        raise BoundkitError(
            "a map shows whose bound is lowest, but bounds up to constants have no common scale with the "
            "others; give one axis instead of two."
        )
    for name, values in found.axes.items():
        if values.size < 2:
            raise BoundkitError(f"{name} has one value here, but a map needs two or more along each axis.")
    ink = ink_of(axes)
    x, y, lowest, proved = found.between(CELLS)
    shades = [*(shade(place, ink.dark) for place in range(len(found.names))), ink.faint]
    every = [Area(n, tint, lowest == n) for n, tint in zip([*found.names, EQUAL], shades, strict=True)]
    areas = [area for area in every if area.cells.any()]
    paint(axes, x, y, areas, ~proved)
    codes = np.array([[area.cells for area in areas]]).argmax(axis=1)[0].astype(float)
    if len(areas) > 1:
        for code in range(len(areas)):
            drawn = axes.contour(
                x, y, (codes == code).T, levels=[0.5], colors=ink.text, linewidths=0.4 * ink.width
            )
            drawn.set_gid(f"border {areas[code].name}")
    name_x, name_y = found.axes
    axes.set_xlabel(f"{meaning(name_x)}  {letter(name_x)}".strip())
    axes.set_title(f"{meaning(name_y)}  {letter(name_y)}".strip())
    return areas


def name_beside(axes: Axes, found: Comparison, areas: list[Area]) -> None:
    """Names of areas to the right of the map."""
    if not areas:
        return
    x, y, _, _ = found.between(CELLS)
    name_outside(axes, x, y, areas)
