"""``bk.round_time``: how long a round takes, from how long a step takes and an exchange."""

from boundkit.analysis.runtime.distributions import LAWS
from boundkit.analysis.runtime.round_time import RoundTime, round_time
from boundkit.analysis.runtime.schemes import SCHEMES, formula

__all__ = ["LAWS", "SCHEMES", "RoundTime", "formula", "round_time"]
