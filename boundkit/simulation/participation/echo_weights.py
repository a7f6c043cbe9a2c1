r"""Echo weights: the length of a client's absence as its weight, and the effect of a cap on it.

A client of independent probability p last participated S rounds ago, S geometric: E S = 1/p, and
E S^2 = (2 - p)/p^2. FedAWE multiplies its update by S, FedAU by the mean of such intervals: then every
client has long-run weight p E S = 1, for any p. The cost is in the second moment,
p E S^2 = (2 - p)/p, and in single updates: at 0.01 % a client returns with a weight of about 10 000.

A cap, min(S, K), bounds that. Then E min(S, K) = (1 - (1 - p)^K)/p, and the long-run weight of a client is
1 - (1 - p)^K: clients that participate less often than once in K rounds are underweighted again. The
objective minimised in the small-step limit has these weights (FedAU's cut-off K = 50 keeps 64 % of a client
at 2 %, and 0.5 % of one at 0.01 %).

Sources: Xiang and others, arXiv 2409.17446; Wang and Ji, arXiv 2306.03401.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from boundkit.algebra import BoundkitError

RARE = (0.01, 0.003, 0.001, 0.0003, 0.0001)
"""Inclusion probabilities from 1 % to 0.01 %."""
CAPS = (None, 10, 50, 100, 1000, 10000)
"""Caps on the echo; None for no cap."""


@dataclass(frozen=True)
class Echo:
    """min(S, ``cap``), S geometric with probability ``probability``; ``cap`` None for S itself.

    Raises BoundkitError for a probability outside (0, 1] or a cap below 1.
    """

    probability: float
    cap: int | None = None

    def __post_init__(self) -> None:
        if not 0 < self.probability <= 1:
            raise BoundkitError(
                f"a probability must be above 0 and at most 1, but it is {self.probability!r}."
            )
        if self.cap is not None and self.cap < 1:
            raise BoundkitError(f"a cap must be at least 1, but it is {self.cap!r}.")

    @property
    def mean(self) -> float:
        """E min(S, K) = (1 - (1 - p)^K)/p."""
        return self.weight / self.probability

    @property
    def square(self) -> float:
        """E min(S, K)^2 = sum over k < K of (2k + 1)(1 - p)^k; (2 - p)/p^2 without a cap."""
        p, K = self.probability, self.cap
        if K is None or p == 1:
            return (2 - p) / p**2
        return float(sum(_squares(p, start, min(start + _CHUNK, K)) for start in range(0, K, _CHUNK)))

    @property
    def variance(self) -> float:
        """E min(S, K)^2 - (E min(S, K))^2; (1 - p)/p^2 without a cap."""
        return (
            (1 - self.probability) / self.probability**2 if self.cap is None else self.square - self.mean**2
        )

    @property
    def weight(self) -> float:
        """p E min(S, K) = 1 - (1 - p)^K: the long-run weight, ideally 1."""
        if self.cap is None or self.probability == 1:
            return 1.0
        return -math.expm1(self.cap * math.log1p(-self.probability))

    @property
    def bias(self) -> float:
        """Relative bias of E min(S, K) as an estimate of 1/p: -(1 - p)^K."""
        if self.cap is None or self.probability == 1:
            return 0.0
        return -math.exp(self.cap * math.log1p(-self.probability))

    @property
    def second(self) -> float:
        """p E min(S, K)^2: the second moment of a round's weight, which is 0 while the client is absent."""
        return self.probability * self.square


def capped_weights(
    probabilities: Sequence[float] | NDArray[np.float64], cap: int | None
) -> NDArray[np.float64]:
    """Weights w_i, proportional to 1 - (1 - p_i)^K, of the objective that capped weights minimise.

    In the small-step limit; they sum to 1.
    """
    weights = np.array([Echo(float(p), cap).weight for p in probabilities])
    return np.asarray(weights / weights.sum())


_CHUNK = 10**6


def _squares(p: float, start: int, stop: int) -> float:
    k = np.arange(start, stop)
    return float(np.sum((2 * k + 1) * np.exp(k * math.log1p(-p))))
