"""``boundkit figure reductions [THEOREM]``."""

from __future__ import annotations

from boundkit.cli.gallery.arguments import FigureRequest, FigureResult


def make(request: FigureRequest) -> FigureResult:
    """The graph of the catalogue, or what is joined to one theorem; exit code 1 where an edge is not so."""
    from boundkit.algebra import BoundkitError
    from boundkit.analysis.reductions import reduction_graph
    from boundkit.figures.csv_data import of_reductions
    from boundkit.figures.reductions import figure
    from boundkit.theorems import catalogue

    only, *others = request.names or (None,)
    for word in (*others, *request.values):
        raise BoundkitError(f"{request.name} is about one theorem, or all: {word!r} is one word too many.")
    graph = reduction_graph(catalogue(), only)
    code = int(not all(edge.confirmed for edge in graph.edges))
    return FigureResult(figure(graph, request.preset, only), only, code, columns=of_reductions(graph))
