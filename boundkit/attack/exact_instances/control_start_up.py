"""Exact start-up of control variates on two kinds of clients: SCAFFOLD with all clients, from the optimum.

Half of the clients have curvature 1 and minimiser 1, the others curvature h and minimiser -1, without noise.
The first controls are 0, so that the first rounds drift away from the optimum, and later ones come back.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

import numpy as np

from boundkit.algebra import Theorem
from boundkit.attack.exact_instances.drift_fixed_points import CONVEX, OPPOSITE
from boundkit.attack.exact_instances.sampled_moments import WEIGHTS, conditions
from boundkit.attack.measurement import Array, Measurement

_TAUS, _LENGTHS, _PRODUCTS = (2.0, 3.0, 16.0, 256.0, 4096.0), (0.1, 0.03, 1e-3), (0.25, 0.1, 0.01, 1e-3)
"""tau, eta tau and eta_s eta tau."""
_HORIZONS, _LONGER = (1, 2, 4, 16, 64, 256, 1024, 4096), (100, 1_000_000)
"""T, and multiples of the last one, whose sums are at least that of the last one."""
_INSIDE, _RELATIVE = 1 - 1e-9, 1e-9


def measure_control_start_up(theorem: Theorem) -> Iterator[Measurement]:
    """Yield the claimed quantity after each number of rounds."""
    if theorem.kind != "upper" or theorem.algorithm != "scaffold" or "start-up" not in theorem.bound.terms:
        return
    if theorem.claim.observable not in WEIGHTS or theorem.claim.summary != "average":
        return
    at = _grid(theorem)
    if not {q.name for q in theorem.quantities} <= set(at) | {"T"}:
        return
    squares = sums_of_squares(at)
    said = {"said": "the start-up of control variates alone, of two kinds of clients"}
    for rounds in (*_HORIZONS, *(times * _HORIZONS[-1] for times in _LONGER)):
        total = squares[min(rounds, _HORIZONS[-1])]
        known = {**at, "T": np.full(total.shape, float(rounds))}
        kept = conditions(theorem, known) & np.isfinite(total)
        value = (total / rounds * WEIGHTS[theorem.claim.observable](at["mean"]))[kept]
        high = value * (1 + _RELATIVE) if rounds in squares else np.full(value.shape, np.inf)
        values = {q.name: known[q.name][kept] for q in theorem.quantities}
        if value.size:
            yield Measurement(values, value * (1 - _RELATIVE), high, 0.0, said)


def sums_of_squares(at: dict[str, Array]) -> dict[int, Array]:
    """Return the sum of (x_t - x*)^2 over t < T, by T."""
    curvatures = np.stack([np.ones(at["h"].shape), at["h"]])
    minimisers = np.array([[1.0], [-1.0]])
    optimum = (curvatures * minimisers).mean(axis=0) / at["mean"]
    shrink = (1 - at["eta"] * curvatures) ** at["tau"]
    x, controls, total, result = optimum.copy(), np.zeros(curvatures.shape), np.zeros(optimum.shape), {}
    with np.errstate(all="ignore"):
        for t in range(1, _HORIZONS[-1] + 1):
            total = total + (x - optimum) ** 2
            shift = (controls.mean(axis=0) - controls) / curvatures
            moves = (1 - shrink) * (x - minimisers + shift)
            controls = controls - controls.mean(axis=0) + moves / (at["eta"] * at["tau"])
            x = x - at["eta_s"] * moves.mean(axis=0)
            if t in _HORIZONS:
                result[t] = total
    return result


def _grid(theorem: Theorem) -> dict[str, Array]:
    convex = theorem.assumes("convex") or theorem.assumes("strongly-convex")
    curvatures = CONVEX if convex else (*OPPOSITE, *CONVEX)
    h, tau, length, both = np.array(list(product(curvatures, _TAUS, _LENGTHS, _PRODUCTS))).T
    one = np.ones(h.shape)
    mean, optimum = (1 + h) / 2, (1 - h) / (1 + h)
    error = np.abs(optimum - 1)  # the gradients at the optimum are opposite
    errors = dict.fromkeys(("control_error", "control_error_star", "correction_error"), error)
    zeros = dict.fromkeys(("sigma", "gap", "distance"), 0 * one)
    steps = {"tau": tau, "eta": _INSIDE * length / tau, "eta_s": both / length}
    return {"h": h, "mean": mean, **steps, **errors, **zeros, "L": one, "C": one, "m": 2 * one}
