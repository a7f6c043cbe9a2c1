"""Noise distributions of one client, and its expected gradients over a round.

With m = infinity, the mean over clients is the expectation over one client's iterates, y_{k+1} = y_k - eta
(f'(y_k) + xi_k), and E y_k = x - eta sum_{j<k} E f'(y_j). Each distribution has mean 0 and variance sigma^2
at every point, which is all that the theorems assume.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Protocol

import numpy as np

from boundkit.algebra import BoundkitError
from boundkit.attack.infinite_clients.loss import PiecewiseLoss
from boundkit.simulation.arrays import Array

MOST_BRANCHES = 16
"""Local steps up to which every outcome of two-point noise is listed."""
ROUNDING = 1e-13
"""Relative error of sums that are exact but for rounding."""


class NoiseDistribution(Protocol):
    """A noise distribution with variance sigma^2."""

    @property
    def sigma(self) -> float: ...

    def mean_gradients(self, f: PiecewiseLoss, eta: float, tau: int, x: float) -> tuple[Array, float]:
        """Return E f'(y_k) for k = 0, ..., tau - 1 from y_0 = x, (tau,), and a bound on the error of each."""

    def gradient_sum(self, f: PiecewiseLoss, eta: float, tau: int, x: float) -> float:
        """Return their sum."""


class _Listed:
    """A distribution whose outcomes are enumerated, so that sums are exact."""

    def gradient_sum(self: NoiseDistribution, f: PiecewiseLoss, eta: float, tau: int, x: float) -> float:
        return float(self.mean_gradients(f, eta, tau, x)[0].sum())


@dataclass(frozen=True)
class TwoPoint(_Listed):
    """sigma sqrt((1 - up)/up) downhill with probability ``up``, else sigma sqrt(up/(1 - up)) uphill.

    ``up`` = 1/2 is +-sigma. All 2^k outcomes are enumerated, so that means are exact.
    """

    sigma: float
    up: float = 0.5

    def mean_gradients(self, f: PiecewiseLoss, eta: float, tau: int, x: float) -> tuple[Array, float]:
        if tau > MOST_BRANCHES:
            raise BoundkitError(
                f"two-point noise lists 2^tau outcomes, at most 2^{MOST_BRANCHES}; take another."
            )
        upwards = eta * self.sigma * ((1 - self.up) / self.up) ** 0.5
        downwards = eta * self.sigma * (self.up / (1 - self.up)) ** 0.5
        y, probabilities, means = np.array([x]), np.ones(1), []
        for _ in range(tau):
            g = f.gradient(y)
            means.append(float(probabilities @ g))
            y = np.concatenate([y - eta * g + upwards, y - eta * g - downwards])
            probabilities = np.concatenate([self.up * probabilities, (1 - self.up) * probabilities])
        return np.array(means), ROUNDING * float(np.abs(means).max() + f.L * eta * self.sigma)


@dataclass(frozen=True)
class Splitting(_Listed):
    """Two points after every step, with noise that depends on the client's position.

    Clients at A and B move to A' or B' so that from either the variance is sigma^2: with s = eta sigma and
    the noiseless steps a and b, A' and B' are (a + b)/2 -+ sqrt((b - a)^2/4 + s^2). On a flat loss all are s
    sqrt(k) from the start after k steps, and E|y_k - x| is as large as its variance allows. ``up``: the
    fraction of clients with a first step upwards.
    """

    sigma: float
    up: float = 0.5

    def mean_gradients(self, f: PiecewiseLoss, eta: float, tau: int, x: float) -> tuple[Array, float]:
        s = eta * self.sigma
        means, y, above = [], np.array([x, x]), self.up
        for k in range(tau):
            g = f.gradient(y)
            means.append(float((1 - above) * g[0] + above * g[1]))
            low, high = y - eta * g
            if k == 0:
                y = low + s * np.array(
                    [-((self.up / (1 - self.up)) ** 0.5), ((1 - self.up) / self.up) ** 0.5]
                )
                continue
            half = ((high - low) ** 2 / 4 + s * s) ** 0.5
            y = (low + high) / 2 + np.array([-half, half])
            above = (((1 - above) * low + above * high) - y[0]) / (2 * half)
        return np.array(means), ROUNDING * tau * float(np.abs(means).max() + f.L * s)


_REACH = 8.0
"""Half-width of the lattice in standard deviations of the whole round."""
_PANEL = 3.0
"""The longest panel, in standard deviations of one step."""
_POINTS = (11, 15)


@dataclass(frozen=True)
class Gaussian:
    """Gaussian noise of variance sigma^2."""

    sigma: float

    def mean_gradients(self, f: PiecewiseLoss, eta: float, tau: int, x: float) -> tuple[Array, float]:
        """See ``NoiseDistribution``."""
        if tau == 1:
            return f.gradient(np.array([x])), 0.0
        low, high = _interval(f, eta, tau, x, eta * self.sigma)
        coarse, fine = (_propagate(f, eta, tau, x, eta * self.sigma, (low, high), n) for n in _POINTS)
        truncation = fine[1] * float(np.abs(f.gradient(np.array([low, high]))).max())
        return fine[0], float(np.abs(fine[0] - coarse[0]).max()) + truncation

    def gradient_sum(self, f: PiecewiseLoss, eta: float, tau: int, x: float) -> float:
        """sum_k E f'(y_k), without its error."""
        if tau == 1:
            return float(f.gradient(np.array(x)))
        ends = _interval(f, eta, tau, x, eta * self.sigma)
        return float(_propagate(f, eta, tau, x, eta * self.sigma, ends, _POINTS[-1])[0].sum())


def _interval(f: PiecewiseLoss, eta: float, tau: int, x: float, s: float) -> tuple[float, float]:
    """Return an interval that contains all but about 1e-15 of the mass at every step."""
    growth = 1 + eta * max(-f.mu, 0.0)
    spread = s * float((growth ** (2 * np.arange(tau))).sum()) ** 0.5
    path = [x]
    for _ in range(tau):
        path.append(path[-1] - eta * float(f.gradient(np.array(path[-1]))))
    return min(path) - _REACH * spread, max(path) + _REACH * spread


def _propagate(
    f: PiecewiseLoss, eta: float, tau: int, x: float, s: float, ends: tuple[float, float], points: int
) -> tuple[Array, float]:
    """Compute E f'(y_k) by panels with ``points`` nodes, and the largest mass that was lost."""
    inside = [k for k in f.knots if ends[0] < k < ends[1]]
    edges = [ends[0], *inside, ends[1]]
    z, weight = np.polynomial.legendre.leggauss(points)
    nodes, weights = [], []
    for a, b in pairwise(edges):
        cuts = np.linspace(a, b, max(int(np.ceil((b - a) / (_PANEL * s))), 1) + 1)
        half = np.diff(cuts)[:, None] / 2
        nodes.append((cuts[:-1, None] + half * (1 + z)).ravel())
        weights.append((half * weight).ravel())
    y, w = np.concatenate(nodes), np.concatenate(weights)
    g = f.gradient(y)
    start = f.gradient(np.array([x]))
    kernel = _normal(y[:, None] - (y - eta * g), s) * w
    density = _normal(y - (x - eta * start), s)
    means, lost_mass = [float(start[0])], 0.0
    for k in range(1, tau):
        density = density if k == 1 else kernel @ density
        means.append(float((w * density) @ g))
        lost_mass = max(lost_mass, abs(1 - float(w @ density)))
    return np.array(means), lost_mass


def _normal(offset: Array, s: float) -> Array:
    return np.asarray(np.exp(-((offset / s) ** 2) / 2) / (s * (2 * np.pi) ** 0.5))
