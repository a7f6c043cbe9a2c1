"""SCAFFOLD and VRLSGD: local gradients corrected by what a client knows of the others.

Choices: VRLSGD weighs by p_i renormalised over those who came; its corrections start at zero, are moved
with the average of the local models (before eta_s acts, so that sum p_i D_i stays zero at any eta_s), and
`mean` divides by the plain mean of tau_i over those who came. Default divisor: `own`.
"""

from __future__ import annotations

import numpy as np

from tests.simulation.reference.setting import Models, Setting


def scaffold(run: Setting) -> Models:
    """y <- y - eta (g - c_i + c); c = sum p_i c_i over all clients."""
    x = run.x0
    variant = run.option("variant", "II")
    start = run.option("initial_controls", "zero")
    c_i = [run.gradients[i](x) if start == "gradient" else np.zeros_like(x) for i in range(run.m)]
    path = [x]
    for t in range(run.rounds):
        came = run.came(t)
        if came:
            c = sum((run.p[i] * c_i[i] for i in range(run.m)), np.zeros_like(x))
            u = np.zeros_like(x)
            new = dict(enumerate(c_i))
            for i in came:
                y = x.copy()
                for _ in range(run.steps(t, i)):
                    y = y - run.eta * (run.gradients[i](y) - c_i[i] + c)
                if variant == "I":
                    new[i] = run.gradients[i](x)
                else:
                    new[i] = c_i[i] - c + (x - y) / (run.steps(t, i) * run.eta)
                u = u + run.share(i, came) * (x - y)
            c_i = [new[i] for i in range(run.m)]
            x = x - run.eta_s * u
        path.append(x)
    return path


def vrlsgd(run: Setting) -> Models:
    """y <- y - eta (g - D_i); D_i += (mean y - y_i)/(divisor eta)."""
    x = run.x0
    divisor = run.option("divisor", "own")
    D = [np.zeros_like(x) for _ in range(run.m)]
    path = [x]
    for t in range(run.rounds):
        came = run.came(t)
        if came:
            ends = {}
            for i in came:
                y = x.copy()
                for _ in range(run.steps(t, i)):
                    y = y - run.eta * (run.gradients[i](y) - D[i])
                ends[i] = y
            average = x - sum((run.share(i, came) * (x - ends[i]) for i in came), np.zeros_like(x))
            mean_tau = sum(run.steps(t, i) for i in came) / len(came)
            for i in came:
                tau = run.steps(t, i) if divisor == "own" else mean_tau
                D[i] = D[i] + (average - ends[i]) / (tau * run.eta)
            x = x - run.eta_s * (x - average)
        path.append(x)
    return path
