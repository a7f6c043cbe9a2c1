"""FedAvg and what differs from it only in the local step or in the scale of the average.

Choices: where all who came have p = 0, u = 0. A round of FedNova takes tau_eff over those who
came with p renormalised. ||a_i||_1 counts the gradients that sum to (x - y_i)/eta, whatever the options
mixed. Decay multiplies eta in the whole step, proximal pull included. FedNova's controls start at zero, are
the plain mean of the raw gradients of a client's last round, and their mean runs over all m clients.
Minibatch SGD takes one gradient of each client at x, whatever local_steps says. local_sgd is FedAvg
without options.
"""

from __future__ import annotations

import numpy as np

from tests.simulation.reference.setting import Array, Models, Setting


def fedavg(run: Setting) -> Models:
    """FedAvg; FedProx with ``mu``: v <- rho v + g, y <- y - eta (v + mu (y - x))."""
    x, b = run.x0, None
    rho, mu, beta = run.option("momentum", 0.0), run.option("mu", 0.0), run.option("server_momentum", 0.0)
    path = [x]
    for t in range(run.rounds):
        came = run.came(t)
        if came:
            u = np.zeros_like(x)
            for i in came:
                y, v = x.copy(), np.zeros_like(x)
                for _ in range(run.steps(t, i)):
                    v = rho * v + run.gradients[i](y)
                    y = y - run.eta * (v + mu * (y - x))
                u = u + aggregation_weight(run, i, came) * (x - y)
            b = u if b is None else beta * b + u
            n = run.option("nesterov", 0.0)
            x = x - run.eta_s * (n * (u + beta * b) + (1 - n) * b)
        path.append(x)
    return path


def aggregation_weight(run: Setting, i: int, came: list[int]) -> float:
    """What (x - y_i) is multiplied by."""
    kind = run.option("aggregation", "weighted")
    if kind == "weighted":
        return run.share(i, came)
    if kind == "mean":
        return 1 / len(came)
    if kind == "all":
        return 1 / run.m
    if kind == "sum":
        return float(run.p[i])
    if kind == "known":
        return float(1 / (run.m * run.options["probabilities"][i]))
    assert kind == "unbiased"
    assert run.schedule == [list(range(run.m))], "q_i = 1 where everybody comes"
    return float(run.p[i])


def minibatch_sgd(run: Setting) -> Models:
    """FedAvg with one local step."""
    run.table = [1]
    return fedavg(run)


def fednova(run: Setting) -> Models:
    """u = tau_eff sum_S p_i (x - y_i)/||a_i||_1, then as FedAvg."""
    rho, mu, beta = run.option("momentum", 0.0), run.option("mu", 0.0), run.option("server_momentum", 0.0)
    decay, reduced = run.option("decay", 1.0), run.option("variance_reduction", False)
    rule = run.option("tau_eff", None)
    x, b = run.x0, None
    controls = [np.zeros_like(x) for _ in range(run.m)]
    path = [x]
    for t in range(run.rounds):
        came = run.came(t)
        if came:
            mean_control = sum((run.p[i] * controls[i] for i in range(run.m)), np.zeros_like(x))
            direction, tau_eff = np.zeros_like(x), 0.0
            fresh: dict[int, Array] = {}
            for i in came:
                y, v, total = x.copy(), np.zeros_like(x), np.zeros_like(x)
                counted, count = 0.0, 0.0  # the same recursion with every gradient 1: (x - y)/eta
                for s in range(run.steps(t, i)):
                    g = run.gradients[i](y)
                    total = total + g
                    if reduced:
                        g = g - controls[i] + mean_control
                    v = rho * v + g
                    y = y - run.eta * decay**s * (v + mu * (y - x))
                    count = rho * count + 1
                    counted = counted + decay**s * (count - run.eta * mu * counted)
                fresh[i] = total / run.steps(t, i)
                direction = direction + run.share(i, came) * (x - y) / counted
                tau_eff += run.share(i, came) * (run.steps(t, i) if rule == "steps" else counted)
            if rule is not None and rule != "steps":
                tau_eff = rule
            for i in came:
                controls[i] = fresh[i]
            u = tau_eff * direction
            b = u if b is None else beta * b + u
            x = x - run.eta_s * b
        path.append(x)
    return path
