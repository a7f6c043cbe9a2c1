"""Instances with infinitely many clients and noise drift, from a few parameters each.

Lengths are in units of the noise of a round, eta sigma sqrt(tau), and L is 1. On a non-convex ridge, clients
moved away by noise have smaller gradients on either side; on a Huber loss with a short left tail, those moved
to the right have larger gradients, and those on the left the same.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from typing import Literal

import numpy as np
from scipy.optimize import brentq

from boundkit.algebra import BoundkitError, Theorem
from boundkit.analysis.step_size import largest_alone, largest_product, limit_at
from boundkit.attack.infinite_clients.evidence import InfiniteEvidence, evidence_at_fixed_point, values_of
from boundkit.attack.infinite_clients.gaussian import Gaussian
from boundkit.attack.infinite_clients.loss import PiecewiseLoss
from boundkit.attack.infinite_clients.noise import NoiseDistribution, Splitting, TwoPoint
from boundkit.attack.infinite_clients.rounds import Rounds

Noise = Literal["gaussian", "two-point", "splitting"]
_RISE = 12.0
"""Distance from the top of a ridge to where the gradient rises again, out of reach within a round."""
_WIDEST = 1e6


@dataclass(frozen=True)
class DriftInstance:
    """One instance with noise drift.

    ``noise``: its distribution, with ``up`` the probability of a first step upwards; ``part``: fraction of
    the largest eta; ``beside``: distance from the fixed point to the top of a ridge, on convex losses the
    length before the left tail; ``floor``: the curvature of both tails.
    """

    noise: Noise
    tau: int
    part: float
    beside: float
    up: float = 0.5
    floor: float = 0.0

    def evidence(self, theorem: Theorem, noise_length: float = 1.0) -> InfiniteEvidence:
        """Return the evidence of the instance on a theorem, with noise of that length in a round.

        Raises BoundkitError where the server has no fixed point on it.
        """
        eta, eta_s = self.steps(theorem)
        noise = self._noise(noise_length / (eta * self.tau**0.5))
        convex = theorem.assumes("convex") or theorem.assumes("strongly-convex")
        make = self._on_a_tail if convex else self._on_a_ridge
        rounds, between = make(noise_length, noise, eta, eta_s)
        f = rounds.loss.to_json()
        spec = asdict(self) | {"sigma": noise.sigma, "eta": eta, "eta_s": eta_s, "landscape": f}
        return evidence_at_fixed_point(theorem, rounds, between, spec)

    def at(self, theorem: Theorem, eta: float, tau: int) -> DriftInstance:
        """Return the same instance with tau local steps of eta."""
        moved = replace(self, tau=tau, part=1.0)
        return replace(moved, part=eta / moved.steps(theorem)[0])

    def _noise(self, sigma: float) -> NoiseDistribution:
        if self.noise == "gaussian":
            return Gaussian(sigma)
        return TwoPoint(sigma, self.up) if self.noise == "two-point" else Splitting(sigma, self.up)

    def steps(self, theorem: Theorem) -> tuple[float, float]:
        """Return eta, and the largest eta_s up to 1 beside it."""
        at = _at_limits(self.tau, self.floor)
        eta = self.part * float(limit_at(largest_alone(theorem), at))
        product = largest_product(theorem)
        return eta, 1.0 if product is None else min(1.0, float(limit_at(product, at)) / eta)

    def _on_a_ridge(
        self, noise_length: float, noise: NoiseDistribution, eta: float, eta_s: float
    ) -> tuple[Rounds, tuple[float, float]]:
        """Find the height of the ridge for which the fixed point lies ``beside`` its top, on the left."""
        rest = -self.beside * noise_length

        def rounds(top: float) -> Rounds:
            return Rounds(PiecewiseLoss.ridge(top, top + _RISE * noise_length), noise, eta, self.tau, eta_s)

        highest = 4 * noise_length
        if not rounds(0.0).gradient_sum(rest) < 0 < rounds(highest).gradient_sum(rest):
            raise BoundkitError("no ridge of that kind holds the server.")
        top = float(brentq(lambda c: rounds(c).gradient_sum(rest), 0.0, highest, xtol=1e-15 * noise_length))
        return rounds(top), (1.5 * rest, 0.5 * rest)

    def _on_a_tail(
        self, noise_length: float, noise: NoiseDistribution, eta: float, eta_s: float
    ) -> tuple[Rounds, tuple[float, float]]:
        f = PiecewiseLoss.huber(self.beside * noise_length, np.inf, 1.0, self.floor)
        rounds, low, high = Rounds(f, noise, eta, self.tau, eta_s), -noise_length, noise_length
        while rounds.gradient_sum(low) >= 0 and low > -_WIDEST * noise_length:
            low *= 2
        return rounds, (low, high)


def _at_limits(tau: int, mu: float) -> dict[str, float]:
    """Return the quantities on which the largest step sizes of a theorem depend, at L = 1."""
    return values_of(Rounds(PiecewiseLoss.huber(1.0, np.inf, 1.0, mu), TwoPoint(1.0), 0.1, tau), 0.0)
