"""``boundkit figure terms THEOREM name=value ...``."""

from __future__ import annotations

from typing import Any

from boundkit.cli.gallery.arguments import FigureRequest, FigureResult


def make(request: FigureRequest) -> FigureResult:
    """The prediction over the axes that the words span, or over the usual ones."""
    from boundkit.algebra.notation import VECTORS
    from boundkit.analysis.predict import predict
    from boundkit.cli.parameter_values import read_values
    from boundkit.figures.csv_data import of_prediction
    from boundkit.figures.terms import figure, usual_axes
    from boundkit.theorems import theorem as named

    statement = named(request.theorem())
    given: dict[str, Any] = dict(read_values(request.values, statement))
    if not any(isinstance(value, list) and name not in VECTORS for name, value in given.items()):
        given |= usual_axes(statement, given)
    result = predict(statement, **given)
    return FigureResult(figure(result, request.preset), statement.name, columns=of_prediction(result))
