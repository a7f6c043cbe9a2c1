"""What algorithms cost: data of one family a file, and the table that is asked for."""

from boundkit.analysis.costs.algorithm_costs import COSTS, algorithms, costs_of
from boundkit.analysis.costs.cost import Cost, Exchange
from boundkit.analysis.costs.table import CostRow, CostTable, cost_table
from boundkit.analysis.costs.theorem_costs import costs_lines, costs_of_theorem

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
