"""Two heterogeneous clients on a curved loss, of whom one comes: all draws and all noise, by enumeration."""

from collections.abc import Callable
from itertools import product

import numpy as np

from boundkit.simulation.arrays import Array


def one_of_two(
    slope: Callable[[Array], Array],
    apart: float,
    steps: int,
    rounds: int,
    step: float,
    server: float,
    noise: float,
    x0: float,
) -> list[Array]:
    """x_0, ..., x_T, each over its equally likely outcomes; F_i has the slope of f plus or minus apart."""
    x = np.full(1, x0)
    signs = np.array(list(product((-1.0, 1.0), repeat=steps))) if noise else np.zeros((1, steps))
    models = [x]
    for _ in range(rounds):
        start = np.repeat(np.repeat(x, len(signs)), 2)
        pull = np.tile([apart, -apart], len(start) // 2)
        kicks = np.repeat(np.tile(signs, (len(x), 1)), 2, axis=0)
        y = start
        for k in range(steps):
            y = y - step * (slope(y) + pull + noise * kicks[:, k])
        x = start - server * (start - y)
        models.append(x)
    return models
