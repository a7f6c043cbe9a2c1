"""The algorithms, by the name that the command line takes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from boundkit.algebra.errors import unknown
from boundkit.verify.algorithms.base import Algorithm, Local, Received, State
from boundkit.verify.algorithms.fedavg import FedAvg
from boundkit.verify.algorithms.minibatch_sgd import MinibatchSGD

ALGORITHMS: dict[str, type[Algorithm]] = {a.name: a for a in (FedAvg, MinibatchSGD)}


def known_algorithm(name: str) -> type[Algorithm]:
    """The algorithm of that name, before its options; BoundkitError with near names where there is none."""
    if name not in ALGORITHMS:
        raise unknown("algorithm", name, ALGORITHMS)
    return ALGORITHMS[name]


def algorithm(name: str, options: Mapping[str, Any] | None = None) -> Algorithm:
    """The algorithm of that name with these options.

    Raises BoundkitError for an unknown name or option, with near ones.
    """
    return known_algorithm(name)(options)


__all__ = [
    "ALGORITHMS",
    "Algorithm",
    "FedAvg",
    "Local",
    "MinibatchSGD",
    "Received",
    "State",
    "algorithm",
    "known_algorithm",
]
