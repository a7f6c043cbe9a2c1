"""Selection by losses from its definition, by enumeration of every sequence of candidates."""

from __future__ import annotations

from fractions import Fraction
from itertools import permutations
from math import fsum

import numpy as np
from numpy.typing import NDArray

from boundkit.simulation.problems import Quadratic

Array = NDArray[np.float64]


def shares(probabilities: Array, order: list[int], count: int, candidates: int) -> Array:
    """P(k in S)/count, candidates drawn sequentially; exact in fractions."""
    exact = [Fraction(float(c)) for c in probabilities]
    found = [Fraction(0)] * len(exact)
    for drawn in permutations([k for k, c in enumerate(exact) if c > 0], candidates):
        remaining, probability = sum(exact), Fraction(1)
        for k in drawn:
            probability *= exact[k] / remaining
            remaining -= exact[k]
        for k in sorted(drawn, key=order.index)[:count]:
            found[k] += probability
    return np.array([float(f / count) for f in found])


def selection_shares(problem: Quadratic, model: Array, count: int, candidates: int) -> Array:
    """The same at a model, whose losses rank the clients."""
    losses = [loss(problem, k, model) for k in range(problem.m)]
    order = sorted(range(problem.m), key=lambda k: -losses[k])
    return shares(problem.p, order, count, candidates)


def loss(problem: Quadratic, k: int, model: Array) -> float:
    H = problem.H[k] if problem.H.ndim == 3 else np.diag(problem.H[k])
    return float((model - problem.e[k]) @ H @ (model - problem.e[k]) / 2)


def rho(problem: Quadratic, q: Array, model: Array) -> float:
    """sum q_k F_k / sum p_k F_k at a model."""
    losses = [loss(problem, k, model) for k in range(problem.m)]
    return fsum(q * losses) / fsum(problem.p * losses)
