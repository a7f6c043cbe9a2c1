"""Pictures that a page carries in itself: outlines instead of letters, so that no font is needed."""

from __future__ import annotations

import io
from functools import lru_cache

import matplotlib as mpl
from matplotlib.figure import Figure

from boundkit.figures import bound_against_run
from boundkit.figures.save import FORMATS
from boundkit.figures.style import style
from boundkit.figures.words import formula
from boundkit.verify.record import Record


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
    with style(), mpl.rc_context({"svg.fonttype": "path"}):
        page = Figure(figsize=(0.01, 0.01), layout="none")
        page.text(0, 0, said, fontsize=size)
        buffer = io.BytesIO()
        page.savefig(buffer, format="svg", metadata=FORMATS[".svg"], bbox_inches="tight", pad_inches=0.02,
                     transparent=True)  # fmt: skip
    return buffer.getvalue()
