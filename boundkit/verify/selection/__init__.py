"""Selection by losses on quadratics: how often each client comes, the skew it makes, and where it ends."""

from boundkit.verify.selection.cycle import TwoClientCycle, two_client_cycle
from boundkit.verify.selection.described import strategy_of
from boundkit.verify.selection.gap import skew_of_local_iterate
from boundkit.verify.selection.limit import Limit, selection_limit
from boundkit.verify.selection.published import published_instance
from boundkit.verify.selection.skew import Skew, skew, skew_along
from boundkit.verify.selection.strategy import Strategy

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
