"""``boundkit figure sensitivity THEOREM [--eta RULE] [--eta_s RULE]``."""

from __future__ import annotations

from boundkit.cli.gallery.arguments import FigureRequest, FigureResult


def make(request: FigureRequest) -> FigureResult:
    """The table of arrows of one theorem."""
    from boundkit.algebra import BoundkitError
    from boundkit.analysis.sensitivity import sensitivity
    from boundkit.figures.csv_data import of_sensitivity
    from boundkit.figures.sensitivity import figure
    from boundkit.theorems import theorem

    if request.values:
        raise BoundkitError(
            f"{request.name} holds for all values, so {request.values[0]!r} must not be given."
        )
    statement = theorem(request.theorem())
    answer = sensitivity(statement, eta=request.options["eta"], eta_s=request.options["eta_s"])
    return FigureResult(figure(answer, request.preset), statement.name, columns=of_sensitivity(answer))
