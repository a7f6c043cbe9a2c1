"""Loss-based client selection on quadratics: selection shares, skew, and limit points."""

from boundkit.simulation.selection.limit import SelectionLimit, selection_limit
from boundkit.simulation.selection.published_instance import published_instance
from boundkit.simulation.selection.skew import Skew, skew, skew_along
from boundkit.simulation.selection.strategy import Strategy, strategy_of

__all__ = [
    "SelectionLimit",
    "Skew",
    "Strategy",
    "published_instance",
    "selection_limit",
    "skew",
    "skew_along",
    "strategy_of",
]
