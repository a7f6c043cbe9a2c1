"""The points of m clients in one array, in order of clients, as tensors of any precision and device."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from boundkit.algebra import BoundkitError
from boundkit.simulation.arrays import Array

if TYPE_CHECKING:
    import torch


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
        self._cache: dict[Any, tuple[torch.Tensor, torch.Tensor]] = {}

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

    def tensors(self, like: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """X, at the precision of ``like`` unless it holds whole numbers, and y, on its device."""
        key = (like.dtype, like.device)
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


def as_tensors(X: NDArray[Any], y: NDArray[Any], like: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """Points at the precision of ``like``, unless they are whole numbers, and labels, on its device."""
    import torch

    points, labels = (
        torch.as_tensor(a if a.flags.writeable else a.copy(), device=like.device)  # other processes map files
        for a in (X, y)
    )
    return points.to(like.dtype) if points.is_floating_point() else points, labels
