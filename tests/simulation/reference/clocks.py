"""Asynchronous SGD, overlap local SGD, AdaComm: when one computes and when one talks.

Choices: `delays` is one number, a list of the delays of rounds, cycled, or a list of lists with one number
a client, cycled; before x_0 there is x_0; one gradient a client and round, weights p_i renormalised over
those who came; rounds count, empty ones too; default 0.
Overlap local SGD: options `pull` (0.6) and `momentum` (the anchor's, 0.7); x is the mean of the pulled models
of those who came, weights p_i renormalised; clients keep their own models, pulled towards the anchor z that
they have, of a round ago; z <- z + eta_s v, v <- momentum v + x - z.
AdaComm: FedAvg's weights, one tau for all clients; local_steps is not looked at if `tau_0` is given, its
default otherwise; every `period` rounds (10 by default) tau = ceil(tau_0 sqrt((F(x) - F_inf)/(F(x_0) -
F_inf))), and where that is not smaller than the tau before, half of that, rounded up; at least 1; 1 where
F(x_0) is F_inf.
"""

from __future__ import annotations

from math import ceil, sqrt
from typing import Any

import numpy as np

from tests.simulation.reference.averaging import fedavg
from tests.simulation.reference.setting import Models, Setting


def async_sgd(run: Setting) -> Models:
    """x <- x - eta_s eta sum_S p_i grad F_i(x_{t - d_i}) / sum_S p_j."""
    delays = run.option("delays", 0)
    table: list[Any] = delays if isinstance(delays, list) else [delays]
    path = [run.x0]
    for t in range(run.rounds):
        came, row = run.came(t), table[t % len(table)]
        u = np.zeros_like(run.x0)
        for i in came:
            d = row[i] if isinstance(row, list) else row
            u = u + run.share(i, came) * run.eta * run.gradients[i](path[max(0, t - d)])
        path.append(path[-1] - run.eta_s * u)
    return path


def overlap_sgd(run: Setting) -> Models:
    """tau steps from one's own model, then x_i <- x_i - pull (x_i - z)."""
    pull, momentum = run.option("pull", 0.6), run.option("momentum", 0.7)
    z = run.x0
    v = np.zeros_like(z)
    own = [z.copy() for _ in range(run.m)]
    x = z
    path = [x]
    for t in range(run.rounds):
        came = run.came(t)
        if came:
            for i in came:
                for _ in range(run.steps(t, i)):
                    own[i] = own[i] - run.eta * run.gradients[i](own[i])
                own[i] = own[i] - pull * (own[i] - z)
            x = sum((run.share(i, came) * own[i] for i in came), np.zeros_like(z))
            v = momentum * v + (x - z)
            z = z + run.eta_s * v
        path.append(x)
    return path


def adacomm(run: Setting) -> Models:
    """FedAvg, round by round, with a tau that follows the loss."""
    tau_0 = run.option("tau_0", run.table[0])
    period = run.option("period", 10)
    schedule, first = run.schedule, run.loss(run.x0) - run.least_loss
    rounds, tau = run.rounds, tau_0
    path = [run.x0]
    run.rounds = 1
    for t in range(rounds):
        if t > 0 and t % period == 0:
            ratio = (run.loss(path[-1]) - run.least_loss) / first if first > 0 else 0.0
            wanted = max(1, ceil(tau_0 * sqrt(max(ratio, 0.0))))
            tau = wanted if wanted < tau else max(1, ceil(tau / 2))
        run.x0, run.table, run.schedule = path[-1], [tau], [schedule[t % len(schedule)]]
        path.append(fedavg(run)[-1])
    return path
