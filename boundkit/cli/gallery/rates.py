"""``boundkit figure rates``."""

from __future__ import annotations

from boundkit.cli.gallery.arguments import FigureRequest, FigureResult


def make(request: FigureRequest) -> FigureResult:
    """The exponents of the record of all verdicts."""
    from boundkit.cli.gallery.recorded import drawing
    from boundkit.cli.gallery.verdict_records import verified
    from boundkit.figures.csv_data import of_table
    from boundkit.figures.rates import figure

    result, file = verified(request)
    with drawing(request.name, file):
        return FigureResult(figure(result, request.preset), columns=of_table(result, "slopes"), record=file)
