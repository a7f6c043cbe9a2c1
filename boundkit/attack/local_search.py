"""Walks uphill from a start, by a minimiser of scipy, for a fixed number of evaluations.

Measured by ``benchmarks/falsify.py`` at 120 instances, six theorems, two seeds: the mean need of a term is
0.437 by random starts alone, 0.428 by Nelder-Mead in walks of 30 from half of the search on, and 0.419 in
walks of 60 from a quarter on. So short searches live on their starts; longer ones were not measured.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Method = Literal["Nelder-Mead", "Powell", "COBYQA", "differential evolution"]
METHOD: Method = "Nelder-Mead"
"""The one that the search takes."""
WORST = 1e9
"""What a refused neighbour counts as, to be minimised."""
_CROWD = 12
"""The population of differential evolution, of which a walk sees a few generations."""


class _Enough(Exception):
    pass


def walk(
    height: Callable[[Array], float],
    start: Array,
    evaluations: int,
    rng: np.random.Generator,
    method: Method = METHOD,
) -> None:
    """Climb ``height`` from the start. Steps of random size, so that a second walk is another one."""
    from scipy.optimize import Bounds, differential_evolution, minimize

    left = evaluations
    size = float(10 ** rng.uniform(-1.5, 0.3))
    n = len(start)

    def depth(vector: Array) -> float:
        nonlocal left
        left -= 1
        if left < 0:
            raise _Enough
        return -squashed(height(np.asarray(vector, dtype=np.float64)))

    with suppress(_Enough):
        if method == "differential evolution":
            crowd = start + np.clip(size * rng.standard_normal((_CROWD, n)), -3 * size, 3 * size)
            crowd[0] = start
            around = Bounds(start - 3 * size, start + 3 * size)
            differential_evolution(depth, around, init=crowd, rng=rng, polish=False)
        else:
            minimize(depth, start, method=method, options=_options(method, start, size, evaluations, rng))


def _options(method: Method, start: Array, size: float, evaluations: int, rng: np.random.Generator) -> Any:
    n = len(start)
    if method == "COBYQA":
        return {"initial_tr_radius": size, "maxfev": evaluations}
    if method == "Powell":
        return {"maxfev": evaluations}
    turned = (
        np.linalg.qr(rng.standard_normal((n, n)))[0]
        if rng.random() < 0.5
        else np.diag(rng.choice([-1.0, 1.0], n))
    )
    simplex = np.vstack([start, start + size * turned])
    return {"initial_simplex": simplex, "adaptive": n > 3, "maxfev": evaluations}


def squashed(value: float) -> float:
    """A monotone function of a score that a quadratic model can follow: shares may be -10^5."""
    if not np.isfinite(value):
        return float(np.copysign(WORST, value))
    return float(np.sign(value) * np.log1p(abs(value)))
