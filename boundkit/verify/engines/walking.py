"""Local steps of many clients in blocks that stay in a cache, the busiest clients first.

A local step looks at one client at a time, so clients may be stepped in any groups. A block of them takes all
its steps before the next block begins, and blocks hold clients with like numbers of steps, so that few wait.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from boundkit.verify.algorithms import Algorithm, Local, Round
from boundkit.verify.engines.minibatches import Minibatches

if TYPE_CHECKING:
    import torch

_CACHE = 2**20
"""Bytes of one tensor of a block on a CPU: about the second level of a core's caches."""


def walked(algorithm: Algorithm, local: Local, around: Round, batches: Minibatches) -> Local:
    """All local steps of a round on mini-batches: tensors (R, n, ...) in and out."""
    y = local["y"]
    R, n, d = y.shape
    steps = np.broadcast_to(around.steps, (R, n)).reshape(-1)
    order = np.argsort(-steps, kind="stable")
    size = len(order) if y.is_cuda else max(1, _CACHE // (d * y.element_size()))
    index, weights = _flat(batches.index), _flat(batches.weights)
    pairs = {name: value.expand(R, n, *value.shape[2:]).flatten(0, 1) for name, value in local.items()}
    after: dict[str, torch.Tensor] = {}
    for first in range(0, len(order), size):
        some = order[first : first + size]
        block = {name: value[some][None] for name, value in pairs.items()}
        own = steps[some]
        for k in range(int(own.max())):
            on = None if weights is None else weights[some, k]
            g = batches.problem.batch_gradient(block["y"][0], index[some, k], on)[None]
            stepped = algorithm.local_step(block, g, float(around.rates[k]))
            block = stepped if own.min() > k else _only(own > k, stepped, block)
        for name, value in block.items():
            if name not in after:
                after[name] = value.new_empty((len(order), *value.shape[2:]))
            after[name][some] = value[0]
    return {name: value.reshape(R, n, *value.shape[1:]) for name, value in after.items()}


def _flat(array: Any) -> Any:
    return None if array is None else array.reshape(-1, *array.shape[2:])


def _only(active: Any, after: Local, before: Local) -> Local:
    """The new values of clients that still step, the old ones of those that are done: (1, B, ...)."""
    import torch

    mask = torch.as_tensor(active, device=after["y"].device)
    return {
        name: torch.where(mask.reshape(-1, *(1,) * (value.ndim - 2)), value, before[name])
        for name, value in after.items()
    }
