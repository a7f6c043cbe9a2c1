"""FedExP, FedAdagrad, FedAdam: the server chooses how far to go.

Choices: FedExP goes eta_s times its own step, its default epsilon is 1e-3, and where the mean update is zero
x stays. FedAdagrad and FedAdam weigh by p_i renormalised over those who came, start from m = 0 and
v = adaptivity^2, correct no bias, and leave both where they are in an empty round; eta_s is the paper's eta.
Defaults: adaptivity 1e-3, beta1 0 (FedAdagrad) or 0.9 (FedAdam), beta2 0.99; FedAdagrad has no beta2.
"""

from __future__ import annotations

import numpy as np

from tests.simulation.reference.memory import local_update
from tests.simulation.reference.setting import Array, Models, Setting


def mean_update(run: Setting, t: int, x: Array) -> Array:
    """sum_S p_i (x - y_i) / sum_S p_j."""
    came = run.came(t)
    return sum((run.share(i, came) * local_update(run, t, i, x) for i in came), np.zeros_like(x))


def fedexp(run: Setting) -> Models:
    """x <- x - eta_s max(1, sum p_i ||Delta_i||^2 / (2 (||Delta||^2 + eps))) Delta."""
    x = run.x0
    epsilon = run.option("epsilon", 1e-3)
    path = [x]
    for t in range(run.rounds):
        came = run.came(t)
        if came:
            mean = mean_update(run, t, x)
            squares = 0.0
            for i in came:
                delta = local_update(run, t, i, x)
                squares += run.share(i, came) * float(delta @ delta)
            eps = epsilon * len(came) if run.option("epsilon_times_clients", False) else epsilon
            floor = float(mean @ mean) + eps
            step = max(1.0, squares / (2 * floor)) if floor > 0 else 1.0
            x = x - run.eta_s * step * mean
        path.append(x)
    return path


def fedadagrad(run: Setting) -> Models:
    """v <- v + Delta^2."""
    return adaptive(run, run.option("beta1", 0.0), None)


def fedadam(run: Setting) -> Models:
    """v <- beta2 v + (1 - beta2) Delta^2."""
    return adaptive(run, run.option("beta1", 0.9), run.option("beta2", 0.99))


def adaptive(run: Setting, beta1: float, beta2: float | None) -> Models:
    """u <- beta1 u + (1 - beta1) Delta; x <- x - eta_s u/(sqrt v + adaptivity), coordinate by coordinate."""
    x = run.x0
    adaptivity = run.option("adaptivity", 1e-3)
    u, v = np.zeros_like(x), np.full_like(x, adaptivity**2)
    path = [x]
    for t in range(run.rounds):
        if run.came(t):
            delta = mean_update(run, t, x)
            u = beta1 * u + (1 - beta1) * delta
            v = v + delta**2 if beta2 is None else beta2 * v + (1 - beta2) * delta**2
            x = x - run.eta_s * u / (np.sqrt(v) + adaptivity)
        path.append(x)
    return path
