"""Partitions of training points among clients, by the ``kind`` of a RUN.json's ``partition``.

Kinds and their fields have the names of flwr-datasets 0.6.1. Adding a kind is one entry of PARTITIONERS.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from boundkit.algebra import BoundkitError
from boundkit.algebra.errors import unknown
from boundkit.simulation.data.partitioners.base import Iid, Indices, Natural, Partitioner
from boundkit.simulation.data.partitioners.label_skew import Dirichlet, Pathological, Shards
from boundkit.simulation.json_fields import checked_fields

PARTITIONERS: dict[str, type[Partitioner]] = {
    c.kind: c for c in (Iid, Dirichlet, Shards, Pathological, Natural)
}
"""The class of each kind. Its arguments are the fields."""


def partitioner(spec: Any) -> Partitioner:
    """The partitioner that a RUN.json's field describes.

    Raises BoundkitError for an unknown kind, and for fields unknown, missing or outside their range.
    """
    if not isinstance(spec, Mapping) or not isinstance(spec.get("kind"), str):
        raise BoundkitError(
            'partition must be an object with a "kind", such as {"kind": "iid", "num_partitions": 10}.'
        )
    kind = spec["kind"]
    if kind not in PARTITIONERS:
        raise unknown("kind of partition", kind, PARTITIONERS)
    required, optional = PARTITIONERS[kind].fields()
    given = checked_fields(f"the {kind} partition", spec, ("kind", *required), tuple(optional))
    del given["kind"]
    return PARTITIONERS[kind](**given)


def partition(
    spec: Mapping[str, Any], y: NDArray[Any], groups: NDArray[Any] | None = None
) -> list[NDArray[np.intp]]:
    """The training points of each client, as indices into y; no point has two clients.

    Raises BoundkitError for a field that is wrong, or data that do not allow it.

    >>> [own.tolist() for own in partition({"kind": "iid", "num_partitions": 2}, np.zeros(5))]
    [[4, 2, 3], [1, 0]]
    """
    return partitioner(spec).split(np.asarray(y), None if groups is None else np.asarray(groups))


def partition_json(spec: Mapping[str, Any]) -> dict[str, Any]:
    """The same partition with every default filled in, as in a complete RUN.json.

    >>> partition_json({"kind": "natural"})
    {'kind': 'natural', 'min_partition_size': 1, 'seed': 42}
    """
    return partitioner(spec).to_json()


__all__ = ["PARTITIONERS", "Indices", "Partitioner", "partition", "partition_json", "partitioner"]
