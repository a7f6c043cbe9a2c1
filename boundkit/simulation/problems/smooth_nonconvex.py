"""Smooth non-convex losses with a dissimilarity that is constant on all of space.

F_i(x) = sum_j log(1 + x_j^2)/2 + e_i' x, with sum p_i e_i = 0. The second derivative of
log(1 + x^2)/2 is (1 - x^2)/(1 + x^2)^2, between -1/8 and 1: L = 1 exactly, and the losses are not
convex. The linear parts cancel in the mean, so F >= 0 = F(0), and grad F_i - grad F = e_i everywhere.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Self

import numpy as np

from boundkit.algebra import BoundkitError
from boundkit.simulation.arrays import AnyArray, Array, Clients, array_namespace, as_like
from boundkit.simulation.constant import Constant
from boundkit.simulation.problems.base import Problem
from boundkit.simulation.validation import checked_centers, checked_noise, checked_weights


class SmoothNonconvex(Problem):
    """Smooth non-convex losses F_i(x) = sum_j log(1 + x_j^2)/2 + e_i' x.

    Parameters
    ----------
    tilts
        e_i, (m, d), with sum p_i e_i = 0.
    weights
        p_i >= 0 with sum 1, (m,); {"dirichlet": a, "seed": s} draws them. Uniform by default.
    noise
        sigma >= 0: each gradient has noise of covariance sigma^2/d I.

    Raises
    ------
    BoundkitError
        Where the tilts do not cancel: the mean loss would be unbounded below.

    Examples
    --------
    >>> problem = SmoothNonconvex([[1.0], [-1.0]])
    >>> problem.dissimilarity, problem.convexity()[0]
    (1.0, False)
    """

    kind = "smooth_nonconvex"
    fields = (("e",), ("p",))

    def __init__(self, tilts: Any, weights: Any = None, noise: float = 0.0) -> None:
        self.e = checked_centers(tilts)
        self.m, self.d = self.e.shape
        self.p = checked_weights(weights, self.m)
        self.noise = checked_noise(noise)
        imbalance = float(np.abs(self.p @ self.e).max())
        if imbalance > 1e-9 * max(1.0, float(np.abs(self.e).max())):
            raise BoundkitError(
                f"sum p_i e_i must be 0, but it is {imbalance:.3g} in one coordinate; "
                "the mean loss would fall without end."
            )
        self.centre: Array = np.zeros(self.d)
        self.optimum: Array | None = self.centre

    @classmethod
    def random(
        cls, clients: int, dimension: int, seed: int = 0, spread: float = 1.0, noise: float = 0.0
    ) -> SmoothNonconvex:
        """Tilts drawn from N(0, spread^2 I), minus their mean."""
        e = spread * np.random.default_rng(seed).standard_normal((clients, dimension))
        return cls(e - e.mean(axis=0), noise=noise)

    def gradients(
        self, clients: Clients, like: AnyArray, own_axes: bool = False
    ) -> Callable[[AnyArray], AnyArray]:
        """y/(1 + y^2) + e_i, by coordinate."""
        e = as_like(self.e[clients], like)
        return lambda y: y / (1 + y * y) + e

    def observe(self, x: AnyArray) -> dict[str, AnyArray]:
        """At x the mean loss is sum log(1 + x^2)/2, its gradient x/(1 + x^2); the optimum is 0."""
        square = x * x
        loss = array_namespace(x).log1p(square).sum(-1) / 2
        return {
            "loss": loss,
            "loss_gap": loss,
            "gradient_norm_squared": ((x / (1 + square)) ** 2).sum(-1),
            "distance_squared": square.sum(-1),
            "dissimilarity": 0 * loss + self.dissimilarity,
        }

    def losses(self, x: AnyArray) -> AnyArray:
        """sum_j log(1 + x_j^2)/2 + e_i' x for every client."""
        return array_namespace(x).log1p(x * x).sum(-1)[..., None] / 2 + x @ as_like(self.e, x).T

    def losses_at(self, clients: Clients, y: AnyArray) -> AnyArray:
        """sum_j log(1 + y_j^2)/2 + e_i' y, each client at its own y."""
        return (array_namespace(y).log1p(y * y) / 2 + as_like(self.e[clients], y) * y).sum(-1)

    @property
    def minima(self) -> Array | None:
        """None, unless all tilts are 0: a tilted loss is unbounded below."""
        return None if self.e.any() else np.zeros(self.m)

    @property
    def heterogeneity(self) -> Constant | None:
        """Gamma = 0 where all tilts are 0; else the clients' losses have no minima."""
        return None if self.e.any() else Constant(0.0, "exact", "no tilts: every client has the mean loss")

    @property
    def homogeneous(self) -> bool:
        """Whether all tilts are the same, which makes them 0."""
        return not self.e.any()

    @property
    def dissimilarity(self) -> float:
        """sum p_i ||e_i||^2, everywhere."""
        return float(self.p @ (self.e**2).sum(axis=1))

    def constants(self, x0: Array) -> dict[str, Constant]:
        """All by formula: L = 1, sigma_g^2 = sum p_i ||e_i||^2; |x/(1 + x^2)| <= 1/2 bounds the gradients."""
        start = self.observe(x0)
        steepest = np.abs(self.e) + 0.5  # attained where every x_j is 1 or -1, with the sign of e_ij
        G = (float((steepest**2).sum(axis=1).max()) + self.noise**2) ** 0.5
        zeta = float(np.linalg.norm(self.e, axis=1).max())
        return {
            "L": Constant(1.0, "exact", "sup of (1 - x^2)/(1 + x^2)^2 in absolute value"),
            "sigma": Constant(self.noise, "exact", "the given noise"),
            "sigma_g": Constant(self.dissimilarity**0.5, "exact", "sqrt(sum p_i ||e_i||^2)"),
            "zeta": Constant(zeta, "exact", "max ||e_i||"),
            "rho_zeta": Constant(0.0, "exact", "the dissimilarity is the same everywhere"),
            "G": Constant(G, "exact", "sqrt(max_i sum_j (|e_ij| + 1/2)^2 + sigma^2)"),
            **({} if self.noise else {"G_inf": Constant(float(steepest.max()), "exact", "max |e_ij| + 1/2")}),
            "gap": Constant(float(start["loss"]), "exact", "F(x_0) - 0"),
            "distance": Constant(float(start["distance_squared"]) ** 0.5, "exact", "||x_0||"),
        }

    def convexity(self) -> tuple[bool, str]:
        """Never convex: the curvature is negative far from the origin."""
        return False, "log(1 + x^2)/2 has negative curvature where |x| > 1"

    @classmethod
    def from_fields(cls, given: dict[str, Any], noise: Any) -> Self:
        return cls(given["e"], given.get("p"), noise)

    def to_json(self) -> dict[str, Any]:
        """The fields that reproduce this problem: its kind, e of shape (m, d) and the weights p."""
        return {"kind": self.kind, "e": self.e.tolist(), "p": self.p.tolist()}
