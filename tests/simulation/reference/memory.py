"""FedVARP, ClusterFedVARP, MIFA: the server remembers the last update of each client.

Choices: FedVARP's memories hold x - y_i, not divided by tau_i. MIFA's filling round uses that round's local
steps for every client; if somebody never comes, x_0 is all that is recorded. Default of `wait`: true. In an
empty round FedVARP does nothing (its memories would move it; design.md says that x stays).
"""

from __future__ import annotations

import numpy as np

from tests.simulation.reference.setting import Array, Models, Setting


def local_update(run: Setting, t: int, i: int, x: Array) -> Array:
    """x - y_i after the local gradient steps of round t."""
    y = x.copy()
    for _ in range(run.steps(t, i)):
        y = y - run.eta * run.gradients[i](y)
    return x - y


def clusterfedvarp(run: Setting) -> Models:
    """v = mean_S (Delta_i - y_k(i)) + mean_j y_k(j); then y_k <- mean of Delta_i over S in C_k."""
    x = run.x0
    clusters = run.option("clusters", [[i] for i in range(run.m)])
    home = {i: k for k, members in enumerate(clusters) for i in members}
    y = [np.zeros_like(x) for _ in clusters]
    path = [x]
    for t in range(run.rounds):
        came = run.came(t)
        if came:
            delta = {i: local_update(run, t, i, x) for i in came}
            v = np.zeros_like(x)
            for i in came:
                v = v + (delta[i] - y[home[i]]) / len(came)
            for j in range(run.m):
                v = v + y[home[j]] / run.m
            for k, members in enumerate(clusters):
                here = [i for i in came if i in members]
                if here:
                    y[k] = sum((delta[i] for i in here), np.zeros_like(x)) / len(here)
            x = x - run.eta_s * v
        path.append(x)
    return path


def mifa(run: Setting) -> Models:
    """x <- x - eta_s (eta/m) sum_i G_i over all clients, G_i = (x - y_i)/eta of its last round."""
    x = run.x0
    G = [np.zeros_like(x) for _ in range(run.m)]
    seen: set[int] = set()
    waiting = run.option("wait", True)
    path = [x]
    for t in range(run.rounds):
        came = run.came(t)
        if waiting:
            seen.update(came)
            if len(seen) == run.m:
                G = [local_update(run, t, i, x) / run.eta for i in range(run.m)]
                waiting = False
            continue
        for i in came:
            G[i] = local_update(run, t, i, x) / run.eta
        x = x - run.eta_s * (run.eta / run.m) * sum(G, np.zeros_like(x))
        path.append(x)
    return path
