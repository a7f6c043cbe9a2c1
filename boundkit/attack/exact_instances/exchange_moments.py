"""Exact moments of Scaffnew on quadratics of one coordinate: one client unlike the others, or one alone.

Clients of curvatures c_1 and c_2, whose minimisers cancel, have x* = 0 and controls of sum 0. With k the root
mean square error of the controls and r = sqrt(m - 1), y_1 = (1 - eta c_1) x_1 + eta (r k + n_1) and y_2 =
(1 - eta c_2) x_2 - eta (k/r - n_2), and an exchange sets all models to the mean y of the y_i and adds p (y -
y_1)/(eta r) to k. So the second moments of (x_1, x_2, k) are linear in those before. Distance, controls and
noise are each taken alone; one client is two of equal noise.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

import numpy as np

from boundkit.algebra import Theorem
from boundkit.attack.measurement import Array, Measurement, measure_known

_EXCHANGES = (1.0, 0.5, 0.2, 0.1, 0.03)
_STEPS = (2.0, 1.0, 0.9, 0.5, 0.1, 0.01, 1e-3)
"""eta L, but at most its limit 2 L/(L + mu)."""
_CLIENTS = (2, 64)
"""Numbers of clients; with many equal ones the mean model hardly damps the error of the other."""
_CURVATURES = ((1.0, 1.0), (1.0, 0.5), (1.0, 0.1), (1.0, 1e-2), (0.1, 1e-2), (1e-2, 1e-2), (1e-2, 1e-3))
"""c_1/L and c_2/L; the smaller one is mu."""
_ROUNDS = (1, 2, 3, 5, 10, 20, 50, 100, 300, 1000, 3000)
_ROUNDING, _LEAST = 1e-9, 1e-27
"""Relative error, and what is taken for 0: so much is left of errors that cancel."""


def measure_exchange_moments(theorem: Theorem) -> Iterator[Measurement]:
    """Yield the squared distance of the mean model from the optimum after each number of steps."""
    if theorem.algorithm != "scaffnew" or theorem.kind != "upper":
        return
    settings = zip(*product(_EXCHANGES, _STEPS, _CURVATURES, _CLIENTS), strict=True)
    p, step, pair, clients = (np.array(each) for each in settings)
    step = np.minimum(step, 2 / (1 + pair[:, 1]))
    for cause in ("initial gap", "start-up", "stochastic noise"):
        noisy = cause == "stochastic noise"
        curvatures = pair[:, [1, 1]] if noisy else pair
        start = (float(cause == "initial gap"), float(cause == "start-up"))
        at = {
            "exchange": p, "eta": step, "L": np.ones(p.size), "mu": pair[:, 1],
            "distance": np.full(p.size, start[0]), "control_error_star": np.full(p.size, start[1]),
            "sigma": np.full(p.size, float(noisy)),
        }  # fmt: skip
        said = f"{cause} alone, by exact moments of exchanges"
        for rounds, error in zip(
            _ROUNDS, squared_errors(p, step, curvatures, clients, *start, noisy, _ROUNDS), strict=True
        ):
            known = {**at, "T": np.full(p.size, float(rounds))}
            yield from measure_known(theorem, known, np.where(error > _LEAST, error, 0.0), _ROUNDING, said)


def squared_errors(
    p: Array,
    eta: Array,
    curvatures: Array,
    clients: Array,
    start: float,
    control: float,
    one: bool,
    rounds: tuple[int, ...],
) -> list[Array]:
    """Return the mean squared mean model of a client of curvature c_1 and others of c_2 after these steps.

    ``one``: clients of equal curvature whose noises, of variance 1, are the same, which are one client; else
    there is no noise.
    """
    ratio, mean = np.sqrt(clients - 1), np.array([1 / clients, 1 - 1 / clients]).T[:, :, None]
    local, exchanged = np.zeros((p.size, 3, 3)), np.zeros((p.size, 3, 3))
    for client, error in ((0, ratio), (1, -1 / ratio)):
        local[:, client, client], local[:, client, 2] = 1 - eta * curvatures[:, client], eta * error
    local[:, 2, 2] = 1
    averaged = (mean * local[:, :2]).sum(axis=1)
    exchanged[:, 0] = exchanged[:, 1] = averaged
    exchanged[:, 2] = local[:, 2] + (p / (eta * ratio))[:, None] * (averaged - local[:, 0])
    first = np.array([start, start, control])
    moments = np.tile(np.outer(first, first), (p.size, 1, 1))
    added = np.zeros((p.size, 3, 3))
    added[:, :2, :2] = float(one) * (eta**2)[:, None, None]
    chance = p[:, None, None]
    result = []
    for t in range(rounds[-1]):
        each = (a @ moments @ a.transpose(0, 2, 1) for a in (local, exchanged))
        moments = (1 - chance) * next(each) + chance * next(each) + added
        if t + 1 in rounds:
            result.append((mean * moments[:, :2, :2] * mean.transpose(0, 2, 1)).sum(axis=(1, 2)))
    return result
