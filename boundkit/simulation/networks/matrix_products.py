"""Products of many small matrices, without a graph: numpy's on a CPU, torch's elsewhere.

On one thread of a CPU, numpy takes a quarter of torch.bmm's time for (10, 128)' (10, 10), and writes
straight into a slice of the flat gradients, which torch.bmm fills by a copy. Larger matrices are
left to torch: numpy's library would split each over threads, whose synchronisation outweighs the work.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    import torch

_ON_ONE_THREAD = 2**18
"""Multiplications in one product up to which numpy's OpenBLAS stays on one thread."""


def product(a: torch.Tensor, b: torch.Tensor, out: torch.Tensor | None = None) -> torch.Tensor:
    """a b for (K, n, k) and (K, k, l), into ``out`` where it is given; nothing can be differentiated."""
    import torch

    if not _by_numpy(a, b):
        return torch.bmm(a, b) if out is None else out.copy_(torch.bmm(a, b))
    if out is None:
        return torch.from_numpy(np.matmul(a.numpy(), b.numpy()))
    np.matmul(a.numpy(), b.numpy(), out=out.numpy())
    return out


def multiplier(a: torch.Tensor, b: torch.Tensor, out: torch.Tensor) -> Callable[[], object]:
    """A function that writes a b into ``out`` for the current values of ``a`` and ``b``."""
    if _by_numpy(a, b):
        return partial(np.matmul, a.numpy(), b.numpy(), out=out.numpy())
    import torch

    return partial(torch.bmm, a, b, out=out)


def _by_numpy(a: torch.Tensor, b: torch.Tensor) -> bool:
    return a.device.type == "cpu" and a.shape[1] * a.shape[2] * b.shape[2] <= _ON_ONE_THREAD
