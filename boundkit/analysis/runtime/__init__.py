"""``bk.round_time``: how long a round takes, from how long a step takes and an exchange."""

from boundkit.analysis.runtime.laws import LAWS
from boundkit.analysis.runtime.schemes import SCHEMES, formula
from boundkit.analysis.runtime.times import RoundTime, round_time

__all__ = ["LAWS", "SCHEMES", "RoundTime", "formula", "round_time"]
