r"""Log-cosh losses: F_i(x) = sum_j h_ij log cosh(x_j - e_ij). Quadratic near e_i, linear far from it.

Convex, with F_i'' = h sech^2 between 0 and h, so L = max h_ij exactly; gradients are bounded by h, so
G^2 = max_i sum_j h_ij^2 + sigma^2. Not strongly convex: mu holds on {F <= F(x_0)} only.

The third derivative does not vanish. So noise, which scatters a client symmetrically about its noiseless
trajectory, changes the mean of its gradients: noise drift, which quadratics do not have.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Self

import numpy as np

from boundkit.simulation.arrays import AnyArray, Array, Clients, array_namespace, as_like
from boundkit.simulation.constant import Constant
from boundkit.simulation.problems.base import Centred
from boundkit.simulation.validation import (
    all_positive,
    by_coordinate,
    checked_centers,
    checked_noise,
    checked_weights,
)

_HALVINGS = 200


class LogCosh(Centred):
    """Convex losses F_i(x) = sum_j h_ij log cosh(x_j - e_ij).

    Parameters
    ----------
    curvatures
        h, (m,) or (m, d), above 0.
    centers
        The minimisers e_i, (m, d).
    weights
        p_i >= 0 with sum 1, (m,); {"dirichlet": a, "seed": s} draws them. Uniform by default.
    noise
        sigma >= 0: each gradient has noise of covariance sigma^2/d I.

    Raises
    ------
    BoundkitError
        For wrong shapes, and for a curvature that is not above 0.

    Examples
    --------
    >>> problem = LogCosh([1.0, 1.0], [[-1.0], [1.0]])
    >>> abs(round(float(problem.optimum[0]), 6))
    0.0
    """

    kind = "logcosh"
    infimum_reason = "the root of a rising gradient"
    fields = (("h", "e"), ("p",))

    def __init__(self, curvatures: Any, centers: Any, weights: Any = None, noise: float = 0.0) -> None:
        self.e = checked_centers(centers)
        self.m, self.d = self.e.shape
        self.h = by_coordinate("h", curvatures, self.m, self.d)
        all_positive("h", self.h)
        self.p = checked_weights(weights, self.m)
        self.noise = checked_noise(noise)
        self.centre: Array = self._stationary_point()
        self.optimum: Array | None = self.centre

    @classmethod
    def random(
        cls, clients: int, dimension: int, seed: int = 0, spread: float = 1.0, noise: float = 0.0
    ) -> Self:
        """Curvatures uniform on (1/2, 1), centres N(0, spread^2 I)."""
        rng = np.random.default_rng(seed)
        h = rng.uniform(0.5, 1.0, (clients, dimension))
        return cls(h, spread * rng.standard_normal((clients, dimension)), noise=noise)

    def losses_at(self, clients: Clients, y: AnyArray) -> AnyArray:
        """sum_j h_ij log cosh(y_j - e_ij)."""
        return (as_like(self.h[clients], y) * _log_cosh(y - as_like(self.e[clients], y))).sum(-1)

    def gradients(
        self, clients: Clients, like: AnyArray, own_axes: bool = False
    ) -> Callable[[AnyArray], AnyArray]:
        """h_ij tanh(y_j - e_ij), by coordinate."""
        xp, h, e = array_namespace(like), as_like(self.h[clients], like), as_like(self.e[clients], like)
        return lambda y: h * xp.tanh(y - e)

    def loss_gaps(self, x: AnyArray) -> AnyArray:
        """F(x) - F(x*), in a form without cancellation near the optimum.

        With v = x - x* and t = tanh(x* - e), log cosh(x - e) - log cosh(x* - e) - v t is
        log(1 + 2 sinh(v/2)^2 + t sinh v) - v t, and the sum of all p h t is 0.
        """
        return self._rises(x - as_like(self.centre, x)).sum(-1)

    def _rises(self, v: AnyArray) -> AnyArray:
        """F(x* + v) - F(x*) for every coordinate, in the shape of v."""
        xp = array_namespace(v)
        b = as_like(self.centre - self.e, v)
        weight, t = as_like(self.p[:, None] * self.h, v), xp.tanh(b)
        wide = v[..., None, :]
        near = xp.where(xp.abs(wide) < 1, wide, xp.zeros_like(wide))
        close = xp.log1p(2 * xp.sinh(near / 2) ** 2 + t * xp.sinh(near)) - near * t
        far = _log_cosh(b + wide) - _log_cosh(b) - wide * t
        return (weight * xp.where(xp.abs(wide) < 1, close, far)).sum(-2)

    @property
    def homogeneous(self) -> bool:
        """Whether all h_i and all e_i are the same."""
        return bool(
            np.ptp(self.h, axis=0).max() <= 1e-12 * self.h.max()
            and np.ptp(self.e, axis=0).max() <= 1e-12 * max(np.abs(self.e).max(), 1.0)
        )

    def constants(self, x0: Array) -> dict[str, Constant]:
        """L and G by formula; mu on {F <= F(x_0)} only; G_inf where there is no noise."""
        constants = self.start_constants(x0)
        steepest = float((self.h**2).sum(axis=1).max())
        constants["L"] = Constant(float(self.h.max()), "exact", "sech^2 <= 1: the largest h")
        G = (steepest + self.noise**2) ** 0.5
        constants["G"] = Constant(G, "exact", "|tanh| < 1: sqrt(max_i sum_j h_ij^2 + sigma^2)")
        if not self.noise:
            constants["G_inf"] = Constant(float(self.h.max()), "exact", "|tanh| < 1: the largest h")
        if np.isfinite(constants["gap"].value):
            low, high = self._box(constants["gap"].value)
            distance = np.maximum(np.abs(low - self.e), np.abs(high - self.e))
            with np.errstate(over="ignore"):
                mu = float((self.h / np.cosh(distance) ** 2).min())
            if mu > 0:
                constants["mu"] = Constant(mu, "local", "smallest curvature of a client where F <= F(x_0)")
        return constants

    def _box(self, gap: float) -> tuple[Array, Array]:
        """The smallest and largest x_j with F <= inf F + gap, rounded outwards by at most one rounding."""
        ends = []
        for sign in (-1.0, 1.0):
            out = np.ones(self.d)
            while (short := self._rises(sign * out) < gap).any():
                out = np.where(short, 2 * out, out)
            inside = np.zeros(self.d)
            for _ in range(_HALVINGS):
                middle = (inside + out) / 2
                below = self._rises(sign * middle) < gap
                inside, out = np.where(below, middle, inside), np.where(below, out, middle)
            ends.append(self.centre + sign * out)
        return ends[0], ends[1]

    def _stationary_point(self) -> Array:
        """The root of the increasing sum p_i h_ij tanh(x - e_ij), by bisection; then Newton's last digits."""
        counted = self.e[self.p > 0]
        low, high = counted.min(axis=0), counted.max(axis=0)
        weight = self.p[:, None] * self.h
        for _ in range(_HALVINGS):
            middle = (low + high) / 2
            right = (weight * np.tanh(middle - self.e)).sum(axis=0) < 0
            low, high = np.where(right, middle, low), np.where(right, high, middle)
        x = (low + high) / 2
        t = np.tanh(x - self.e)
        slope = (weight * (1 - t * t)).sum(axis=0)
        step = (weight * t).sum(axis=0) / np.where(slope > 0, slope, np.inf)
        return np.asarray(x - np.where(np.abs(step) < 1e-9, step, 0.0))

    @classmethod
    def from_fields(cls, given: dict[str, Any], noise: Any) -> Self:
        return cls(given["h"], given["e"], given.get("p"), noise)

    def to_json(self) -> dict[str, Any]:
        """The fields that reproduce this problem."""
        return {"kind": self.kind, "h": self.h.tolist(), "e": self.e.tolist(), "p": self.p.tolist()}


def _log_cosh(z: AnyArray) -> AnyArray:
    xp = array_namespace(z)
    distance = xp.abs(z)
    return distance + xp.log1p(xp.exp(-2 * distance)) - float(np.log(2))
