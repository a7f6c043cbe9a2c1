"""Estimates of the clients' losses from mini-batches, for client selection."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from boundkit.simulation.problems import Network
from boundkit.simulation.problems.base import Array
from boundkit.simulation.random_streams import Streams

if TYPE_CHECKING:
    import torch


def glanced(network: Network, x: torch.Tensor, batch: int, streams: Streams) -> Array:
    """The mean loss at x, (R, d), over ``batch`` points of each client, drawn with replacement: (R, m)."""
    import torch

    held, m = network.federation, network.m
    u = streams.glances(m, batch) * held.sizes[:, None]
    index = np.minimum(u.astype(np.intp), held.sizes[:, None] - 1) + held.offsets[:-1, None]
    points, labels = held.tensors(x)
    seen = np.empty((len(x), m))
    for r in range(len(x)):
        at = torch.as_tensor(index[r].reshape(1, -1), device=x.device)
        each = network.architecture.point_losses(x[r : r + 1], points[at], labels[at]).reshape(m, batch)
        seen[r] = each.mean(dim=1).double().cpu().numpy()
    penalty = (x * x).sum(dim=-1, keepdim=True).double().cpu().numpy()
    return np.asarray(seen + network.l2 / 2 * penalty)
