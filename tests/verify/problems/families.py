"""One problem of each family and corner: what every family must satisfy is tested on all of them."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from boundkit.verify.problems import Problem, Quadratic, SmoothNonconvex


def tilts(m: int, d: int) -> np.ndarray:
    e = np.random.default_rng(4).normal(size=(m, d))
    return np.asarray(e - e.mean(axis=0))


FAMILIES: dict[str, Callable[[], Problem]] = {
    "quadratic, diagonal": lambda: Quadratic([1.0, [0.5, 2.0]], [[1, 0], [-1, 2]], [0.3, 0.7]),
    "quadratic, dense": lambda: Quadratic.random(4, 3, seed=1, dense=True, noise=0.2),
    "quadratic, one client": lambda: Quadratic([2.0], [[1.0]]),
    "quadratic, a weight of zero": lambda: Quadratic([2.0, 1.0], [[1.0], [0.0]], [0.0, 1.0]),
    "smooth non-convex": lambda: SmoothNonconvex(tilts(4, 2), noise=0.1),
    "smooth non-convex, one client": lambda: SmoothNonconvex([[0.0]]),
}  # fmt: skip
