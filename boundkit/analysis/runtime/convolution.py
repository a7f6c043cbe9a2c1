"""The sum of independent times of a law without a closed form, on a lattice.

Mass goes to lattice points by differences of the survival function, which keeps the mean up to a bias
that falls with the square of the spacing; the sum is one power of a Fourier transform. The same on twice
the spacing says how far off it is.
"""

from __future__ import annotations

import numpy as np

from boundkit.algebra import BoundkitError
from boundkit.analysis.runtime.total_time import Array, Total

POINTS = 2**18
NEGLIGIBLE = 1e-13
"""The chance that is cut off the tail of one step."""

WORST = 1e-3
"""A relative error beyond which no answer is given."""


def convolved(one: Total, steps: int) -> Total:
    """The time of ``steps`` independent copies.

    Raises BoundkitError where the tail is too heavy for the lattice.
    """
    longest = float(one.level(np.array([NEGLIGIBLE]))[0])
    top = min(steps * longest, longest + 4 * steps * one.mean)
    spacing = (top - steps * one.low) / POINTS
    mass = _sum(one, steps, spacing)
    times = steps * one.low + spacing * np.arange(mass.size)
    mean = float(mass @ times)
    error = abs(mean / (one.mean * steps) - 1)
    if not error < WORST:
        raise BoundkitError(
            f"{steps} steps of this law could be added up to {error:.1g} only: its tail is too heavy."
        )
    beyond = np.concatenate([np.cumsum(mass[::-1])[::-1][1:], [0.0]])

    def survival(t: Array) -> Array:
        # A lattice point stands for what lies half a spacing to either side of it.
        return np.asarray(np.interp(np.asarray(t), times + spacing / 2, beyond, left=1.0, right=0.0))

    return Total(survival, one.mean * steps, steps * one.low, float(times[-1] + spacing), accuracy=error)


def _sum(one: Total, steps: int, spacing: float) -> Array:
    edges: Array = one.low + spacing * (np.arange(POINTS + 1, dtype=np.float64) - 0.5)
    survival = one.survival(edges)
    survival[0] = 1.0
    mass = -np.diff(survival)
    size = 2 * POINTS
    power = np.fft.irfft(np.fft.rfft(mass, size) ** steps, size)[:POINTS]
    clean = np.maximum(power, 0.0)
    return np.asarray(clean / clean.sum())
