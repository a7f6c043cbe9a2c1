"""FedAU and FedAWE: clients that come when they can.

Choices: FedAU's default cutoff is none. FedAWE's x is the last aggregate, its mean model the plain mean of
what the clients store; both stand still in an empty round, while the clocks count on.
"""

from __future__ import annotations

import numpy as np

from tests.simulation.reference.memory import local_update
from tests.simulation.reference.setting import Models, Setting


def fedau(run: Setting) -> Models:
    """x <- x - (eta_s/m) sum_S omega_i (x - y_i), omega_i the mean interval between visits, cut at K."""
    x = run.x0
    cutoff = run.option("cutoff", None)
    omega, records, clock = [1.0] * run.m, [0] * run.m, [0] * run.m
    path = [x]
    for t in range(run.rounds):
        came = run.came(t)
        u = np.zeros_like(x)
        for i in came:
            u = u + omega[i] * local_update(run, t, i, x) / run.m
        x = x - run.eta_s * u
        path.append(x)
        for i in range(run.m):
            clock[i] += 1
            if i in came or clock[i] == cutoff:
                omega[i] = (records[i] * omega[i] + clock[i]) / (records[i] + 1)
                records[i] += 1
                clock[i] = 0
    return path


def fedawe(run: Setting) -> Models:
    """The last aggregate of FedAWE."""
    return fedawe_both(run)[0]


def fedawe_both(run: Setting) -> tuple[Models, Models]:
    """The last aggregate, and the mean of all stored models."""
    x = run.x0
    stored = [x.copy() for _ in range(run.m)]
    last = [-1] * run.m
    path, means = [x], [sum(stored, np.zeros_like(x)) / run.m]
    for t in range(run.rounds):
        came = run.came(t)
        if came:
            echoed = np.zeros_like(x)
            for i in came:
                G = local_update(run, t, i, stored[i])
                echoed = echoed + (stored[i] - run.eta_s * (t - last[i]) * G) / len(came)
            x = echoed
            for i in came:
                stored[i] = x.copy()
                last[i] = t
        path.append(x)
        means.append(sum(stored, np.zeros_like(x)) / run.m)
    return path, means
