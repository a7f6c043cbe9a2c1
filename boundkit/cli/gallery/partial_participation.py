"""``boundkit figure partial_participation``."""

from __future__ import annotations

from boundkit.cli.gallery.arguments import FigureRequest, FigureResult
from boundkit.cli.gallery.demonstration_figure import drawn


def make(request: FigureRequest) -> FigureResult:
    """The demonstration memory_floors, drawn."""
    return drawn(request, "memory_floors")
