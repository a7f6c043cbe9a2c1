"""Local search from a starting point, by a minimiser of scipy, with a fixed number of evaluations.

Measured by ``benchmarks/falsify.py`` with 120 instances, six theorems and two seeds: the mean necessary share
of a term is 0.437 with random instances alone, 0.428 with Nelder-Mead searches of 30 evaluations in the
second half of the budget, and 0.419 with searches of 60 in the last three quarters. Short searches hence
depend on their initial instances; longer ones were not measured.
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
"""The default method."""
WORST = 1e9
"""The value of a rejected neighbour, which is minimised."""
_POPULATION = 12
"""Population of differential evolution, which runs for a few generations."""


class _BudgetSpent(Exception):
    pass


def maximise(
    score_at: Callable[[Array], float],
    start: Array,
    evaluations: int,
    rng: np.random.Generator,
    method: Method = METHOD,
) -> None:
    """Maximise ``height`` from a starting point; initial steps have random size."""
    from scipy.optimize import Bounds, differential_evolution, minimize

    remaining = evaluations
    size = float(10 ** rng.uniform(-1.5, 0.3))
    n = len(start)

    def negated(vector: Array) -> float:
        nonlocal remaining
        remaining -= 1
        if remaining < 0:
            raise _BudgetSpent
        return -compress_score(score_at(np.asarray(vector, dtype=np.float64)))

    with suppress(_BudgetSpent):
        if method == "differential evolution":
            population = start + np.clip(size * rng.standard_normal((_POPULATION, n)), -3 * size, 3 * size)
            population[0] = start
            bounds = Bounds(start - 3 * size, start + 3 * size)
            differential_evolution(negated, bounds, init=population, rng=rng, polish=False)
        else:
            minimize(negated, start, method=method, options=_options(method, start, size, evaluations, rng))


def _options(method: Method, start: Array, size: float, evaluations: int, rng: np.random.Generator) -> Any:
    n = len(start)
    if method == "COBYQA":
        return {"initial_tr_radius": size, "maxfev": evaluations}
    if method == "Powell":
        return {"maxfev": evaluations}
    directions = (
        np.linalg.qr(rng.standard_normal((n, n)))[0]
        if rng.random() < 0.5
        else np.diag(rng.choice([-1.0, 1.0], n))
    )
    simplex = np.vstack([start, start + size * directions])
    return {"initial_simplex": simplex, "adaptive": n > 3, "maxfev": evaluations}


def compress_score(value: float) -> float:
    """Return a monotone function of a score of moderate size: shares may be -10^5."""
    if not np.isfinite(value):
        return float(np.copysign(WORST, value))
    return float(np.sign(value) * np.log1p(abs(value)))
