"""Exact runs in which the same group of clients is selected in every round: a recursion on a line.

The selected clients have the curvature a, the others the curvature h, and 1 is the largest curvature and
mu the least of all, if need be in another direction, in which nothing moves. Half of the selected have their
minimiser spread above e, half below; those of the others are around 0. As the selected have one curvature,
their mean takes the step x+ = x - eta (a (x - e) + noise) in every local step, so that mean and variance of x
are exact after any number of steps, which may fall.

Such a selection is a function of the model, the constant one. Biases are largest where flat clients are
selected and the others are steep, noise where the skew is small, and the initial gap where the steps are
short. Without selection by losses the clients are alike, and without noise where not all of them participate.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

import numpy as np
from numpy.typing import NDArray

from boundkit.algebra import Theorem
from boundkit.algebra.decaying_steps import numerator
from boundkit.algebra.notation import L, mu, offset
from boundkit.analysis.evaluate import evaluate
from boundkit.attack.measurement import Array, Measurement, measure_known

_STEPS = 4000
_HORIZONS = (1, 2, 3, 4, 8, 16, 40, 100, 200, 400, 1000, 2000, 4000)
_TAUS = (1, 2, 8)
_CURVATURES = (
    (1.0, 1.0, 1.0), (1.0, 1.0, 0.1), (0.1, 0.1, 0.1), (1e-2, 1e-2, 1e-2), (0.1, 1.0, 0.1), (1e-2, 1.0, 1e-2),
    (0.5, 1.0, 0.1), (0.9, 1.0, 0.9), (1.0, 0.1, 0.1),
)  # fmt: skip
"""a, h and mu."""
_STARTS = (
    (0.0, 0.0, 0.0, 0.0, 1.0), (0.0, 0.0, 0.0, 1.0, 0.0), (1.0, 0.0, 0.0, 1.0 + 1e-4, 0.0),
    (1.0, 0.0, 2.0, 1.0 + 1e-4, 0.0), (1.0, 0.0, 0.0, 1.0, 0.0), (1.0, 0.0, 0.0, 0.0, 0.0),
    (1.0, 3.0, 0.0, 1.0, 0.0), (1.0, 0.0, 0.0, np.nan, 0.0), (1.0, 0.0, 5.0, np.nan, 0.0),
)  # fmt: skip
"""e, spread, that of the others, x_0 and sigma: noise, a start, the bias from its limit and the optimum.
Not a number is the optimum, where nothing but the first step of the selected clients counts."""
_WEIGHTS = (1e-9, 0.3, 0.05)
"""The weight of the selected clients in the objective."""
_ANY_SKEW = 10.0
"""A skew for runs that have been at the minimiser of all clients only, where each is one."""
_SIZES = (1.0, 0.1, 1e-2, 1e-3, 1e-4, 1e-6, 2.0, 9.99)
"""Step sizes as fractions of the largest, also beyond it; offsets are divided by them."""
_FAR = ((1.0, 0.0, 0.0, np.nan, 0.0), (1.0, 0.0, 0.0, np.nan, 1.0))
"""From the optimum towards one far client of little weight, whose skew is large, without and with noise."""
_NEAR_LIMIT = (
    *((_WEIGHTS[-1], float(size)) for size in np.geomspace(0.1, 0.8, 60)), (0.0725, 1.0), (0.073, 1.0),
)  # fmt: skip
"""Weights and step sizes for these, among them those at which the contraction by the skew is nearly complete:
of a constant step, after two of the largest."""
_RELATIVE, _ROUNDING, _LARGE = 1e-10, 1e-20, 1e60
"""Rounding errors of values, relative, and of what is 0; values above the last diverge."""


def measure_selected_groups(theorem: Theorem) -> Iterator[Measurement]:
    """Yield the loss gaps of these runs, where steps fall or clients are selected by their losses."""
    selected = theorem.assumes("biased-selection")
    if theorem.kind != "upper" or theorem.rules or theorem.claim.name != "last loss gap":
        return
    if not selected and not theorem.assumes("decaying-step"):
        return
    averaged = selected or theorem.assumes("full-participation")
    for steps in (1,) if theorem.assumes("one-local-step") else _TAUS:
        runs = [
            (*curvatures, *start, weight, size)
            for curvatures, start, weight, size in product(_CURVATURES, _STARTS, _WEIGHTS, _SIZES)
            if _is_meant(curvatures, start, weight, selected)
            and (size == 1 or _has_free_step(theorem))
            and (averaged or start[4] == 0)
        ]
        if selected and _has_free_step(theorem):
            runs += [(1.0, 1.0, 1.0, *start, *near) for start in _FAR for near in _NEAR_LIMIT]
        with np.errstate(all="ignore"):
            yield from _measure(theorem, np.array(runs).T, steps)


def _has_free_step(theorem: Theorem) -> bool:
    """Check whether the step is not that of a published rule."""
    return not theorem.assumes("decaying-step") or offset in theorem.quantities


def _is_meant(curvatures: tuple[float, ...], start: tuple[float, ...], weight: float, selected: bool) -> bool:
    """Leave out runs that are others again, and a selection where there is none."""
    alike = curvatures[0] == curvatures[1] and start[0] == 0
    if alike and weight == _WEIGHTS[1]:
        return False
    return alike or selected


def _measure(theorem: Theorem, runs: NDArray[np.float64], steps: int) -> Iterator[Measurement]:
    """Measure all runs at all horizons that are whole rounds."""
    a, h, low, e, spread, others, x, sigma, weight, size = runs
    whole = weight * a + (1 - weight) * h
    best = weight * a * e / whole
    gamma = (weight * a * ((best - e) ** 2 + spread**2) + (1 - weight) * h * (best**2 + others**2)) / 2
    x = np.where(np.isnan(x), best, x)
    start, variance = x.copy(), np.zeros_like(x)
    at = {"L": np.ones_like(x), "mu": low, "tau": np.full_like(x, steps)}
    falls = theorem.assumes("decaying-step")
    shift = np.broadcast_to(evaluate(theorem.definitions.get(offset, 4 * L / mu), at), x.shape) / size
    skew, fallback = np.full_like(x, np.inf), np.where(weight == _WEIGHTS[-1], _ANY_SKEW, a / whole)
    largest = np.zeros_like(x)
    rows: list[dict[str, Array]] = []
    measured: list[Array] = []
    for t in range(_STEPS):
        chosen = a * ((x - e) ** 2 + variance + spread**2) / 2
        every = whole * ((x - best) ** 2 + variance) / 2 + gamma
        skew = np.fmin(skew, chosen / every)
        squares = (a * (np.abs(x - e) + spread)) ** 2, (h * (np.abs(x) + others)) ** 2
        largest = np.maximum(largest, np.maximum(*squares) + np.maximum(a, h) ** 2 * variance + sigma**2)
        rate = float(numerator(theorem)) / (low * (shift + t)) if falls else size / 4
        x = x - rate * a * (x - e)
        variance = (1 - rate * a) ** 2 * variance + (rate * sigma) ** 2
        if t + 1 not in _HORIZONS or (t + 1) % steps:
            continue
        rho = np.where(np.isfinite(skew), skew, fallback)
        tilde = np.divide(a * ((best - e) ** 2 + spread**2) / 2, gamma, out=np.zeros_like(x), where=gamma > 0)
        known = {
            **at, "sigma": sigma, "sigma_mean": sigma, "sigma_g": np.zeros_like(x), "G": np.sqrt(largest),
            "Gamma": gamma, "rho_bar": rho, "rho_tilde": np.maximum(tilde, rho), "eta": size / 4,
            "T": np.full_like(x, (t + 1) // steps), "offset": shift, "distance": np.abs(start - best),
            "gap": whole * (start - best) ** 2 / 2, "C": np.full_like(x, 0.5), "m": np.full_like(x, 2.0),
        }  # fmt: skip
        rows.append(known)
        measured.append(whole * ((x - best) ** 2 + variance) / 2)
    result = np.concatenate(measured)
    known = {name: np.concatenate([row[name] for row in rows]) for name in rows[0]}
    needed = (result, *(known[q.name] for q in theorem.quantities if q.name in known))
    finite = np.all([np.isfinite(each) & (each < _LARGE) for each in needed], axis=0)
    values, result = {name: each[finite] for name, each in known.items()}, result[finite]
    said = f"the same group of clients in every round, {steps} local steps"
    yield from measure_known(theorem, values, result, _RELATIVE, said, _ROUNDING)
