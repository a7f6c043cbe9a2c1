"""Softmax regression: losses and gradients at many weights, Newton's method, and constants in closed form.

For points Z, a column of ones included, L = max_i lambda_max(Z_i'Z_i/n_i)/2 + l2, because diag(q) - q q' has
no eigenvalue above 1/2; mu = l2. The optimum of a penalised loss is computed by Newton's method.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from boundkit.algebra import BoundkitError
from boundkit.simulation.arrays import AnyArray, Array, array_namespace, as_like, device, to_device
from boundkit.simulation.constant import Constant
from boundkit.simulation.networks.base import cross_entropy, score_gradient
from boundkit.simulation.problems.federated_data import Federation

if TYPE_CHECKING:
    from boundkit.simulation.problems.network import Network


_STEPS = 100
_HALVINGS = 40
_CLOSE = 1e-6
"""Relative to the first gradient: below it the loss is flat to rounding, and the gradient decides."""


@dataclass(frozen=True)
class CrossEntropy:
    """sum_j c_j (-log softmax(W' z_j)_(label j)) + l2/2 ||W||^2, with points Z (n, k), and c summing to 1."""

    Z: Array
    labels: NDArray[np.intp]
    c: Array
    classes: int
    l2: float

    def at(self, w: Array) -> tuple[float, Array]:
        """The loss and its gradient, (k classes,)."""
        q, log = self._softmax(w)
        row = np.arange(len(q))
        loss = float(self.c @ -log[row, self.labels]) + self.l2 / 2 * float(w @ w)
        q[row, self.labels] -= 1
        return loss, np.asarray((self.Z.T @ (self.c[:, None] * q)).reshape(-1) + self.l2 * w)

    def hessian(self, w: Array) -> Array:
        """(k classes, k classes)."""
        q, _ = self._softmax(w)
        k, classes = self.Z.shape[1], self.classes
        parts = np.empty((k, classes, k, classes))
        for a in range(classes):
            for b in range(a, classes):
                bend = self.c * q[:, a] * ((a == b) - q[:, b])
                parts[:, a, :, b] = parts[:, b, :, a] = (self.Z * bend[:, None]).T @ self.Z
        H = parts.reshape(k * classes, k * classes)
        H[np.diag_indices_from(H)] += self.l2
        return H

    def _softmax(self, w: Array) -> tuple[Array, Array]:
        scores = self.Z @ w.reshape(self.Z.shape[1], self.classes)
        scores -= scores.max(axis=1, keepdims=True)
        log = scores - np.log(np.exp(scores).sum(axis=1, keepdims=True))
        return np.exp(log), log


def minimise(f: CrossEntropy) -> tuple[Array, float]:
    """The minimiser, and the norm of the gradient there.

    Steps are halved until the loss falls enough; near the end, until the gradient is halved; where that
    fails, it is at rounding level. Raises BoundkitError without convergence.
    """
    from scipy.linalg import LinAlgError, cho_factor, cho_solve

    x = np.zeros(f.Z.shape[1] * f.classes)
    loss, g = f.at(x)
    scale = residual = float(np.linalg.norm(g))
    for _ in range(_STEPS):
        try:
            step = cho_solve(cho_factor(f.hessian(x)), g)
        except LinAlgError:
            break
        share, fall = 1.0, float(g @ step)
        close = residual <= _CLOSE * scale
        for _ in range(_HALVINGS):
            candidate = x - share * step
            lower, slope = f.at(candidate)
            norm = float(np.linalg.norm(slope))
            if norm < residual / 2 if close else lower <= loss - share * fall / 4:
                break
            share /= 2
        else:
            break
        x, loss, g, residual = candidate, lower, slope, norm
    if residual > 1e-9 * max(scale, f.l2):
        raise BoundkitError(f"Newton's method left a gradient of {residual:.2g}; a larger l2 would help.")
    return x, residual


_ENTRIES = 2**23
"""Most scores in memory: points times classes times weights."""


class Softmax:
    """Points Z, (n, k), with labels, (n,), of ``classes`` classes. Weights are (..., k classes)."""

    def __init__(self, Z: Array, labels: NDArray[np.intp], classes: int) -> None:
        self.Z, self.labels, self.classes = Z, labels, classes
        self._cache: dict[Any, AnyArray] = {}

    def losses(self, w: AnyArray) -> AnyArray:
        """The mean of log sum exp(scores) - score of the label, at weights (P, k classes): (P,)."""
        xp, label = array_namespace(w), to_device(self.labels, w)[None]

        def some(part: AnyArray) -> AnyArray:
            return xp.mean(cross_entropy(self._scores(part), label), axis=-1)

        return self._by_parts(w, some)

    def gradients(self, w: AnyArray) -> AnyArray:
        """Z' (softmax - label)/n, at weights (P, k classes), in their shape."""
        label, Z = to_device(self.labels, w)[None], self._points(w)
        share = as_like([1 / len(Z)], w)

        def some(part: AnyArray) -> AnyArray:
            deviations = score_gradient(self._scores(part), label, share)
            return (Z.T @ deviations).reshape(len(part), -1)

        return self._by_parts(w, some)

    @cached_property
    def largest(self) -> float:
        """lambda_max(Z'Z/n), rounded upwards."""
        return float(np.linalg.eigvalsh(self.Z.T @ self.Z / len(self.Z))[-1]) * (1 + 1e-12)

    def _scores(self, w: AnyArray) -> AnyArray:
        return self._points(w) @ w.reshape(len(w), -1, self.classes)

    def _points(self, like: AnyArray) -> AnyArray:
        key = (like.dtype, device(like))
        if key not in self._cache:
            self._cache[key] = as_like(self.Z, like)
        return self._cache[key]

    def _by_parts(self, w: AnyArray, evaluate: Callable[[AnyArray], AnyArray]) -> AnyArray:
        size = max(1, _ENTRIES // (len(self.Z) * self.classes))
        parts = [evaluate(w[k : k + size]) for k in range(0, len(w), size)]
        return array_namespace(w).concat(parts)


_MOST = 2000
"""Most weights for which the full Hessian is computed."""


def is_linear(problem: Network) -> bool:
    """Whether scores are linear in the weights, so that the loss is convex."""
    return problem.architecture.kind == "softmax"


@lru_cache(maxsize=8)
def _steepest(federation: Federation) -> float:
    """max_i lambda_max(Z_i'Z_i/n_i), from the smaller of Z'Z and ZZ', rounded upwards."""
    largest = 0.0
    Z = _points(federation)
    for a, b in zip(federation.offsets[:-1], federation.offsets[1:], strict=True):
        own = Z[a:b]
        square = own @ own.T if len(own) < own.shape[1] else own.T @ own
        largest = max(largest, float(np.linalg.eigvalsh(square / len(own))[-1]))
    return largest * (1 + 1e-12)


def _points(federation: Federation) -> Array:
    flat = federation.X.reshape(len(federation.X), -1).astype(np.float64)
    return np.column_stack([flat, np.ones(len(flat))])


def constants_of(problem: Network) -> dict[str, Constant]:
    """L, and mu where there is a penalty."""
    how = "an upper bound: max_i lambda_max(Z'Z/n)/2 + l2"
    constants = {"L": Constant(_steepest(problem.federation) / 2 + problem.l2, "exact", how)}
    if problem.l2 > 0:
        constants["mu"] = Constant(problem.l2, "exact", "the penalty")
    return constants


def optimum_of(problem: Network) -> Array:
    """x*, by Newton's method.

    Raises BoundkitError with a hidden layer, without a penalty, and for more weights than a Hessian allows.
    """
    if not is_linear(problem) or problem.l2 == 0:
        raise BoundkitError(
            "the minimum of a network is computed only without hidden layers and with l2 above 0."
        )
    if problem.d > _MOST:
        raise BoundkitError(
            f"the minimum is computed for at most {_MOST} weights, but there are {problem.d}."
        )
    federation = problem.federation
    Z = _points(federation)
    share = (problem.p / federation.sizes)[federation.owner]
    loss = CrossEntropy(Z, federation.y, share, problem.d // Z.shape[1], problem.l2)
    return minimise(loss)[0]
