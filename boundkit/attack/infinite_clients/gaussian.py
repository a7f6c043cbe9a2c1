"""Gaussian noise by quadrature: the density of one client's iterate, propagated from step to step.

After one step it is Gaussian. Then p_{k+1}(y') is the integral of p_k(y) N(y'; y - eta f'(y), eta^2 sigma^2),
by Gauss-Legendre quadrature on panels that end at the knots of f', between which all integrands are smooth.
The error is estimated from another number of points and from the truncated mass.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from boundkit.attack.infinite_clients.loss import PiecewiseLoss
from boundkit.simulation.problems.base import Array

_REACH = 8.0
"""Standard deviations of the whole round that are kept on either side."""
_PANEL = 3.0
"""The longest panel, in standard deviations of one step."""
_POINTS = (11, 15)


@dataclass(frozen=True)
class Gaussian:
    """Gaussian noise of variance sigma^2."""

    sigma: float

    def mean_gradients(self, f: PiecewiseLoss, eta: float, tau: int, x: float) -> tuple[Array, float]:
        """See ``Law``."""
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
