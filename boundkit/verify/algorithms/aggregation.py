"""How the server weighs the clients that came. Half the questions people ask of FedAvg are about this.

With S the clients that came, p_i the weights of the objective, q_i the chances to come, m all clients:

weighted   p_i / sum_S p_j     the default; for unequal p its mean is not the full-participation step
mean       1 / |S|
all        1 / m               who is absent counts as zero
known      1 / (m q_i)         q_i given by the option ``probabilities``
unbiased   p_i / q_i           q_i from the participation; the mean is the full-participation step
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from boundkit.algebra import BoundkitError

Array = NDArray[np.float64]


def _weighted(p: Array, m: int, q: Array | None) -> Array:
    total = p.sum(axis=-1, keepdims=True)
    return np.asarray(np.divide(p, total, out=np.zeros_like(p), where=total > 0))


def _unbiased(p: Array, m: int, q: Array | None) -> Array:
    if q is None:
        raise BoundkitError(
            "unbiased aggregation needs the chance of each client to come; a schedule has none."
        )
    return p / q


def _known(p: Array, m: int, q: Array | None) -> Array:
    if q is None:
        raise BoundkitError(
            "known aggregation needs the option probabilities: one number a client, in (0, 1]."
        )
    return 1 / (m * q)


AGGREGATIONS: dict[str, Callable[[Array, int, Array | None], Array]] = {
    "weighted": _weighted,
    "mean": lambda p, m, q: np.full(p.shape, 1 / p.shape[-1]),
    "all": lambda p, m, q: np.full(p.shape, 1 / m),
    "known": _known,
    "unbiased": _unbiased,
}
"""(p of those who came, m, chances of those who came) -> weights, over the last axis."""
