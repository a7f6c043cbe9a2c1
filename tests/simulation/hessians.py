"""Random Hessians as RUN.json would hold them, and full matrices of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

CURVATURES = ("scalar", "diagonal", "mixed", "dense")


def hessian(rng: np.random.Generator, d: int, curvature: str, i: int = 0) -> Any:
    """One Hessian with eigenvalues between 0.1 and 2."""
    kind = CURVATURES[(0, 1, 3)[i % 3]] if curvature == "mixed" else curvature
    if kind == "scalar":
        return float(rng.uniform(0.1, 2))
    if kind == "diagonal":
        return rng.uniform(0.1, 2, d).tolist()
    Q = np.linalg.qr(rng.normal(size=(d, d)))[0]
    h = (Q * rng.uniform(0.1, 2, d)) @ Q.T
    return ((h + h.T) / 2).tolist()


def matrices(H: Sequence[Any], d: int) -> list[NDArray[np.float64]]:
    """Each Hessian as a full matrix, from a number, a diagonal or a matrix."""
    full = []
    for h in H:
        h = np.asarray(h, dtype=float)
        full.append(h * np.eye(d) if h.ndim == 0 else np.diag(h) if h.ndim == 1 else h)
    return full
