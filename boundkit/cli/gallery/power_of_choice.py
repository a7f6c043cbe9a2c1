"""``boundkit figure power_of_choice``."""

from __future__ import annotations

from boundkit.cli.gallery.arguments import FigureRequest, FigureResult
from boundkit.cli.gallery.demonstration_figure import drawn


def make(request: FigureRequest) -> FigureResult:
    """The demonstration more_candidates, drawn."""
    return drawn(request, "more_candidates")
