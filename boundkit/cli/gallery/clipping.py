"""``boundkit figure clipping``."""

from __future__ import annotations

from boundkit.cli.gallery.arguments import FigureRequest, FigureResult
from boundkit.cli.gallery.demonstration_figure import drawn


def make(request: FigureRequest) -> FigureResult:
    """The demonstration clipping, drawn."""
    return drawn(request, "clipping")
