"""Quantities of the duration of a round; distributions of the time of steps, and the mean of their maximum.

A total without a closed form is computed on a lattice: differences of the survival function give the mass of
the lattice points, which keeps the mean up to a bias of second order in the spacing, and the sum is one power
of a Fourier transform. The error of the mean of the sum is the reported accuracy. The mean of the maximum is
a quadrature of its survival function.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import inf
from typing import Any

import numpy as np
from sympy import Expr, Function, Integer, Le, harmonic, sqrt
from sympy.core.relational import Relational

from boundkit.algebra import BoundkitError
from boundkit.algebra.dimension import ONE, SECONDS
from boundkit.algebra.domain import COUNT, NONNEGATIVE, POSITIVE
from boundkit.algebra.errors import unknown
from boundkit.algebra.notation import C, delay, m, sigma, step_time, tau
from boundkit.algebra.quantity import Quantity, Vector
from boundkit.analysis.evaluate import Array

epochs = Quantity("epochs", "E", "passes over its own data that a client makes a round", COUNT, ONE, 5)
samples = Quantity("samples", "n", "data points of a client", COUNT, ONE, 600)
batch = Quantity("batch", "b", "data points of one gradient", COUNT, ONE, 10)
overhead = Quantity("overhead", "c_0", "time of a step whatever its batch", NONNEGATIVE, SECONDS, 0.01)
per_sample = Quantity("per_sample", "c_1", "time of a step per data point", POSITIVE, SECONDS, 0.001)
n_i = Vector("n_i", "n_i", "data points of each client", COUNT, ONE, samples)

QUANTITIES: dict[str, Quantity] = {
    q.name: q for q in (m, C, tau, step_time, delay, epochs, samples, batch, overhead, per_sample)
}
"""Every quantity of the duration of a round, by its keyword."""


class SlowestOf(Function):  # type: ignore[misc]  # sympy carries no types
    """E max over M clients of the sum of k independent exponential times of mean 1.

    It increases in both. For k = 1 it is the harmonic number of M, for M = 1 it is k.

    >>> from sympy import Symbol
    >>> SlowestOf(3, 1), SlowestOf(1, Symbol("k"))
    (11/6, k)
    """

    nargs = 2
    description = "SlowestOf(M, k): the mean of the largest of M sums of k exponential times of mean 1"
    rises = True

    @classmethod
    def eval(cls, clients: Expr, steps: Expr) -> Expr | None:
        if steps == 1:
            return harmonic(clients)
        return steps if clients == Integer(1) else None

    def _eval_is_extended_positive(self) -> bool:
        return True


IN_BATCHES: dict[Quantity, Expr] = {sigma: sigma / sqrt(batch), tau: epochs * samples / batch}
"""sigma is then the noise of one data point, and the gradient of a batch averages b of them."""

AT_LEAST_ONE_STEP: tuple[Relational, ...] = (Le(batch, epochs * samples, evaluate=False),)
"""A batch is no larger than all that a client works through in a round."""


DISTRIBUTIONS: dict[str, str] = {
    "exponential": "memoryless: a step that has lasted long is no nearer to its end",
    "constant": "every step takes the same time",
    "uniform": "uniform between mean (1 - spread) and mean (1 + spread)",
    "shifted": "a fraction ``shift`` of the mean is deterministic, the rest is exponential",
}
"""The distributions by name; a frozen scipy distribution is an alternative."""


@dataclass(frozen=True)
class StepTime:
    """Distribution of the time of a step: a name of ``DISTRIBUTIONS`` with its shape, or one of scipy.

    A distribution of scipy is scaled to the mean of the scheme, where ``step_time`` is given.
    """

    name: str
    spread: float = 1.0
    shift: float = 0.5
    distribution: Any = None

    def total(self, mean: float, steps: int) -> TotalTime:
        """The total time of ``steps`` independent steps of this mean."""
        if self.name == "constant":
            return deterministic(mean * steps)
        if self.name == "exponential":
            return _gamma(mean, 1.0, steps)
        if self.name == "uniform":
            return _uniform(mean, steps, self.spread)
        if self.name == "shifted":
            rest = (1 - self.shift) * mean
            certain = self.shift * mean * steps
            return shifted(_gamma(rest, 1.0, steps), certain) if rest else deterministic(certain)
        return _of_scipy(self.distribution, mean, steps)


def step_time_distribution(
    given: object, spread: float | None = None, shift: float | None = None
) -> StepTime:
    """The distribution of a name with its shape, or of a frozen scipy distribution, checked.

    Raises BoundkitError for an unknown name, a shape of another distribution or outside [0, 1], and a
    distribution that may be negative or has no finite mean above 0.
    """
    if not isinstance(given, str):
        return StepTime("given", distribution=_checked(given))
    if given not in DISTRIBUTIONS:
        raise unknown("distribution of the step time", given, DISTRIBUTIONS)
    for name, value, owner in (("spread", spread, "uniform"), ("shift", shift, "shifted")):
        if value is None:
            continue
        if given != owner:
            raise BoundkitError(f"{name} was given, but it belongs to {owner!r}, not to {given!r}.")
        if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value <= 1:
            raise BoundkitError(f"{name} = {value!r} was given, but it must be a number from 0 to 1.")
    return StepTime(given, 1.0 if spread is None else float(spread), 0.5 if shift is None else float(shift))


def _checked(given: Any) -> Any:
    if not all(callable(getattr(given, name, None)) for name in ("sf", "mean", "support")):
        raise BoundkitError(
            f"{given!r} was given, but law is {', '.join(DISTRIBUTIONS)}, or a frozen scipy distribution."
        )
    low, mean = float(given.support()[0]), float(given.mean())
    if low < 0:
        raise BoundkitError(
            f"the distribution of the step time has support from {low:g}, but time is never negative."
        )
    if not 0 < mean < inf:
        raise BoundkitError(
            f"the distribution of the step time has mean {mean:g}; it must be above 0 and finite."
        )
    return given


def _gamma(mean: float, shape: float, steps: int) -> TotalTime:
    """The sum of gamma-distributed steps; shape 1 is exponential, with an Erlang sum."""
    from scipy.special import gammaincc

    def survival(t: Array) -> Array:
        return np.asarray(gammaincc(shape * steps, np.maximum(np.asarray(t) * (shape / mean), 0.0)))

    return TotalTime(survival, mean * steps, 0.0, inf)


def _uniform(mean: float, steps: int, spread: float) -> TotalTime:
    if spread == 0:
        return deterministic(mean * steps)
    from scipy.stats import irwinhall

    low, width = mean * (1 - spread), 2 * mean * spread
    sums = irwinhall(steps)

    def survival(t: Array) -> Array:
        return np.asarray(sums.sf(np.clip((np.asarray(t) - steps * low) / width, 0, steps)))

    return TotalTime(survival, mean * steps, steps * low, steps * (low + width))


def _of_scipy(given: Any, mean: float, steps: int) -> TotalTime:
    """Scaled to the mean; the sum in closed form for a gamma distribution, else on a lattice."""
    scale = mean / float(given.mean())
    low, high = (scale * float(end) for end in given.support())
    if low == 0 and getattr(getattr(given, "dist", None), "name", "") in ("gamma", "erlang", "expon"):
        return _gamma(mean, float(given.mean()) ** 2 / float(given.var()), steps)

    def survival(t: Array) -> Array:
        return np.asarray(given.sf(np.asarray(t) / scale))

    one = TotalTime(survival, mean, low, high)
    return one if steps == 1 else convolved(one, steps)


_DOUBLINGS, _HALVINGS = 200, 80


@dataclass(frozen=True, eq=False)
class TotalTime:
    """Distribution of a time between ``low`` and ``high``: ``survival`` is P(time > t), for arrays of t.

    ``certain`` marks the constant ``mean``. ``accuracy`` is the relative error of the mean of a
    discretised distribution, else 0.
    """

    survival: Callable[[Array], Array]
    mean: float
    low: float
    high: float
    certain: bool = False
    accuracy: float = 0.0

    def quantile(self, survival: Array) -> Array:
        """The t at which P(time > t) is ``survival``, accurate enough to place quadrature nodes."""
        top = self.high
        if not np.isfinite(top):
            top = max(2 * self.mean, self.low + self.mean)
            for _ in range(_DOUBLINGS):
                if self.survival(np.array([top]))[0] <= survival.min():
                    break
                top *= 2
        low, high = np.full(survival.shape, self.low), np.full(survival.shape, top)
        for _ in range(_HALVINGS):
            # Geometric bisection away from 0, so that a heavy tail costs no more than a light one.
            middle = np.where(low > 0, np.sqrt(np.maximum(low, 1e-300) * high), high / 2)
            middle = np.where(high > 4 * low, middle, (low + high) / 2)
            above = self.survival(middle) > survival
            low, high = np.where(above, middle, low), np.where(above, high, middle)
        return np.asarray(high)


def deterministic(time: float) -> TotalTime:
    """A constant time."""
    return TotalTime(lambda t: (np.asarray(t) < time).astype(np.float64), time, time, time, certain=True)


def shifted(total: TotalTime, by: float) -> TotalTime:
    """The distribution shifted by ``by``."""
    return TotalTime(
        lambda t: total.survival(np.asarray(t) - by),
        total.mean + by,
        total.low + by,
        total.high + by,
        total.certain,
        total.accuracy,
    )


POINTS = 2**18
NEGLIGIBLE = 1e-13
"""Truncated tail probability of one step."""

WORST = 1e-3
"""Largest relative error of the mean; a larger one is an error."""


def convolved(one: TotalTime, steps: int) -> TotalTime:
    """The distribution of the sum of ``steps`` independent copies.

    Raises BoundkitError where the tail is too heavy for the lattice.
    """
    longest = float(one.quantile(np.array([NEGLIGIBLE]))[0])
    top = min(steps * longest, longest + 4 * steps * one.mean)
    spacing = (top - steps * one.low) / POINTS
    mass = _sum(one, steps, spacing)
    times = steps * one.low + spacing * np.arange(mass.size)
    mean = float(mass @ times)
    error = abs(mean / (one.mean * steps) - 1)
    if not error < WORST:
        raise BoundkitError(
            f"the sum of {steps} steps has a relative error of {error:.1g}: its tail is too heavy."
        )
    beyond = np.concatenate([np.cumsum(mass[::-1])[::-1][1:], [0.0]])

    def survival(t: Array) -> Array:
        # A lattice point represents the mass within half a spacing of it.
        return np.asarray(np.interp(np.asarray(t), times + spacing / 2, beyond, left=1.0, right=0.0))

    return TotalTime(survival, one.mean * steps, steps * one.low, float(times[-1] + spacing), accuracy=error)


def _sum(one: TotalTime, steps: int, spacing: float) -> Array:
    edges: Array = one.low + spacing * (np.arange(POINTS + 1, dtype=np.float64) - 0.5)
    survival = one.survival(edges)
    survival[0] = 1.0
    mass = -np.diff(survival)
    size = 2 * POINTS
    power = np.fft.irfft(np.fft.rfft(mass, size) ** steps, size)[:POINTS]
    clean = np.maximum(power, 0.0)
    return np.asarray(clean / clean.sum())


NODES = 40
"""Gauss-Legendre nodes in each panel."""

_PROBABILITIES = np.concatenate([10.0 ** -np.arange(18, 0, -1.0), np.arange(0.2, 0.95, 0.1)])
"""Panels end where the survival function of the maximum, or its complement, has one of these values."""


def mean_maximum(totals: Sequence[TotalTime], count: int, minimum: float = 0.0) -> float:
    """E max(minimum, times) over ``count`` of the clients, sampled uniformly without replacement.

    Exact where every time is constant; else to about 1e-12 relative, for distributions with a density that
    is smooth inside its support.
    """
    if all(t.certain for t in totals):
        return _mean_of_constants(np.array([t.mean for t in totals]), count, minimum)
    start = max(minimum, 0.0)
    ends = _panel_ends(totals, count)
    ends = np.unique(np.concatenate([[start], ends[ends > start]]))
    if ends.size == 1:
        return start
    nodes, weights = np.polynomial.legendre.leggauss(NODES)
    half = np.diff(ends)[:, None] / 2
    at = ends[:-1, None] + half * (1 + nodes)
    survival = _survival(totals, count, at.ravel()).reshape(at.shape)
    return start + float(np.sum(half * weights * survival))


def _survival(totals: Sequence[TotalTime], count: int, t: Array) -> Array:
    """P(maximum of ``count`` times > t), by sums of positive parts."""
    # Survival functions may exceed [0, 1] by rounding.
    survival = {total: np.clip(total.survival(t), 0.0, 1.0) for total in totals}
    if len(survival) == 1:
        one = next(iter(survival.values()))
        with np.errstate(divide="ignore"):
            return np.asarray(-np.expm1(count * np.log1p(-one)))
    # maximum[k]: survival of the maximum of k of the first ``clients`` clients
    maximum = np.zeros((count + 1, t.size))
    for clients, total in enumerate(totals, start=1):
        own = survival[total]
        for k in range(min(clients, count), 0, -1):
            included = own + (1 - own) * maximum[k - 1]
            maximum[k] = included if k == clients else maximum[k] + (k / clients) * (included - maximum[k])
    return np.asarray(maximum[count])


def _panel_ends(totals: Sequence[TotalTime], count: int) -> Array:
    """The ends of the panels: quantiles of each distribution, and the ends of its support."""
    # Where one time has survival s, the maximum of M has 1 - (1 - s)^M.
    logs = np.concatenate([np.log1p(-_PROBABILITIES), np.log(_PROBABILITIES)])
    each = np.unique(np.clip(-np.expm1(logs / count), 1e-300, 1 - 1e-16))
    ends = [np.array([0.0])]
    for total in dict.fromkeys(totals):
        if total.certain:
            ends.append(np.array([total.mean]))
            continue
        ends.append(total.quantile(each))
        ends.append(np.array([e for e in (total.low, total.high) if np.isfinite(e)]))
    return np.concatenate(ends)


def _mean_of_constants(times: Array, count: int, minimum: float) -> float:
    """The mean of the maximum over subsets, by the probability that each time is the largest sampled."""
    mean, none_larger = 0.0, 1.0
    for place, time in enumerate(np.sort(times)[::-1]):
        # all sampled clients are among the remaining ones
        probability = min(count / (times.size - place), 1.0)
        mean += none_larger * probability * max(float(time), minimum)
        none_larger *= 1 - probability
    return mean
