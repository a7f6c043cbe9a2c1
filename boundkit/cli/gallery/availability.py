"""``boundkit figure availability``."""

from __future__ import annotations

from boundkit.cli.gallery.arguments import FigureRequest, FigureResult
from boundkit.cli.gallery.demonstration_figure import drawn


def make(request: FigureRequest) -> FigureResult:
    """The demonstration who_is_away, drawn."""
    return drawn(request, "who_is_away")
