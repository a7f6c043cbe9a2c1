"""Pictures that a page carries in itself: outlines instead of letters, so that no font is needed."""

from __future__ import annotations

import io
from functools import lru_cache

import matplotlib as mpl
import numpy as np
from matplotlib.figure import Figure
from matplotlib.path import Path
from matplotlib.textpath import TextPath
from numpy.typing import NDArray

from boundkit.figures import bound_against_run
from boundkit.figures.save import FORMATS
from boundkit.figures.style import style
from boundkit.figures.words import formula
from boundkit.verify.record import Record

_AIR = 0.8
"""Points around a formula."""
_COMMANDS = {
    int(code): word
    for code, word in zip(
        (Path.MOVETO, Path.LINETO, Path.CURVE3, Path.CURVE4, Path.CLOSEPOLY), "MLQCZ", strict=True
    )
}


def drawn(record: Record) -> bytes:
    """Bound against run as SVG. Raises BoundkitError where the record has no curves."""
    return svg(bound_against_run.figure(record))


def svg(figure: Figure) -> bytes:
    """A figure as SVG, the same bytes for the same figure."""
    buffer = io.BytesIO()
    with style(), mpl.rc_context({"svg.fonttype": "path"}):
        figure.savefig(buffer, format="svg", metadata=FORMATS[".svg"])
    return buffer.getvalue()


@lru_cache(maxsize=2000)
def formula_svg(latex: str, size: float = 11.0) -> bytes | None:
    """A formula as SVG, as wide as it is; None where matplotlib cannot set it."""
    said = formula(latex)
    if said is None:
        return None
    with style():
        outline = TextPath((0, 0), said, size=size)
    box = outline.get_extents()
    left, top = box.x0 - _AIR, -box.y1 - _AIR
    width, height = box.width + 2 * _AIR, box.height + 2 * _AIR
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.2f}pt" height="{height:.2f}pt" '
        f'viewBox="{left:.2f} {top:.2f} {width:.2f} {height:.2f}">'
        f'<path fill="#1b1f24" d="{_drawn(outline)}"/></svg>'
    ).encode()


def _drawn(outline: Path) -> str:
    """The outline in the words of SVG, whose y axis points down."""
    words = []
    for points, code in outline.iter_segments(simplify=False):
        x_and_y = np.asarray(points, dtype=float).reshape(-1, 2) * (1, -1)
        words.append(_COMMANDS[int(code)] + ("" if code == Path.CLOSEPOLY else _pairs(x_and_y)))
    return "".join(words)


def _pairs(points: NDArray[np.float64]) -> str:
    return " ".join(f"{x:.2f} {y:.2f}" for x, y in points)
