"""Sums over the gradients of a local run, in numbers: see ``boundkit.algebra.local_sums``."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from boundkit.algebra.local_sums import Run, no_step, one_step

Array = NDArray[np.float64]


def local_run(a: ArrayLike, b: ArrayLike, n: ArrayLike) -> Run:
    """The sums over n steps, n an array of whole numbers: a doubling for each binary digit.

    >>> float(local_run(np.float64(0.5), np.float64(0), np.float64(3)).weights)
    1.75
    """
    kept, recalled, counts = np.broadcast_arrays(*(np.asarray(x, dtype=np.float64) for x in (a, b, n)))
    one = np.ones(counts.shape)
    single = one_step(kept, recalled, one)
    total, steps = no_step(one), counts.astype(np.int64)
    for digit in reversed(range(int(steps.max(initial=0)).bit_length())):
        total = total.then(total)
        more, odd = total.then(single), (steps >> digit) & 1 == 1
        pairs = zip(vars(more).values(), vars(total).values(), strict=True)
        total = Run(*(np.where(odd, with_it, without) for with_it, without in pairs))
    return total


def weight_sum(a: Array, b: Array, n: Array) -> Array:
    """``WeightSum`` in numbers."""
    return np.asarray(local_run(a, b, n).weights)


def weight_squares(a: Array, b: Array, n: Array) -> Array:
    """``WeightSquares`` in numbers."""
    return np.asarray(local_run(a, b, n).squares)
