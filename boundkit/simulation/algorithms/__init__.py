"""The algorithms, by their names on the command line, from the files of this folder."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from importlib import import_module
from pkgutil import iter_modules
from typing import Any

from boundkit.algebra.errors import unknown
from boundkit.simulation.algorithms.base import (
    Algorithm,
    ClientOracle,
    Local,
    Message,
    Received,
    Round,
    ServerOracle,
    State,
    WeightInputs,
)
from boundkit.simulation.algorithms.fedavg import FedAvg, MinibatchSGD


def _algorithm_classes() -> Iterator[type[Algorithm]]:
    for info in iter_modules(__path__):
        module = import_module(f"{__name__}.{info.name}")
        for value in vars(module).values():
            own = isinstance(value, type) and value.__module__ == module.__name__
            if own and issubclass(value, Algorithm) and "name" in vars(value):
                yield value


ALGORITHMS: dict[str, type[Algorithm]] = {
    a.name: a for a in sorted(_algorithm_classes(), key=lambda a: a.name)
}


def algorithm_class(name: str) -> type[Algorithm]:
    """The algorithm class of a name, without options; BoundkitError with similar names if there is none."""
    if name not in ALGORITHMS:
        raise unknown("algorithm", name, ALGORITHMS)
    return ALGORITHMS[name]


def algorithm(name: str, options: Mapping[str, Any] | None = None) -> Algorithm:
    """The algorithm of a name with the given options.

    Raises BoundkitError for an unknown name or option, with similar ones.
    """
    return algorithm_class(name)(options)


__all__ = [
    "ALGORITHMS",
    "Algorithm",
    "ClientOracle",
    "FedAvg",
    "Local",
    "Message",
    "MinibatchSGD",
    "Received",
    "Round",
    "ServerOracle",
    "State",
    "WeightInputs",
    "algorithm",
    "algorithm_class",
]
