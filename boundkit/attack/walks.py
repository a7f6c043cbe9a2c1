"""Walks uphill from a start, by a minimiser of scipy, for a fixed number of evaluations."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Method = Literal["Nelder-Mead", "Powell", "COBYQA"]
WORST = 1e9
"""What a refused neighbour counts as, to be minimised."""


class _Enough(Exception):
    pass


def walk(
    height: Callable[[Array], float],
    start: Array,
    evaluations: int,
    rng: np.random.Generator,
    method: Method = "Nelder-Mead",
) -> None:
    """Climb ``height`` from the start. Steps of random size, so that a second walk is another one."""
    from scipy.optimize import minimize

    left = evaluations
    size = float(10 ** rng.uniform(-1.5, 0.3))
    n = len(start)

    def depth(vector: Array) -> float:
        nonlocal left
        left -= 1
        if left < 0:
            raise _Enough
        return _bounded(-height(np.asarray(vector, dtype=np.float64)))

    options: Any
    if method == "Nelder-Mead":
        turned = (
            np.linalg.qr(rng.standard_normal((n, n)))[0]
            if rng.random() < 0.5
            else np.diag(rng.choice([-1.0, 1.0], n))
        )
        options = {
            "initial_simplex": np.vstack([start, start + size * turned]),
            "adaptive": n > 3,
            "maxfev": evaluations,
        }
    elif method == "COBYQA":
        options = {"initial_tr_radius": size, "maxfev": evaluations}
    else:
        options = {"maxfev": evaluations}
    with suppress(_Enough):
        minimize(depth, start, method=method, options=options)


def _bounded(value: float) -> float:
    """A monotone function of the value that a quadratic model can follow: shares may be -10^5."""
    if not np.isfinite(value):
        return WORST if not value < 0 else -WORST
    return float(np.sign(value) * np.log1p(abs(value)))
