"""``boundkit figure compare THEOREM THEOREM ... name=value ... [--tuned] [--eta RULE] [--eta_s RULE]``."""

from __future__ import annotations

from boundkit.cli.gallery.arguments import FigureRequest, FigureResult


def make(request: FigureRequest) -> FigureResult:
    """The picture of a comparison."""
    from boundkit.cli.compare import request as answered
    from boundkit.figures.compare import figure
    from boundkit.figures.csv_data import of_comparison

    rules = {name: request.options[name] for name in ("eta", "eta_s")}
    result = answered(request.words, request.options["tuned"], rules)
    return FigureResult(figure(result, request.preset), result.names, columns=of_comparison(result))
