"""Data of m clients: points with labels in order of clients, from arrays or from the fields of a RUN.json.

``data`` is the name of a data set, or contains the points themselves, {"X": [[...], ...], "y": [...]}. A
``partition`` divides them among clients; data with points may list those of each client instead, in
their field ``clients``: [[0, 2], [1]].
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from boundkit.algebra import BoundkitError
from boundkit.simulation.arrays import AnyArray, Array, array_namespace, as_like, device
from boundkit.simulation.data import load_dataset, partition, partition_json
from boundkit.simulation.json_fields import checked_fields
from boundkit.simulation.networks import ARCHITECTURES, Architecture, TorchModule
from boundkit.simulation.validation import checked_array, no_larger


def concatenate_clients(clients: Sequence[Any]) -> Federation:
    """Concatenate all clients. Raises BoundkitError where there is none, or points differ in shape."""
    pairs = [pair(*client_pair(i, client)) for i, client in enumerate(clients)]
    if not pairs:
        raise BoundkitError("at least one client with data is needed.")
    ends = np.cumsum([len(X) for X, _ in pairs])
    rows = [np.arange(end - len(X), end) for end, (X, _) in zip(ends, pairs, strict=True)]
    shapes = {X.shape[1:] for X, _ in pairs}
    if len(shapes) > 1:
        raise BoundkitError(
            f"all clients need points of one shape, but the shapes are {sorted(map(str, shapes))}."
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
            f"points and labels must be numbers, but the types are {points.dtype}, {labels.dtype}."
        )
    whole_labels = labels if labels.dtype.kind == "f" else labels.astype(np.int64)
    return (points if points.dtype.kind == "f" else points.astype(np.int64)), whole_labels


Indices = NDArray[np.intp]


class Federation:
    """Points X, (N, ...), with labels y, (N,) or (N, length), of clients with ``sizes`` points, (m,).

    ``offsets``: index of each client's first point, (m + 1,).
    """

    def __init__(self, X: NDArray[Any], y: NDArray[Any], clients: Sequence[Indices]) -> None:
        for i, own in enumerate(clients):
            if not len(own):
                raise BoundkitError(f"every client needs data, but client {i} has no point.")
        order = np.concatenate([np.asarray(own, dtype=np.intp) for own in clients])
        self.X, self.y = np.ascontiguousarray(X[order]), np.ascontiguousarray(y[order])
        self.sizes = np.array([len(own) for own in clients], dtype=np.intp)
        self.offsets = np.concatenate([[0], np.cumsum(self.sizes)])
        self.order = order
        self._cache: dict[Any, tuple[AnyArray, AnyArray]] = {}

    @property
    def m(self) -> int:
        """The number of clients."""
        return len(self.sizes)

    @property
    def largest_label(self) -> int:
        """The largest label, or the largest token if points consist of tokens."""
        tokens = self.X.max() if self.X.dtype.kind == "i" and self.y.ndim > 1 else 0
        return int(max(self.y.max(), tokens))

    @property
    def owner(self) -> Indices:
        """The client of every point, (N,)."""
        return np.repeat(np.arange(self.m), self.sizes)

    @property
    def shares(self) -> Array:
        """n_i/n, (m,)."""
        return np.asarray(self.sizes / self.sizes.sum())

    def tensors(self, like: AnyArray) -> tuple[AnyArray, AnyArray]:
        """X, at the precision of ``like`` unless it holds whole numbers, and y, on its device."""
        key = (like.dtype, device(like))
        if key not in self._cache:
            self._cache[key] = as_tensors(self.X, self.y, like)
        return self._cache[key]

    def __getstate__(self) -> dict[str, Any]:
        return self.__dict__ | {"_cache": {}}  # another process creates its own tensors

    def padded(self, clients: Indices) -> tuple[Indices, Array]:
        """Indices of all points of each client, (K, most), and their weights 1/n_i, 0 for padding."""
        sizes, most = self.sizes[clients], int(self.sizes[clients].max())
        at = np.arange(most)
        inside = at < sizes[:, None]
        index = self.offsets[clients][:, None] + np.where(inside, at, 0)
        return index, np.where(inside, 1 / sizes[:, None], 0.0)

    def blocks(self, clients: Indices, most: int) -> Iterator[Indices]:
        """Positions in ``clients``, (K,), in similar groups of at most ``most`` padded points each."""
        order = np.argsort(-self.sizes[clients], kind="stable")
        at = 0
        while at < len(order):
            count = max(1, most // int(self.sizes[clients[order[at]]]))
            yield order[at : at + count]
            at += count


def as_tensors(X: NDArray[Any], y: NDArray[Any], like: AnyArray) -> tuple[AnyArray, AnyArray]:
    """Points at the precision of ``like``, unless they are whole numbers, and labels, on its device."""
    xp, fractions = array_namespace(like), X.dtype.kind == "f"
    # of files mapped to memory torch warns, and numba compiles a function once more
    X, y = (a if a.flags.writeable else a.copy() for a in (X, y))
    labels = xp.asarray(y, device=device(like))
    return as_like(X, like) if fractions else xp.asarray(X, device=device(like)), labels


_MOST_NUMBERS = 10_000
"""Larger data are not written into a RUN.json."""
_MOST_CLASSES = 10_000
_LARGEST = 1e6
IN_MEMORY = "in memory"
Pair = tuple[NDArray[Any], NDArray[Any]]


@dataclass(frozen=True)
class NetworkData:
    """Clients' points, the shape of a point, the number of classes, and held-out points."""

    federation: Federation
    inputs: tuple[int, ...]
    classes: int
    test: tuple[NDArray[Any], NDArray[Any]] | None
    written: dict[str, Any]


def read_data(data: Any, split: Any) -> NetworkData:
    """The data that the two fields describe. Raises BoundkitError, naming the field."""
    if isinstance(data, Mapping):
        if IN_MEMORY in data:
            raise BoundkitError("data of this run were in memory, and too large for its file to hold.")
        return _inline(data, split)
    if not isinstance(data, str):
        raise BoundkitError(
            'data must be the name of a data set, such as "digits", or hold X, y and clients.'
        )
    dataset = load_dataset(data, *data_location())
    split = {"kind": "iid", "num_partitions": 100} if split is None else split
    clients = partition(split, dataset.y, dataset.groups)
    written = {"data": data, "partition": partition_json(split)}
    test = (dataset.test_X, dataset.test_y) if len(dataset.test_X) else None
    return NetworkData(
        Federation(dataset.X, dataset.y, clients), dataset.inputs, dataset.classes, test, written
    )


def data_location() -> tuple[Path | None, bool]:
    """The first folder to search for data sets, and whether downloads are allowed: from the environment.

    BOUNDKIT_DATA is a folder; BOUNDKIT_DOWNLOAD=1 allows torchvision to fetch missing data sets. Worker
    processes inherit the same values.
    """
    root = os.environ.get("BOUNDKIT_DATA")
    return (Path(root) if root else None), os.environ.get("BOUNDKIT_DOWNLOAD") == "1"


def _inline(data: Mapping[str, Any], split: Any) -> NetworkData:
    fields = checked_fields("data", data, ("X", "y"), ("clients",))
    if ("clients" in fields) == (split is not None):
        raise BoundkitError(
            "data that hold the points need either their clients, or a partition beside them."
        )
    X = checked_array("data X", fields["X"], (None, None))
    if not X.size:
        raise BoundkitError("data X must be a list of points, each with at least one number.")
    no_larger("data X", X.ravel(), _LARGEST)
    y = checked_array("data y", fields["y"], (len(X),))
    if (y < 0).any() or (y % 1 != 0).any() or y.max() >= _MOST_CLASSES:
        raise BoundkitError(f"data y must be labels 0, 1, ..., below {_MOST_CLASSES}.")
    labels = y.astype(np.int64)
    written: dict[str, Any] = {"data": {"X": X.tolist(), "y": labels.tolist()}}
    if split is None:
        rows = _rows(fields["clients"], len(X))
        written["data"]["clients"] = [own.tolist() for own in rows]
    else:
        rows, written["partition"] = partition(split, labels, None), partition_json(split)
    return NetworkData(Federation(X, labels, rows), X.shape[1:], int(y.max()) + 1, None, written)


def _rows(clients: Any, points: int) -> list[NDArray[np.intp]]:
    if not isinstance(clients, (list, tuple)) or not clients:
        raise BoundkitError("data clients must be a list of lists: the points of each client.")
    rows = [checked_array("data clients", own, (None,)) for own in clients]
    if any(not len(r) or (r % 1 != 0).any() or r.min() < 0 or r.max() >= points for r in rows):
        raise BoundkitError(
            f"data clients must be lists of points from 0 to {points - 1}, none of them empty."
        )
    return [own.astype(np.intp) for own in rows]


def written_data(federation: Federation) -> Any:
    """The ``data`` field of data in memory: the points, or only their number where there are many."""
    flat = federation.X.ndim == 2 and federation.y.ndim == 1 and federation.y.dtype.kind == "i"
    if not flat or federation.X.size > _MOST_NUMBERS:
        return {IN_MEMORY: federation.sizes.tolist()}
    ends = federation.offsets
    clients = [list(range(a, b)) for a, b in zip(ends[:-1].tolist(), ends[1:].tolist(), strict=True)]
    return {"X": federation.X.tolist(), "y": federation.y.tolist(), "clients": clients}


def fit_points(model: Architecture, federation: Federation, test: Pair | None) -> Pair | None:
    """Convert the clients' points, in place, and the test points to the model's input; the test points.

    Raises BoundkitError where points or labels do not fit the model.
    """
    if isinstance(model, TorchModule):
        _call_on_every_label(model, federation)
        return test
    if model.kind in ARCHITECTURES:
        _check_labels(model, federation, test)
    tokens = federation.X.dtype.kind == "i"
    if model.tokens and not tokens:
        raise BoundkitError(
            f"a {model.kind} model reads whole numbers, such as characters; these points are fractions."
        )
    if not tokens or model.tokens:
        return test
    federation.X = federation.X.astype(np.float64)
    return None if test is None else (test[0].astype(np.float64), test[1])


def _call_on_every_label(model: TorchModule, federation: Federation) -> None:
    import torch

    X, labels = federation.tensors(torch.zeros(1, dtype=torch.float64))
    own = torch.as_tensor(model.own)[None]
    model.check(own, X[None, :1], labels[None, :1])
    if labels.ndim == 1 and federation.y.dtype.kind == "i":
        first = torch.as_tensor(np.unique(federation.y, return_index=True)[1])
        try:
            model.point_losses(own, X[None, first], labels[None, first])
        except (RuntimeError, IndexError) as error:
            raise BoundkitError(f"the loss cannot be called on every label: {error}.") from None


def _check_labels(model: Architecture, federation: Federation, test: Pair | None) -> None:
    scores, shape = model.shapes[-1][-1], federation.X.shape[1:]
    pairs = {"clients": (federation.X, federation.y)} | ({} if test is None else {"test points": test})
    for owner, (X, y) in pairs.items():
        if X.shape[1:] != shape:
            raise BoundkitError(f"test points need the shape of the clients' {shape}, not {X.shape[1:]}.")
        if y.dtype.kind != "i" or (y.size and (y.min() < 0 or y.max() >= scores)):
            ends = f"from {y.min():g} to {y.max():g}" if y.size else "none"
            raise BoundkitError(
                f"labels of a {model.kind} model are whole numbers from 0 to {scores - 1}, "
                f"but those of the {owner} are {y.dtype} {ends}; classes = K allows K classes."
            )
