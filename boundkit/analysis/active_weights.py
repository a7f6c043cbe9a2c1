"""Mean aggregation weight of each client where the server averages over the participating clients."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array = NDArray[np.float64]
_TINY = 1e-290


def active_shares(probabilities: ArrayLike) -> Array:
    r"""E[1{i in S}/|S|] where client i participates with probability q_i, independently; shape (m,).

    With e_k the probability that k of the *other* clients participate, it is q_i sum_k e_k/(k + 1). The
    distribution of |S| is one product of polynomials, out of which client i is divided again: upwards where
    q_i <= 1/2 and downwards otherwise, so that no step enlarges an error. Each distinct probability is
    divided out once: O(m n) for n distinct ones, beside the product, and a closed form for n = 1.
    The shares sum to P(S is not empty).

    >>> active_shares([0.5, 1.0])  # the first has half of every other round
    array([0.25, 0.75])
    """
    q = np.asarray(probabilities, dtype=np.float64)
    values, place, repeats = np.unique(q, return_inverse=True, return_counts=True)
    if values.size == 1 and values[0] < 1:
        return np.full_like(q, -np.expm1(q.size * np.log1p(-values[0])) / q.size)
    count = np.ones(1)
    for value, repeat in zip(values, repeats, strict=True):
        count = _product(count, _power(np.array([1 - value, value]), int(repeat)))
    shares = np.empty_like(values)
    low = values <= 0.5
    shares[low] = _divided_upwards(values[low], count)
    shares[~low] = _divided_downwards(values[~low], count)
    return shares[place]


def _power(polynomial: Array, exponent: int) -> Array:
    if exponent == 1:
        return polynomial
    half = _power(polynomial, exponent // 2)
    square = _product(half, half)
    return _product(square, polynomial) if exponent % 2 else square


def _product(a: Array, b: Array) -> Array:
    """The product of two polynomials: of their bands of coefficients above underflow, which are narrow."""
    (low_a, high_a), (low_b, high_b) = _band(a), _band(b)
    product = np.zeros(a.size + b.size - 1)
    product[low_a + low_b : high_a + high_b + 1] = np.convolve(a[low_a : high_a + 1], b[low_b : high_b + 1])
    return product


def _band(polynomial: Array) -> tuple[int, int]:
    powers = np.nonzero(polynomial > _TINY)[0]
    return int(powers[0]), int(powers[-1])


def _divided_upwards(q: Array, count: Array) -> Array:
    others, total = np.zeros_like(q), np.zeros_like(q)
    for k in range(count.size - 1):
        others = (count[k] - q * others) / (1 - q)
        total += others / (k + 1)
    return q * total


def _divided_downwards(q: Array, count: Array) -> Array:
    others, total = np.zeros_like(q), np.zeros_like(q)
    for k in range(count.size - 1, 0, -1):
        others = (count[k] - (1 - q) * others) / q
        total += others / k
    return q * total
