"""Time variation of inclusion probabilities: p_i^t = p_i f(t), with a period of P rounds."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Shape:
    """``period`` P, ``gamma`` and ``cut`` of the sines, ``low`` of the staircase."""

    period: int = 20
    gamma: float = 0.3
    cut: float = 0.1
    low: float = 0.4


def stationary(p: Array, t: int, shape: Shape) -> Array:
    """p."""
    return p


def staircase(p: Array, t: int, shape: Shape) -> Array:
    """p in the first half of a period, ``low`` p in the second."""
    return p * (1.0 if 2 * (t % shape.period) < shape.period else shape.low)


def sine(p: Array, t: int, shape: Shape) -> Array:
    """p s(t), s(t) = gamma sin(2 pi t/P) + 1 - gamma, between 1 - 2 gamma (at least 0) and 1."""
    return p * min(max(_wave(t, shape), 0.0), 1.0)


def interleaved_sine(p: Array, t: int, shape: Shape) -> Array:
    """p s(t) where that is at least ``cut``, else 0: rare clients are unavailable in part of each period."""
    q = sine(p, t, shape)
    return np.where(q >= shape.cut, q, 0.0)


def _wave(t: int, shape: Shape) -> float:
    return shape.gamma * math.sin(2 * math.pi * (t % shape.period) / shape.period) + 1 - shape.gamma


DYNAMICS: dict[str, Callable[[Array, int, Shape], Array]] = {
    f.__name__: f for f in (stationary, staircase, sine, interleaved_sine)
}
"""The probabilities of round t, (m,), from the base values p: FedAWE (arXiv 2409.17446), appendix J.3."""

USES: dict[str, tuple[str, ...]] = {
    "stationary": (),
    "staircase": ("period", "low"),
    "sine": ("period", "gamma"),
    "interleaved_sine": ("period", "gamma", "cut"),
}
"""The fields of Shape that each depends on."""
