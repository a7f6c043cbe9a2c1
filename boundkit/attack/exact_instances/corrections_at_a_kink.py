r"""Start-up of corrected local steps at a kink of both clients' losses: what the first round costs.

Two clients without noise, at x_0 = 0, have the gradients g + d and g - d, and corrections of 0. So in the
first round one moves to the left, the other to the right. On the left of 0 both have the curvature L, so that
F is a parabola there; on the right one has L, the other -L, so that F is a line. Both local gradients fall on
the way, by (1/2) eta L (tau - 1) d each in the mean over the steps, and the first round loses as much of g.
Later rounds have corrections of the same size as that loss.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

import numpy as np

from boundkit.algebra import Theorem
from boundkit.attack.exact_instances.sampled_moments import measure_inside
from boundkit.attack.measurement import Array, Measurement
from boundkit.proofs.rounds import CORRECTED

_TAUS = (2.0, 8.0, 64.0)
_LENGTHS, _ROUND = (0.2, 0.1, 0.01), (0.55, 0.4, 0.36, 0.3, 0.25, 0.2, 0.1)
"""eta tau L and eta_s eta tau L."""
_SLOPES = (0.5, 0.7, 1.0, 1.2, 1.5, 2.0)
"""g in units of what the first round loses, to first order."""
_ROUNDS, _INSIDE, _ROUNDING = 256, 1 - 1e-9, 1e-9


def measure_corrections_at_a_kink(theorem: Theorem) -> Iterator[Measurement]:
    """Yield the mean squared gradient of all rounds until the models are at the minimum."""
    claim = (theorem.claim.observable, theorem.claim.summary)
    if theorem.kind != "upper" or theorem.algorithm not in CORRECTED:
        return
    if claim != ("gradient_norm_squared", "average") or theorem.assumes("convex"):
        return
    at = settings("eta_s" in {q.name for q in theorem.quantities})
    said = "the start-up of corrections alone, of two clients at a kink"
    yield from measure_inside(theorem, at, sum_of_squares(at) / _ROUNDS, _ROUNDING, said)


def settings(with_server: bool = True) -> dict[str, Array]:
    """Return the quantities of all instances, (N,) each, at L = 1; else with a server step of 1."""
    rows = [
        (tau, length, both if with_server else length, slope)
        for tau, length, both, slope in product(_TAUS, _LENGTHS, _ROUND if with_server else (1.0,), _SLOPES)
    ]
    tau, length, both, slope = np.array(rows).T
    one, eta = np.ones(tau.shape), _INSIDE * length / tau
    g = slope * eta * (tau - 1) / 2
    return {
        "tau": tau, "eta": eta, "eta_s": both / length, "L": one, "m": 2 * one, "C": one, "sigma": 0 * one,
        "T": _ROUNDS * one, "g": g, "gap": g**2 / 2, "control_error": one, "correction_error": one,
    }  # fmt: skip


def sum_of_squares(at: dict[str, Array]) -> Array:
    """Return the sum of F'(x_t)^2 over all rounds, for first controls of g and d = 1."""
    g, eta, tau = at["g"], at["eta"], at["tau"]
    right, apart = np.array([[1.0], [-1.0]]), np.array([[1.0], [-1.0]])
    x, controls, total = np.zeros(g.shape), np.stack([g, g]), np.zeros(g.shape)
    for _ in range(_ROUNDS):
        total = total + (g + np.minimum(x, 0.0)) ** 2
        models = np.stack([x, x])
        for k in range(int(tau.max())):
            gradients = g + apart + np.where(models < 0, 1.0, right) * models
            step = eta * (gradients - controls + controls.mean(axis=0))
            models = np.where(k < tau, models - step, models)
        moves = x - models
        controls = controls - controls.mean(axis=0) + moves / (eta * tau)
        x = x - at["eta_s"] * moves.mean(axis=0)
    return total
