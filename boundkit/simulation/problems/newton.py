"""Newton's method for weighted cross entropies with a penalty: smooth, strongly convex, low-dimensional."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from boundkit.algebra import BoundkitError
from boundkit.simulation.problems.base import Array

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
    scale = left = float(np.linalg.norm(g))
    for _ in range(_STEPS):
        try:
            step = cho_solve(cho_factor(f.hessian(x)), g)
        except LinAlgError:
            break
        share, fall = 1.0, float(g @ step)
        close = left <= _CLOSE * scale
        for _ in range(_HALVINGS):
            there = x - share * step
            lower, slope = f.at(there)
            norm = float(np.linalg.norm(slope))
            if norm < left / 2 if close else lower <= loss - share * fall / 4:
                break
            share /= 2
        else:
            break
        x, loss, g, left = there, lower, slope, norm
    if left > 1e-9 * max(scale, f.l2):
        raise BoundkitError(f"Newton's method left a gradient of {left:.2g}; a larger l2 would help.")
    return x, left
