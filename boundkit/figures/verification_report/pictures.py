"""Pictures of records for a page, which says in words around them what other figures say in themselves."""

from __future__ import annotations

import io
from typing import Any

import matplotlib as mpl
from matplotlib.figure import Figure

from boundkit.figures.bound_against_run import draw, height_of
from boundkit.figures.save import FORMATS
from boundkit.figures.style import style
from boundkit.verification.record import Record

_SIZE: dict[Any, Any] = {
    "figure.figsize": (7.6, 4.4),
    **dict.fromkeys(("font.size", "axes.titlesize", "axes.labelsize"), 13),
    **dict.fromkeys(("xtick.labelsize", "ytick.labelsize"), 12),
    "axes.titlepad": 8,
    "figure.constrained_layout.h_pad": 0.05,
    "figure.constrained_layout.w_pad": 0.05,
    "lines.linewidth": 2.2,
}
"""Small enough that its letters can be read on a telephone; it grows with the page."""


def drawn(record: Record) -> bytes:
    """Bound against run as SVG. Raises BoundkitError where the record has no curves."""
    with style(), mpl.rc_context(_SIZE):
        page = Figure(figsize=_SIZE["figure.figsize"], dpi=100)
        axes = page.subplots()
        draw(axes, record)
        axes.set_title(height_of(record))
        engine = page.get_layout_engine()
        assert engine is not None
        engine.execute(page)
        page.set_layout_engine("none")
    return svg(page)


def svg(figure: Figure) -> bytes:
    """A figure as SVG, the same bytes for the same figure."""
    buffer = io.BytesIO()
    with style(), mpl.rc_context({"svg.fonttype": "path"}):
        figure.savefig(buffer, format="svg", metadata=FORMATS[".svg"])
    return buffer.getvalue()
