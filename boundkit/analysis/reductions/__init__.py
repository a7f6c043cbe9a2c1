"""Reductions between theorems: conditions and constants, checked symbolically, and their compositions."""

from boundkit.analysis.reductions.graph import (
    Chain,
    Edge,
    Graph,
    as_code,
    chains,
    condition,
    reduction_graph,
    suggest,
)
from boundkit.analysis.reductions.report import Reductions, reductions

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
