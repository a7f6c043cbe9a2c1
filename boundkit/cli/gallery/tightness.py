"""``boundkit figure tightness``."""

from __future__ import annotations

from boundkit.cli.gallery.arguments import FigureRequest, FigureResult


def make(request: FigureRequest) -> FigureResult:
    """The ratios of the record of all verdicts."""
    from boundkit.cli.gallery.recorded import drawing
    from boundkit.cli.gallery.verdict_records import verified
    from boundkit.figures.csv_data import of_table
    from boundkit.figures.tightness import figure

    result, file = verified(request)
    with drawing(request.name, file):
        return FigureResult(figure(result, request.preset), columns=of_table(result, "theorems"), record=file)
