"""``boundkit figure assumptions [SUBJECT...]``."""

from __future__ import annotations

from boundkit.cli.gallery.arguments import FigureRequest, FigureResult


def make(request: FigureRequest) -> FigureResult:
    """The lattice of assumptions, or the part of it that is on some subjects."""
    from boundkit.algebra import BoundkitError
    from boundkit.figures.assumptions import figure
    from boundkit.figures.csv_data import of_assumptions

    if request.values:
        raise BoundkitError(
            f"{request.name} takes subjects, such as dissimilarity, but no {request.values[0]!r}."
        )
    return FigureResult(figure(request.names, request.preset), columns=of_assumptions(request.names))
