"""Exact runs of two kinds of clients on a line with local steps that fall, or of clients that are selected.

Half of the clients have the curvature 1 and the minimiser 1, the others the curvature mu and the minimiser
-1. A round of local steps takes client k to e_k + theta_k (x - e_k), theta_k being the product of 1 - eta_t
a_k. The server goes to the mean of both, or to one of them with equal probability, which is sampling, or a
selection with rho_bar = rho_tilde = 1; mean and mean square of x follow recursions. Drift is all that moves
it from the optimum.
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

_STEPS = 4096
_TAUS = (2, 8, 64, 4096)
_CURVATURES = (1.0, 0.5, 0.3, 0.1, 0.03, 0.01, 1e-3)
_SIZES = (1.0, 0.3, 0.1, 0.03, 1e-2, 1e-3, 1e-4)
"""Step sizes as fractions of the largest; offsets are divided by them."""
_STARTS = (0.0, 0.15, 1.0)
"""From the optimum to the middle of both minimisers, as a fraction of the way."""
_RELATIVE, _ROUNDING = 1e-10, 1e-20
"""Rounding errors of values, relative, and of what is 0."""


def measure_drifting_pairs(theorem: Theorem) -> Iterator[Measurement]:
    """Yield the loss gaps of these runs, where steps fall or clients are selected by their losses."""
    selected, falls = theorem.assumes("biased-selection"), theorem.assumes("decaying-step")
    if theorem.kind != "upper" or theorem.rules or theorem.claim.name != "last loss gap":
        return
    if theorem.assumes("one-local-step") or not (selected or falls):
        return
    everybody = selected or theorem.assumes("full-participation")
    at_random = not theorem.assumes("deterministic-selection") and not theorem.assumes("full-participation")
    for steps, one in product(_TAUS, (False, True)):
        if at_random if one else everybody:
            yield from _measure(theorem, steps, one)


def _measure(theorem: Theorem, steps: int, one: bool) -> Iterator[Measurement]:
    """Measure all runs after 1, 2, 4, ... rounds; ``one``: whether the server goes to one of the clients."""
    low, size, start = np.array(list(product(_CURVATURES, _SIZES, _STARTS))).T
    curvatures, minimisers = np.stack([np.ones_like(low), low]), np.array([[1.0], [-1.0]])
    whole = curvatures.mean(axis=0)
    best = (curvatures * minimisers).mean(axis=0) / whole
    ends = minimisers - best  # all positions are relative to the optimum
    gamma = (curvatures * ends**2).mean(axis=0) / 2
    at = {"L": np.ones_like(low), "mu": low, "tau": np.full_like(low, steps)}
    falls = theorem.assumes("decaying-step")
    shift = np.broadcast_to(evaluate(theorem.definitions.get(offset, 4 * L / mu), at), low.shape)
    shift = shift / size if offset in theorem.quantities else shift
    mean, square = -start * best, (start * best) ** 2
    largest, left = np.zeros_like(low), np.ones_like(curvatures)
    rows: list[dict[str, Array]] = []
    measured: list[Array] = []
    for t in range(_STEPS):
        if t % steps == 0:
            squares = curvatures**2 * (square - 2 * mean * ends + ends**2)
            largest, left = np.maximum(largest, squares.mean(axis=0)), np.ones_like(curvatures)
        rate = float(numerator(theorem)) / (low * (shift + t)) if falls else size / 4
        left = left * (1 - rate * curvatures)
        if (t + 1) % steps:
            continue
        factor, moved = left, (1 - left) * ends
        if not one:
            factor, moved = factor.mean(axis=0, keepdims=True), moved.mean(axis=0, keepdims=True)
        square = (factor**2 * square + 2 * factor * moved * mean + moved**2).mean(axis=0)
        mean = (factor * mean + moved).mean(axis=0)
        rounds = (t + 1) // steps
        if rounds & (rounds - 1):
            continue
        known = {
            **at, **dict.fromkeys(("sigma", "sigma_mean"), np.zeros_like(low)), "G": np.sqrt(largest),
            "Gamma": gamma, "T": np.full_like(low, rounds), "eta": size / 4, "offset": shift,
            "distance": np.abs(start * best), "gap": whole * (start * best) ** 2 / 2,
            "m": np.full_like(low, 2.0), "C": np.full_like(low, 0.5 if one else 1.0),
            **dict.fromkeys(("rho_bar", "rho_tilde"), np.ones_like(low)),
        }  # fmt: skip
        rows.append(known)
        measured.append(whole * square / 2)
    result: NDArray[np.float64] = np.concatenate(measured)
    values = {name: np.concatenate([row[name] for row in rows]) for name in rows[0]}
    chosen = "one" if one else "both"
    said = f"two kinds of clients, {steps} local steps of {chosen}"
    yield from measure_known(theorem, values, result, _RELATIVE, said, _ROUNDING)
