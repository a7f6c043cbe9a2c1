"""How the time of one step varies: laws of a given mean, and the sum of several independent steps."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import inf
from typing import Any

import numpy as np
from numpy.typing import NDArray

from boundkit.algebra import BoundkitError
from boundkit.algebra.errors import unknown

LAWS: dict[str, str] = {
    "exponential": "memoryless: a step that has lasted long is no nearer to its end",
    "constant": "every step takes the same time",
    "uniform": "between mean (1 - spread) and mean (1 + spread), all alike",
    "shifted": "a share ``shift`` of the mean is certain, the rest is exponential",
}
"""The laws by name; a scipy distribution may stand in their place."""


@dataclass(frozen=True)
class Law:
    """The law of one step: a name of ``LAWS`` with its shape, or a scipy distribution in its own unit.

    A distribution is stretched to the mean that a scheme asks for, unless ``step_time`` was not given.
    """

    name: str
    spread: float = 1.0
    shift: float = 0.5
    distribution: Any = None

    def total(self, mean: float, steps: int) -> Total:
        """The time of ``steps`` independent steps, each of the mean."""
        if self.name == "constant":
            return certainly(mean * steps)
        if self.name == "exponential":
            return _gamma(mean, 1.0, steps)
        if self.name == "uniform":
            return _uniform(mean, steps, self.spread)
        if self.name == "shifted":
            rest = (1 - self.shift) * mean
            certain = self.shift * mean * steps
            return shifted(_gamma(rest, 1.0, steps), certain) if rest else certainly(certain)
        return _of_scipy(self.distribution, mean, steps)


def law_of(given: object, spread: float | None = None, shift: float | None = None) -> Law:
    """The law that was asked for, checked.

    Raises BoundkitError for an unknown name, a shape that the law does not have or outside [0, 1], and a
    distribution that may be negative or has no finite mean above 0.
    """
    if not isinstance(given, str):
        return Law("given", distribution=_checked(given))
    if given not in LAWS:
        raise unknown("law of a step's time", given, LAWS)
    for name, value, owner in (("spread", spread, "uniform"), ("shift", shift, "shifted")):
        if value is None:
            continue
        if given != owner:
            raise BoundkitError(f"{name} was given, but it shapes the law {owner!r}, not {given!r}.")
        if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value <= 1:
            raise BoundkitError(f"{name} = {value!r} was given, but it must be a number from 0 to 1.")
    return Law(given, 1.0 if spread is None else float(spread), 0.5 if shift is None else float(shift))


def _checked(given: Any) -> Any:
    if not all(callable(getattr(given, name, None)) for name in ("sf", "mean", "support")):
        raise BoundkitError(
            f"a law is one of {', '.join(LAWS)}, or a frozen scipy distribution, but {given!r} was given."
        )
    low, mean = float(given.support()[0]), float(given.mean())
    if low < 0:
        raise BoundkitError(f"the law of a step's time begins at {low:g}, but time is never negative.")
    if not 0 < mean < inf:
        raise BoundkitError(f"the law of a step's time has the mean {mean:g}; it must be above 0 and finite.")
    return given


def _gamma(mean: float, shape: float, steps: int) -> Total:
    """Steps of a gamma law; shape 1 is exponential, and their sum Erlang's."""
    from scipy.special import gammaincc

    def survival(t: Array) -> Array:
        return np.asarray(gammaincc(shape * steps, np.maximum(np.asarray(t) * (shape / mean), 0.0)))

    return Total(survival, mean * steps, 0.0, inf)


def _uniform(mean: float, steps: int, spread: float) -> Total:
    if spread == 0:
        return certainly(mean * steps)
    from scipy.stats import irwinhall

    low, width = mean * (1 - spread), 2 * mean * spread
    sums = irwinhall(steps)

    def survival(t: Array) -> Array:
        return np.asarray(sums.sf(np.clip((np.asarray(t) - steps * low) / width, 0, steps)))

    return Total(survival, mean * steps, steps * low, steps * (low + width))


def _of_scipy(given: Any, mean: float, steps: int) -> Total:
    """Stretched to the mean; a sum in closed form for a gamma distribution, else added up on a lattice."""
    scale = mean / float(given.mean())
    low, high = (scale * float(end) for end in given.support())
    if low == 0 and getattr(getattr(given, "dist", None), "name", "") in ("gamma", "erlang", "expon"):
        return _gamma(mean, float(given.mean()) ** 2 / float(given.var()), steps)

    def survival(t: Array) -> Array:
        return np.asarray(given.sf(np.asarray(t) / scale))

    one = Total(survival, mean, low, high)
    return one if steps == 1 else convolved(one, steps)


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
