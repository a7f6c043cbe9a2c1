"""Arrays of numpy or torch: their types, their namespace, and the ways between them.

Algorithms, problems, networks and engines are written over the array API standard: they take their functions
from ``array_namespace`` of an argument and so compute with numpy or torch, whichever they are given.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import array_api_compat
import numpy as np
from array_api_compat import device, is_torch_array
from numpy.typing import NDArray

from boundkit.algebra.errors import unknown
from boundkit.algebra.extras import require

Array = NDArray[np.float64]
Clients = NDArray[np.intp]
"""Numbers of clients, or counts of them."""
AnyArray: TypeAlias = Any
"""A numpy array or a torch tensor."""


LIBRARIES = ("auto", "numpy", "torch")
"""The libraries of arrays, and the choice between them by device and problem."""


def check_library(library: str) -> None:
    """Raise BoundkitError for a library of arrays that is unknown or not installed."""
    if library not in LIBRARIES:
        raise unknown("library of arrays", library, LIBRARIES)
    if library == "torch":
        required_torch("arrays torch")


def required_torch(what: str) -> Any:
    """The module torch. Raises BoundkitError, that ``what`` needs it, where it is not installed."""
    require("torch", what)
    import torch

    return torch


def empty_array(library: str, dtype: str = "float64", device: str = "cpu") -> AnyArray:
    """An empty array of a library, type and device, after whose ``like`` others are made."""
    if library == "numpy":
        return np.empty(0, dtype=dtype)
    import torch

    return torch.empty(0, dtype=getattr(torch, dtype), device=device)


_NAMESPACES: dict[type, Any] = {np.ndarray: np}
"""The namespaces of the types of arrays: the functions of a round need them often."""


def array_namespace(array: AnyArray) -> Any:
    """The functions of the array API standard for the library of an array."""
    kind = type(array)
    if kind not in _NAMESPACES:
        _NAMESPACES[kind] = array_api_compat.array_namespace(array)
    return _NAMESPACES[kind]


def to_device(array: NDArray[Any], like: AnyArray) -> AnyArray:
    """The array in the library and on the device of ``like``, of its own type; a GPU is not waited for."""
    if not is_torch_array(like):
        return array
    import torch

    tensor = torch.as_tensor(array if array.flags.writeable else array.copy())  # torch shares its memory
    return tensor.pin_memory().to(like.device, non_blocking=True) if like.is_cuda else tensor


def as_like(values: Any, like: AnyArray) -> AnyArray:
    """Numbers or an array in the library, on the device and of the type of ``like``; itself where it is so.

    >>> as_like([1, 2], np.zeros(3, dtype=np.float32))
    array([1., 2.], dtype=float32)
    """
    if type(values) is type(like) and values.dtype == like.dtype and values.device == like.device:
        return values  # at once: this is called in every local step
    if not is_torch_array(like):
        return np.asarray(values, dtype=like.dtype)
    import torch

    tensor = to_device(values, like) if isinstance(values, np.ndarray) else values
    return torch.as_tensor(tensor, dtype=like.dtype, device=like.device)


def to_numpy(array: AnyArray) -> NDArray[Any]:
    """The values as a numpy array, without a copy where they are in memory."""
    return np.asarray(array.detach().cpu() if is_torch_array(array) else array)


def to_float64(array: AnyArray) -> Array:
    """The values as a numpy array of float64, without a copy where they are one in memory."""
    return np.asarray(to_numpy(array), dtype=np.float64)


def on_gpu(array: AnyArray) -> bool:
    """Whether the array is in the memory of a GPU."""
    return bool(is_torch_array(array) and array.is_cuda)


__all__ = [
    "LIBRARIES",
    "AnyArray",
    "Array",
    "Clients",
    "array_namespace",
    "as_like",
    "check_library",
    "device",
    "empty_array",
    "is_torch_array",
    "on_gpu",
    "to_device",
    "to_float64",
    "to_numpy",
]
