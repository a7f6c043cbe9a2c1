"""``boundkit figure surrogate_paths``."""

from __future__ import annotations

from boundkit.cli.gallery.arguments import FigureRequest, FigureResult
from boundkit.cli.gallery.demonstration_figure import drawn


def make(request: FigureRequest) -> FigureResult:
    """The demonstration surrogate_paths, drawn."""
    return drawn(request, "surrogate_paths")
