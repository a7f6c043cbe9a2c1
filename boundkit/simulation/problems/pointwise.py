"""Base of families whose observables follow from the losses and the gradients of clients at their points."""

from __future__ import annotations

from abc import abstractmethod
from typing import ClassVar

import numpy as np

from boundkit.algebra import BoundkitError
from boundkit.simulation.arrays import AnyArray, Array, as_like
from boundkit.simulation.constant import Constant
from boundkit.simulation.problems.base import Problem


class Pointwise(Problem):
    """Losses and gradients of clients, each at its own point y_i; y is (..., n, d), with any leading axes."""

    @property
    @abstractmethod
    def infimum(self) -> Constant | None:
        """inf F; None where F is unbounded below."""

    def loss_gaps(self, x: AnyArray) -> AnyArray:
        """F(x) - inf F at x of shape (..., d), where there is an infimum."""
        assert self.infimum is not None
        return self.losses(x) @ as_like(self.p, x) - self.infimum.value

    def losses(self, x: AnyArray) -> AnyArray:
        """F_i of every client at one point."""
        return self.losses_at(np.arange(self.m), x[..., None, :])

    def observe(self, x: AnyArray) -> dict[str, AnyArray]:
        """Each observable from the losses and gradients of all clients at x."""
        p = as_like(self.p, x)
        gradients = self.client_gradients(x)
        mean = (p[:, None] * gradients).sum(-2)
        deviations = ((gradients - mean[..., None, :]) ** 2).sum(-1)
        observables = {
            "loss": self.losses(x) @ p,
            "gradient_norm_squared": (mean**2).sum(-1),
            "dissimilarity": deviations @ p,
        }
        if self.infimum is not None:
            observables["loss_gap"] = self.loss_gaps(x)
        if self.optimum is not None:
            observables["distance_squared"] = ((x - as_like(self.optimum, x)) ** 2).sum(-1)
        return observables

    @property
    def heterogeneity(self) -> Constant | None:
        """Gamma = inf F - sum p_i inf F_i, where both are known."""
        if self.infimum is None or self.minima is None:
            return None
        value = max(self.infimum.value - float(self.p @ self.minima), 0.0)
        return Constant(value, self.infimum.trust, f"inf F - sum p_i inf F_i; {self.infimum.how}")

    def start_constants(self, x0: Array) -> dict[str, Constant]:
        """sigma, and the initial gap and distance, where there are an infimum and an optimum.

        Raises BoundkitError for a start so far away that the losses overflow.
        """
        constants = {"sigma": Constant(self.noise, "exact", "the given noise")}
        with np.errstate(over="ignore", invalid="ignore"):
            if not np.isfinite(self.losses(x0)).all():
                raise BoundkitError("the losses at x0 are not finite; start nearer.")
            if self.infimum is not None:
                gap = max(float(self.loss_gaps(x0)), 0.0)
                constants["gap"] = Constant(gap, self.infimum.trust, f"F(x_0) - inf F; {self.infimum.how}")
            if self.optimum is not None and self.infimum is not None:
                distance = float(np.linalg.norm(x0 - self.optimum))
                constants["distance"] = Constant(distance, self.infimum.trust, "||x_0 - x*||")
        return constants


class Centred(Pointwise):
    """Convex losses with the minimum 0 at their own centres e_i, (m, d); ``centre`` is x*."""

    e: Array
    infimum_reason: ClassVar[str]

    @property
    def infimum(self) -> Constant:
        """sum p_i F_i(x*)."""
        return Constant(float(self.p @ self.losses(self.centre)), "exact", self.infimum_reason)

    @property
    def minima(self) -> Array | None:
        """0 for every client, at e_i."""
        return np.zeros(self.m)

    def convexity(self) -> tuple[bool, str]:
        """Every client is convex."""
        return True, ""
