"""How long several steps of one client take together: a distribution, by the chance to last longer than t."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

_DOUBLINGS, _HALVINGS = 200, 80


@dataclass(frozen=True, eq=False)
class Total:
    """A time between ``low`` and ``high``: ``survival`` is P(time > t), for arrays of t.

    ``certain`` says that it is ``mean`` always. ``accuracy`` is the relative error of its mean where the
    distribution itself came out of a discretisation, else 0.
    """

    survival: Callable[[Array], Array]
    mean: float
    low: float
    high: float
    certain: bool = False
    accuracy: float = 0.0

    def level(self, chance: Array) -> Array:
        """The t at which the chance to last longer is ``chance``, closely enough to place nodes by it."""
        top = self.high
        if not np.isfinite(top):
            top = max(2 * self.mean, self.low + self.mean)
            for _ in range(_DOUBLINGS):
                if self.survival(np.array([top]))[0] <= chance.min():
                    break
                top *= 2
        low, high = np.full(chance.shape, self.low), np.full(chance.shape, top)
        for _ in range(_HALVINGS):
            # Halved as a ratio once away from 0, so that a heavy tail costs no more than a light one.
            middle = np.where(low > 0, np.sqrt(np.maximum(low, 1e-300) * high), high / 2)
            middle = np.where(high > 4 * low, middle, (low + high) / 2)
            above = self.survival(middle) > chance
            low, high = np.where(above, middle, low), np.where(above, high, middle)
        return np.asarray(high)


def certainly(time: float) -> Total:
    """A time without chance."""
    return Total(lambda t: (np.asarray(t) < time).astype(np.float64), time, time, time, certain=True)


def shifted(total: Total, by: float) -> Total:
    """A time that begins after ``by``."""
    return Total(
        lambda t: total.survival(np.asarray(t) - by),
        total.mean + by,
        total.low + by,
        total.high + by,
        total.certain,
        total.accuracy,
    )
