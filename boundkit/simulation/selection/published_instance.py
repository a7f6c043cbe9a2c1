"""The published instance of power of choice: 30 clients, quadratics in five dimensions, power-law sizes.

The authors' script draws, from numpy's RandomState(2) and in this order: linear parts b_k ~ U(0, 100)^5,
all of them; curvatures h_k = 9 U(0, 1); and data sizes, power(3), to which p_k are proportional. The
loss is F_k(x) = h_k/2 |x - b_k/h_k|^2. No other order of the draws gives h in [0.275, 8.61], p in
[0.0073, 0.0429] and Gamma = 2256. The start is 100 N(0, I), from a separate RandomState(2): with it, and
not with a fourth draw, random selection has the loss gaps 2.0e5, 1.4e5, 4.5e4, 1.6e3 of a run of the
script after 500, 1500, 5000, 15000 rounds.
Source: Cho, Wang, Joshi, arXiv 2010.01243, section 5, with tau = 2, eta = 2e-5, 3 of 30 clients a round.
"""

from __future__ import annotations

import numpy as np

from boundkit.algebra import BoundkitError
from boundkit.simulation.arrays import Array
from boundkit.simulation.problems import Quadratic


def published_instance(clients: int = 30) -> tuple[Quadratic, Array]:
    """The problem and x_0, (5,). The paper has 30 clients, and 100 drawn in the same way.

    >>> problem, start = published_instance()
    >>> round(problem.heterogeneity.value)
    2256

    Raises BoundkitError for fewer than one client.
    """
    if clients < 1:
        raise BoundkitError(f"clients = {clients} was given, but at least 1 is needed.")
    rng = np.random.RandomState(2)
    linear = rng.uniform(0, 100, (clients, 5))
    curvatures = 9 * rng.uniform(0, 1, clients)
    sizes = rng.power(3, clients)
    start = 100 * np.random.RandomState(2).standard_normal(5)
    problem = Quadratic(list(curvatures), linear / curvatures[:, None], weights=sizes / sizes.sum())
    return problem, start
