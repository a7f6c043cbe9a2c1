"""EPISODE, EPISODE++, CELGC, clipped minibatch SGD.

Choices: all average uniformly over those who came, then go eta_s times the mean update. EPISODE's fresh
gradients come from those who came. A clipped step along a zero vector is none (the published code adds
1e-10 to the norm). Clipped minibatch SGD takes one gradient of each client at x, whatever local_steps says.
"""

from __future__ import annotations

import numpy as np
from numpy.linalg import norm

from tests.simulation.reference.setting import Array, Models, Setting


def step(run: Setting, g: Array, clip: bool) -> Array:
    """eta g, or gamma g/||g||."""
    if not clip:
        return run.eta * g
    length = float(norm(g))
    return run.options["gamma"] * g / length if length > 0 else np.zeros_like(g)


def long(run: Setting, g: Array) -> bool:
    """Whether the norm exceeds gamma/eta."""
    return bool(norm(g) > run.options["gamma"] / run.eta)


def mean(vectors: list[Array]) -> Array:
    """The plain mean."""
    return sum(vectors, np.zeros_like(vectors[0])) / len(vectors)


def episode(run: Setting) -> Models:
    """Corrections G_i are fresh gradients at x; who clips is decided once a round, by their mean."""
    x = run.x0
    path = [x]
    for t in range(run.rounds):
        came = run.came(t)
        if came:
            G_i = {i: run.gradients[i](x) for i in came}
            G = mean(list(G_i.values()))
            ends = []
            for i in came:
                y = x.copy()
                for _ in range(run.steps(t, i)):
                    y = y - step(run, run.gradients[i](y) - G_i[i] + G, long(run, G))
                ends.append(y)
            x = x - run.eta_s * (x - mean(ends))
        path.append(x)
    return path


def episodepp(run: Setting) -> Models:
    """Corrections are the mean local gradients of a client's last round; at first, gradients at x_0."""
    x = run.x0
    G_i = [run.gradients[i](x) for i in range(run.m)]
    G = mean(G_i)
    path = [x]
    for t in range(run.rounds):
        came = run.came(t)
        if came:
            ends, change = [], np.zeros_like(x)
            new = dict(enumerate(G_i))
            for i in came:
                y, total = x.copy(), np.zeros_like(x)
                for _ in range(run.steps(t, i)):
                    g = run.gradients[i](y)
                    total = total + g
                    y = y - step(run, g - G_i[i] + G, long(run, G))
                ends.append(y)
                new[i] = total / run.steps(t, i)
                change = change + (new[i] - G_i[i]) / run.m
            G_i = [new[i] for i in range(run.m)]
            G = G + change
            x = x - run.eta_s * (x - mean(ends))
        path.append(x)
    return path


def celgc(run: Setting) -> Models:
    """Each client clips each of its steps by its own gradient."""
    x = run.x0
    path = [x]
    for t in range(run.rounds):
        came = run.came(t)
        if came:
            ends = []
            for i in came:
                y = x.copy()
                for _ in range(run.steps(t, i)):
                    g = run.gradients[i](y)
                    y = y - step(run, g, long(run, g))
                ends.append(y)
            x = x - run.eta_s * (x - mean(ends))
        path.append(x)
    return path


def clipped_minibatch_sgd(run: Setting) -> Models:
    """x <- x - eta_s min(eta, gamma/||g||) g, g the mean gradient of those who came, at x."""
    x = run.x0
    path = [x]
    for t in range(run.rounds):
        came = run.came(t)
        if came:
            g = mean([run.gradients[i](x) for i in came])
            x = x - run.eta_s * step(run, g, long(run, g))
        path.append(x)
    return path
