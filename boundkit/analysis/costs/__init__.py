"""What algorithms cost: data of one family a file, and the table that is asked for."""

from boundkit.analysis.costs.cost import Cost, Exchange
from boundkit.analysis.costs.known import COSTS, algorithms, costs_of
from boundkit.analysis.costs.of_theorem import costs_lines, costs_of_theorem
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
