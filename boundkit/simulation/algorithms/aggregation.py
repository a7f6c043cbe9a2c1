"""Aggregation weights of the participating clients.

With S the participating clients, p_i the weights of the objective, q_i the inclusion probabilities, m all
clients:

weighted   p_i / sum_S p_j     the default; for unequal p its mean is not the full-participation step
mean       1 / |S|
all        1 / m               absent clients count as zero
known      1 / (m q_i)         q_i given by the option ``probabilities``
unbiased   p_i / q_i           q_i from the participation; the mean is the full-participation step

A client that was sampled twice counts twice.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from boundkit.algebra import BoundkitError
from boundkit.simulation.algorithms.round import Array, Came


def _unbiased(came: Came) -> Array:
    if came.probabilities is None:
        raise BoundkitError(
            "unbiased aggregation needs the chance of each client to come; "
            "a schedule has none, and neither has a participation that changes from round to round."
        )
    return came.counts * _over(came.p, came.probabilities)


def _known(came: Came) -> Array:
    if came.probabilities is None:
        raise BoundkitError(
            "known aggregation needs the option probabilities: one number a client, in (0, 1]."
        )
    return came.counts * _over(np.ones_like(came.p) / came.m, came.probabilities)


def _over(values: Array, probabilities: Array) -> Array:
    return np.asarray(np.divide(values, probabilities, out=np.zeros_like(values), where=probabilities > 0))


AGGREGATIONS: dict[str, Callable[[Came], Array]] = {
    "weighted": lambda came: came.share(came.p),
    "mean": lambda came: came.share(np.ones_like(came.p)),
    "all": lambda came: came.counts / came.m,
    "known": _known,
    "unbiased": _unbiased,
}
"""Maps the participating clients to their weights, over the last axis."""
SEPARABLE = {"weighted": "share", "mean": "many", "all": "who", "known": "who", "unbiased": "who"}
"""The quantities on which a client's weight depends, for unequal p."""
