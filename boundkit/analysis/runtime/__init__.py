"""``bk.round_time``: duration of a round, from the distribution of step times and the exchange time."""

from boundkit.analysis.runtime.distributions import DISTRIBUTIONS
from boundkit.analysis.runtime.round_time import RoundTime, round_time
from boundkit.analysis.runtime.schemes import SCHEMES, formula

__all__ = ["DISTRIBUTIONS", "SCHEMES", "RoundTime", "formula", "round_time"]
