"""A problem: m clients with a loss each, weights p_i, and the noise of their gradients."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from boundkit.algebra import BoundkitError
from boundkit.verify.constant import Constant

if TYPE_CHECKING:
    import torch

Array = NDArray[np.float64]
OBSERVABLES = ("loss", "loss_gap", "gradient_norm_squared", "distance_squared", "dissimilarity")
"""What is recorded of every server iterate: F, F - F_inf, ||grad F||^2, ||x - x*||^2, and
sum_i p_i ||grad F_i - grad F||^2."""


@dataclass(frozen=True)
class QuadraticForm:
    """u' Q u + 2 q' u + c in u = x - centre. Q is (d, d), or (d,) where it is diagonal."""

    Q: Array
    q: Array
    c: float

    def __call__(self, u: Any) -> Any:
        """The values at points u of shape (..., d), as numpy arrays or torch tensors."""
        Q, q = _like(self.Q, u), _like(self.q, u)
        bent = u * Q if Q.ndim == 1 else u @ Q
        return (u * (bent + 2 * q)).sum(-1) + self.c


def _like(array: Array, other: Any) -> Any:
    if isinstance(other, np.ndarray):
        return array
    import torch

    return torch.as_tensor(array, dtype=other.dtype, device=other.device)


class Problem(ABC):
    """Losses F_i, their weighted mean F = sum p_i F_i, and how a verdict may measure them.

    ``noise`` is sigma: every stochastic gradient carries Gaussian noise of covariance sigma^2/d I.
    """

    kind: ClassVar[str]
    m: int
    d: int
    p: Array
    noise: float
    optimum: Array | None
    centre: Array

    @abstractmethod
    def gradients(self, clients: NDArray[np.intp], like: torch.Tensor) -> Callable[[torch.Tensor], torch.Tensor]:
        """grad F_i for clients of shape (n,) or (R, n): a function of y, (R, n, d) to (R, n, d)."""

    @abstractmethod
    def observe(self, x: Any) -> dict[str, Any]:
        """Every one of OBSERVABLES at server iterates x of shape (R, d), each of shape (R,).

        An observable that the problem does not have (the distance where no optimum is known) is left out.
        """

    @abstractmethod
    def constants(self, x0: Array) -> dict[str, Constant]:
        """The constants that hold on all of space, by house keyword."""

    @abstractmethod
    def convexity(self) -> tuple[bool, str]:
        """Whether every client's loss is convex, and if not, why."""

    @abstractmethod
    def to_json(self) -> dict[str, Any]:
        """The ``problem`` field of a RUN.json."""

    @property
    def equal_weights(self) -> bool:
        """Whether F is the plain mean of the clients' losses."""
        return bool(np.ptp(self.p) <= 1e-12)


def checked_weights(weights: Any, m: int) -> Array:
    """p as an array of m numbers, uniform by default; refused unless they are >= 0 and sum to 1."""
    if weights is None:
        return np.full(m, 1 / m)
    p = checked_array("p", weights, (m,))
    if (p < 0).any():
        raise BoundkitError(f"p must not be negative, but client {int(np.argmin(p))} has weight {p.min():g}.")
    if abs(p.sum() - 1) > 1e-9:
        raise BoundkitError(f"p must sum to 1, but it sums to {p.sum():.12g}.")
    return p / p.sum()


def checked_array(name: str, value: Any, shape: tuple[int | None, ...]) -> Array:
    """A finite float64 array of that shape (None: any length); the refusal names the field."""
    try:
        array = np.array(value, dtype=np.float64)
    except (TypeError, ValueError):
        raise BoundkitError(f"{name} must be numbers in the shape {_shape(shape)}, but it is not.") from None
    if array.ndim != len(shape) or any(w not in (None, h) for w, h in zip(shape, array.shape, strict=True)):
        raise BoundkitError(f"{name} must have the shape {_shape(shape)}, but it has {_shape(array.shape)}.")
    if not np.isfinite(array).all():
        raise BoundkitError(f"{name} must be finite, but it contains {array[~np.isfinite(array)].flat[0]}.")
    return array


def checked_noise(noise: Any) -> float:
    """sigma as a finite number, at least 0."""
    value = float(checked_array("noise", noise, ()))
    if value < 0:
        raise BoundkitError(f"noise is a standard deviation and must be at least 0, but it is {value:g}.")
    return value


def _shape(shape: tuple[int | None, ...]) -> str:
    if not shape:
        return "() (one number)"
    return "(" + ", ".join("any" if n is None else str(n) for n in shape) + ("," if len(shape) == 1 else "") + ")"
