"""Outer optimisers: FedAvgM, DiLoCo, SlowMo, accelerated local SGD; FedCM.

Choices: pseudo-gradients weigh by p_i renormalised over those who came, buffers that are averaged by 1/|S|;
an empty round changes nothing. Adam's steps are counted for each client. FedCM divides each client's update
by its own tau_i eta.
"""

from __future__ import annotations

import numpy as np

from tests.simulation.reference.averaging import fedavg
from tests.simulation.reference.server import mean_update
from tests.simulation.reference.setting import Array, Models, Setting

DEFAULTS = {
    "momentum": 0.0, "beta1": 0.9, "beta2": 0.999, "epsilon": 1e-8, "weight_decay": 0.01,
}  # fmt: skip


def fedavgm(run: Setting) -> Models:
    """FedAvg with a momentum of 0.9 by default."""
    run.options.setdefault("server_momentum", 0.9)
    return fedavg(run)


def diloco(run: Setting) -> Models:
    """OuterOpt = Nesterov's method or heavy ball, in the form that torch.optim.SGD has."""
    beta, n = run.option("server_momentum", 0.9), run.option("nesterov", 1.0)
    clients, x, b, waiting = Inner(run, "adamw"), run.x0, np.zeros_like(run.x0), np.zeros_like(run.x0)
    path = [x]
    for t in range(run.rounds):
        if run.came(t):
            u = clients.pseudo_gradient(t, x)
            if run.option("late", False):
                u, waiting = waiting, u
            b = beta * b + u
            # of the torch rule the two ends; a mixture of both between them
            x = x - run.eta_s * (n * (u + beta * b) + (1 - n) * b)
        path.append(x)
    return path


def slowmo(run: Setting) -> Models:
    """The buffer in units of gradients."""
    clients, x, b = Inner(run, "sgd"), run.x0, np.zeros_like(run.x0)
    path = [x]
    for t in range(run.rounds):
        if run.came(t):
            b = run.option("server_momentum", 0.5) * b + clients.pseudo_gradient(t, x) / run.eta
            x = x - run.eta_s * run.eta * b
        path.append(x)
    return path


class Inner:
    """The inner optimisers of all clients, one object each, as they are trained in frameworks."""

    def __init__(self, run: Setting, default: str) -> None:
        self.run, self.kind = run, run.option("inner", default)
        self.set = DEFAULTS | {k: v for k, v in run.options.items() if k in DEFAULTS}
        self.kept = run.option("buffers", "persistent")
        zero = np.zeros_like(run.x0)
        self.v: Models = [zero] * run.m
        self.s: Models = [zero] * run.m
        self.k = [0] * run.m

    def pseudo_gradient(self, t: int, x: Array) -> Array:
        run, came = self.run, self.run.came(t)
        u = np.zeros_like(x)
        for i in came:
            if self.kept == "reset":
                self.v[i], self.s[i], self.k[i] = 0 * x, 0 * x, 0
            y = x
            for _ in range(run.steps(t, i)):
                y = self.step(i, y, run.gradients[i](y))
            u = u + run.share(i, came) * (x - y)
        if self.kept == "averaged":
            for buffers in (self.v, self.s):
                mean = np.mean([buffers[i] for i in came], axis=0)
                buffers[:] = [mean] * run.m
        return u

    def step(self, i: int, y: Array, g: Array) -> Array:
        eta, s = self.run.eta, self.set
        if self.kind == "sgd":
            self.v[i] = s["momentum"] * self.v[i] + g
            return y - eta * self.v[i]
        self.k[i] += 1
        self.v[i] = s["beta1"] * self.v[i] + (1 - s["beta1"]) * g
        self.s[i] = s["beta2"] * self.s[i] + (1 - s["beta2"]) * g * g
        first, second = self.v[i] / (1 - s["beta1"] ** self.k[i]), self.s[i] / (1 - s["beta2"] ** self.k[i])
        return np.asarray(y - eta * s["weight_decay"] * y - eta * first / (np.sqrt(second) + s["epsilon"]))


def accelerated_local_sgd(run: Setting) -> Models:
    """The form with two sequences, y_0 = x_0."""
    x = y = run.x0
    rounds, path = 0, [x]
    for t in range(run.rounds):
        if run.came(t):
            after = x - run.eta_s * mean_update(run, t, x)
            given = run.option("server_momentum", None)
            x = after + (rounds / (rounds + 3) if given is None else given) * (after - y)
            y, rounds = after, rounds + 1
        path.append(x)
    return path


def fedcm(run: Setting) -> Models:
    """y <- y - eta (fresh g + (1 - fresh) G)."""
    x, G, fresh = run.x0, np.zeros_like(run.x0), run.option("fresh", 0.1)
    path = [x]
    for t in range(run.rounds):
        came = run.came(t)
        if came:
            u, direction = np.zeros_like(x), np.zeros_like(x)
            for i in came:
                y = x
                for _ in range(run.steps(t, i)):
                    y = y - run.eta * (fresh * run.gradients[i](y) + (1 - fresh) * G)
                u = u + run.share(i, came) * (x - y)
                direction = direction + run.share(i, came) * (x - y) / (run.steps(t, i) * run.eta)
            x, G = x - run.eta_s * u, direction
        path.append(x)
    return path
