r"""Hyperbolic cosines: strongly convex and (L0, L1)-smooth, but not smooth; all constants in closed form.

F_i(x) = s_i (L0/L1^2) sum_j (cosh(L1 (x_j - e_ij)) - 1).

A weighted sum of cosines is one again: with a_j = sum p_i s_i exp(-L1 e_ij) and
b_j = sum p_i s_i exp(L1 e_ij), sum_i p_i s_i cosh(L1 (x_j - e_ij)) = A_j cosh(L1 (x_j - x*_j)), where
x*_j = log(b_j/a_j)/(2 L1) and A_j = sqrt(a_j b_j). So the optimum, the infimum and the gap are exact.

(L0, L1). In each coordinate F_i'' = s_i L0 cosh t and |F_i'| = s_i (L0/L1) |sinh t|, and
cosh t <= 1 + |sinh t| as cosh^2 = 1 + sinh^2. The norm of the diagonal Hessian is its largest entry, and
no coordinate exceeds the norm of the gradient: ||hess F_i|| <= s_i L0 + L1 ||grad F_i||, with equality at
e_i. The same for the mean with A_j. So the smallest constant for this L1 is L0 times the largest of all
s_i and A_j.

Heterogeneous clients. With t = L1 (x_j - x*_j) and g = L1 (e_ij - x*_j),
s_i sinh(t - g) - A_j sinh t = (s_i cosh g - A_j) sinh t - s_i sinh g cosh t. At t = 0 it is -s_i sinh g, for
t to either infinity its ratio to A_j sinh t has the absolute values |s_i cosh g - A_j -+ s_i sinh g|/A_j,
and cosh t <= 1 + |sinh t| joins the two: zeta = (L0/L1) max_i ||s_i sinh g_i||, and rho_zeta the largest of
(|s_i cosh g - A_j| + s_i |sinh g|)/A_j. Neither can be smaller beside the other.

The largest gradient on {F <= F(x_0)}: with c_j = cosh t_j - 1, the squared gradient is (L0/L1)^2 times
sum A_j^2 (c_j^2 + 2 c_j), convex in c, and sum A_j c_j <= B = gap L1^2/L0: the maximum is at a vertex,
(L0/L1)^2 (B^2 + 2 B max A_j).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Self

import numpy as np

from boundkit.algebra import BoundkitError
from boundkit.simulation.arrays import AnyArray, Array, Clients, array_namespace, as_like
from boundkit.simulation.constant import Constant
from boundkit.simulation.problems.base import Centred
from boundkit.simulation.validation import (
    all_positive,
    checked_array,
    checked_centers,
    checked_noise,
    checked_weights,
    positive,
)


class Exponential(Centred):
    """Hyperbolic cosines F_i(x) = s_i (L0/L1^2) sum_j (cosh(L1 (x_j - e_ij)) - 1).

    Parameters
    ----------
    centers
        The minimisers e_i, (m, d).
    L0, L1
        The constants of (L0, L1)-smoothness for s_i = 1, above 0.
    scales
        s_i > 0, (m,); 1 by default.
    weights
        p_i >= 0 with sum 1, (m,); {"dirichlet": a, "seed": s} draws them. Uniform by default.
    noise
        sigma >= 0: each gradient has noise of covariance sigma^2/d I.

    Raises
    ------
    BoundkitError
        For wrong shapes, and for numbers that are not positive.

    Examples
    --------
    >>> Exponential([[-1.0], [1.0]]).optimum.tolist()
    [0.0]
    """

    kind = "exponential"
    infimum_reason = "a sum of cosines is a cosine"
    fields = (("e",), ("L0", "L1", "s", "p"))

    def __init__(
        self,
        centers: Any,
        L0: float = 1.0,
        L1: float = 1.0,
        scales: Any = None,
        weights: Any = None,
        noise: float = 0.0,
    ) -> None:
        self.e = checked_centers(centers)
        self.m, self.d = self.e.shape
        self.L0, self.L1 = positive("L0", L0), positive("L1", L1)
        self.s = np.ones(self.m) if scales is None else checked_array("s", scales, (self.m,))
        all_positive("s", self.s)
        self.p = checked_weights(weights, self.m)
        self.noise = checked_noise(noise)
        with np.errstate(divide="ignore"):  # a weight of 0 has the logarithm -inf, and no part in the sum
            log = np.log(self.p * self.s)[:, None]
        a, b = (np.logaddexp.reduce(log + sign * self.L1 * self.e, axis=0) for sign in (-1, 1))
        with np.errstate(over="ignore"):
            self.A: Array = np.exp((a + b) / 2)
        self.centre: Array = (b - a) / (2 * self.L1)
        self.optimum: Array | None = self.centre
        with np.errstate(over="ignore", invalid="ignore"):
            finite = np.isfinite(self.A).all() and np.isfinite(self.losses(self.centre) ** 2).all()
        if not finite:
            raise BoundkitError("the centres e differ so much, in units of 1/L1, that the losses overflow.")

    @classmethod
    def random(
        cls, clients: int, dimension: int, seed: int = 0, spread: float = 1.0, noise: float = 0.0
    ) -> Self:
        """Centres N(0, spread^2 I), scales uniform on (1/2, 1), L0 = L1 = 1."""
        rng = np.random.default_rng(seed)
        scales = rng.uniform(0.5, 1.0, clients)
        return cls(spread * rng.standard_normal((clients, dimension)), scales=scales, noise=noise)

    def losses_at(self, clients: Clients, y: AnyArray) -> AnyArray:
        """2 s_i (L0/L1^2) sum_j sinh(L1 (y_j - e_ij)/2)^2, an equal form without cancellation."""
        half = array_namespace(y).sinh(self.L1 / 2 * (y - as_like(self.e[clients], y)))
        return as_like(2 * self.L0 / self.L1**2 * self.s[clients], y) * (half**2).sum(-1)

    def gradients(
        self, clients: Clients, like: AnyArray, own_axes: bool = False
    ) -> Callable[[AnyArray], AnyArray]:
        """s_i (L0/L1) sinh(L1 (y_j - e_ij)), by coordinate."""
        xp, e = array_namespace(like), as_like(self.e[clients], like)
        scale = as_like(self.L0 / self.L1 * self.s[clients][..., None], like)
        return lambda y: scale * xp.sinh(self.L1 * (y - e))

    def loss_gaps(self, x: AnyArray) -> AnyArray:
        """2 (L0/L1^2) sum_j A_j sinh(L1 (x_j - x*_j)/2)^2."""
        half = array_namespace(x).sinh(self.L1 / 2 * (x - as_like(self.centre, x)))
        return (half**2) @ as_like(2 * self.L0 / self.L1**2 * self.A, x)

    @property
    def homogeneous(self) -> bool:
        """Whether all e_i and all s_i are the same."""
        return bool(
            np.ptp(self.s) <= 1e-12 * self.s.max()
            and np.ptp(self.e, axis=0).max() <= 1e-12 * max(np.abs(self.e).max(), 1 / self.L1)
        )

    def constants(self, x0: Array) -> dict[str, Constant]:
        """L0, L1, mu, zeta, rho_zeta and grad_max by formula; L on {F <= F(x_0)} only."""
        constants = self.start_constants(x0)
        gap = constants["gap"].value
        g = self.L1 * (self.e - self.centre)
        scale, slope = self.s[:, None], self.L0 / self.L1
        sinh = scale * np.abs(np.sinh(g))
        zeta = slope * float(np.linalg.norm(sinh, axis=1).max())
        rho = float(((np.abs(scale * np.cosh(g) - self.A) + sinh) / self.A).max())
        B = gap * self.L1**2 / self.L0
        reach = np.arccosh(1 + B / self.A)  # |x_j - x*_j| <= reach_j / L1 where F <= F(x_0)
        with np.errstate(over="ignore"):
            L = self.L0 * float((scale * np.cosh(np.abs(g) + reach)).max())
            steepest = slope * float(np.sqrt(B * B + 2 * B * self.A.max()))
        smoothness = self.L0 * max(float(self.s.max()), float(self.A.max()))
        return constants | {
            "L0": Constant(smoothness, "exact", "L0 times the largest of all s_i and A_j"),
            "L1": Constant(self.L1, "exact", "cosh <= 1 + |sinh|"),
            "mu": Constant(self.L0 * float(self.s.min()), "exact", "cosh >= 1: L0 min s_i"),
            "L": Constant(L, "local", "largest curvature of a client where F <= F(x_0)"),
            "grad_max": Constant(steepest, "exact", "all of the gap in the steepest coordinate"),
            "zeta": Constant(zeta, "exact", "max_i ||grad F_i(x*)||"),
            "rho_zeta": Constant(rho, "exact", "slope of the dissimilarity far away"),
        }

    @classmethod
    def from_fields(cls, given: dict[str, Any], noise: Any) -> Self:
        return cls(
            given["e"], given.get("L0", 1.0), given.get("L1", 1.0), given.get("s"), given.get("p"), noise
        )

    def to_json(self) -> dict[str, Any]:
        """The fields that reproduce this problem."""
        return {
            "kind": self.kind,
            "e": self.e.tolist(),
            "L0": self.L0,
            "L1": self.L1,
            "s": self.s.tolist(),
            "p": self.p.tolist(),
        }
