"""``boundkit figure fedexp_step``."""

from __future__ import annotations

from boundkit.cli.gallery.arguments import FigureRequest, FigureResult
from boundkit.cli.gallery.demonstration_figure import drawn


def make(request: FigureRequest) -> FigureResult:
    """The demonstration fedexp_step, drawn."""
    return drawn(request, "fedexp_step")
