"""``boundkit figure regimes THEOREM X Y name=value ... [--eta RULE] [--eta_s RULE]``."""

from __future__ import annotations

from boundkit.cli.gallery.arguments import FigureRequest, FigureResult


def make(request: FigureRequest) -> FigureResult:
    """The phase diagram of one theorem over two quantities."""
    from boundkit.algebra import BoundkitError
    from boundkit.cli.regimes import request as answered
    from boundkit.figures.csv_data import of_prediction
    from boundkit.figures.regimes import figure

    if len(request.names) != 3:
        raise BoundkitError(
            "regimes needs a theorem and two quantities: boundkit figure regimes THEOREM X Y name=value ..."
        )
    theorem, x, y = request.names
    result = answered(theorem, x, y, request.values, request.options)
    return FigureResult(figure(result, request.preset), theorem, columns=of_prediction(result.prediction))
