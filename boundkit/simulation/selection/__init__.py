"""Loss-based client selection on quadratics: selection shares, skew, and limit points."""

from boundkit.simulation.selection.limit import Limit, TwoClientCycle, selection_limit, two_client_cycle
from boundkit.simulation.selection.published_instance import published_instance
from boundkit.simulation.selection.skew import Skew, skew, skew_along, skew_of_local_iterate
from boundkit.simulation.selection.strategy import Strategy, strategy_of

__all__ = [
    "Limit",
    "Skew",
    "Strategy",
    "TwoClientCycle",
    "published_instance",
    "selection_limit",
    "skew",
    "skew_along",
    "skew_of_local_iterate",
    "strategy_of",
    "two_client_cycle",
]
