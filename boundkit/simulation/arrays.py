"""Types of numpy arrays, and their way to a device."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    import torch

Array = NDArray[np.float64]
Clients = NDArray[np.intp]
"""Numbers of clients, or counts of them."""


def to_device(array: NDArray[Any], like: torch.Tensor) -> torch.Tensor:
    """The array as a tensor on the device of ``like``; a GPU is not waited for."""
    import torch

    tensor = torch.as_tensor(array)
    return tensor.pin_memory().to(like.device, non_blocking=True) if like.is_cuda else tensor
