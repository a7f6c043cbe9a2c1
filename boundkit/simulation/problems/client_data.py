"""Validation and concatenation of client data given as arrays, tensors or torch data sets."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from boundkit.algebra import BoundkitError
from boundkit.simulation.problems.federated_data import Federation


def gathered(clients: Sequence[Any]) -> Federation:
    """Concatenate all clients. Raises BoundkitError where there is none, or points differ in shape."""
    pairs = [pair(*client_pair(i, client)) for i, client in enumerate(clients)]
    if not pairs:
        raise BoundkitError("at least one client with data is needed.")
    ends = np.cumsum([len(X) for X, _ in pairs])
    rows = [np.arange(end - len(X), end) for end, (X, _) in zip(ends, pairs, strict=True)]
    shapes = {X.shape[1:] for X, _ in pairs}
    if len(shapes) > 1:
        raise BoundkitError(
            f"all clients need points of one shape, but theirs are {sorted(map(str, shapes))}."
        )
    return Federation(np.concatenate([X for X, _ in pairs]), np.concatenate([y for _, y in pairs]), rows)


def client_pair(i: int, given: Any) -> tuple[Any, Any]:
    """Inputs and labels of a pair, of a torch TensorDataset, or of a DataLoader of one."""
    both = getattr(getattr(given, "dataset", given), "tensors", given)
    if not isinstance(both, (tuple, list)) or len(both) != 2:
        raise BoundkitError(
            "each client is a pair of inputs and labels, or a TensorDataset of both, "
            f"but client {i} is a {type(given).__name__}."
        )
    return both[0], both[1]


def pair(X: Any, y: Any) -> tuple[NDArray[Any], NDArray[Any]]:
    """Points and labels as numeric arrays. Raises BoundkitError where they are not, or do not match."""
    points, labels = (a.detach().cpu().numpy() if hasattr(a, "detach") else np.asarray(a) for a in (X, y))
    if len(points) != len(labels):
        raise BoundkitError(f"a client has {len(points)} points, but {len(labels)} labels.")
    if points.dtype.kind not in "fiu" or labels.dtype.kind not in "fiu":
        raise BoundkitError(
            f"points and labels must be numbers, but theirs are {points.dtype}, {labels.dtype}."
        )
    whole_labels = labels if labels.dtype.kind == "f" else labels.astype(np.int64)
    return (points if points.dtype.kind == "f" else points.astype(np.int64)), whole_labels
