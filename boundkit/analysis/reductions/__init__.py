"""Reductions between theorems: conditions and constants, checked symbolically, and their compositions."""

from boundkit.analysis.reductions.graph import Chain, Edge, Graph, chains, condition, reduction_graph
from boundkit.analysis.reductions.report import Reductions, reductions
from boundkit.analysis.reductions.suggest import as_code, suggest

__all__ = [
    "Chain",
    "Edge",
    "Graph",
    "Reductions",
    "as_code",
    "chains",
    "condition",
    "reduction_graph",
    "reductions",
    "suggest",
]
