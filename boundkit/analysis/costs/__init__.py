"""Costs of algorithms: communication, gradients and state of a round, as data and as a table."""

from boundkit.analysis.costs.algorithm_costs import COSTS, algorithms, costs_lines, costs_of, costs_of_theorem
from boundkit.analysis.costs.cost import Cost, Exchange
from boundkit.analysis.costs.table import CostRow, CostTable, cost_table

__all__ = [
    "COSTS",
    "Cost",
    "CostRow",
    "CostTable",
    "Exchange",
    "algorithms",
    "cost_table",
    "costs_lines",
    "costs_of",
    "costs_of_theorem",
]
