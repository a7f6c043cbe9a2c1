"""Instances on which infinitely many clients drift by their noise, from a few numbers each.

Lengths are counted in walks, eta sigma sqrt(tau), and L is 1. On a ridge, which is not convex, clients that
noise carries away meet smaller gradients on either side; on a Huber loss with a short left tail those that it
carries to the right meet larger ones, and those on the left the same.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from typing import Literal

import numpy as np
from scipy.optimize import brentq

from boundkit.algebra import BoundkitError, Theorem
from boundkit.analysis.step_size import largest_alone, largest_product, limit_at
from boundkit.attack.infinite_clients.evidence import InfiniteEvidence, at_rest, values_of
from boundkit.attack.infinite_clients.gaussian import Gaussian
from boundkit.attack.infinite_clients.landscape import Landscape
from boundkit.attack.infinite_clients.laws import Law, Splitting, TwoPoint
from boundkit.attack.infinite_clients.rounds import Rounds

Noise = Literal["gaussian", "two-point", "splitting"]
_AWAY = 12.0
"""Walks from the top of a ridge to where it rises again: too far for a client to get there in a round."""
_WIDEST = 1e6


@dataclass(frozen=True)
class Shape:
    """``noise``: its law, with ``up`` of the clients going up first. ``part`` of the largest eta, tau steps.

    ``beside``: walks from the rest to the top of a ridge; on convex losses the length a of the left tail's
    start, and ``floor`` the slope of both tails.
    """

    noise: Noise
    tau: int
    part: float
    beside: float
    up: float = 0.5
    floor: float = 0.0

    def evidence(self, theorem: Theorem, walk: float = 1.0) -> InfiniteEvidence:
        """The instance held against a theorem, with walks of that length.

        Raises BoundkitError where the server does not rest on it.
        """
        eta, eta_s = self.steps(theorem)
        law = self._law(walk / (eta * self.tau**0.5))
        convex = theorem.assumes("convex") or theorem.assumes("strongly-convex")
        make = self._on_a_tail if convex else self._on_a_ridge
        rounds, between = make(walk, law, eta, eta_s)
        f = rounds.landscape.to_json()
        told = asdict(self) | {"sigma": law.sigma, "eta": eta, "eta_s": eta_s, "landscape": f}
        return at_rest(theorem, rounds, between, told)

    def at(self, theorem: Theorem, eta: float, tau: int) -> Shape:
        """The same with tau local steps of eta."""
        moved = replace(self, tau=tau, part=1.0)
        return replace(moved, part=eta / moved.steps(theorem)[0])

    def _law(self, sigma: float) -> Law:
        if self.noise == "gaussian":
            return Gaussian(sigma)
        return TwoPoint(sigma, self.up) if self.noise == "two-point" else Splitting(sigma, self.up)

    def steps(self, theorem: Theorem) -> tuple[float, float]:
        """eta, and the largest eta_s up to 1 beside it."""
        at = _at_limits(self.tau, self.floor)
        eta = self.part * float(limit_at(largest_alone(theorem), at))
        product = largest_product(theorem)
        return eta, 1.0 if product is None else min(1.0, float(limit_at(product, at)) / eta)

    def _on_a_ridge(
        self, walk: float, law: Law, eta: float, eta_s: float
    ) -> tuple[Rounds, tuple[float, float]]:
        """The ridge as high as makes the server rest ``beside`` its top, on the left, where it is stable."""
        rest = -self.beside * walk

        def rounds(top: float) -> Rounds:
            return Rounds(Landscape.ridge(top, top + _AWAY * walk), law, eta, self.tau, eta_s)

        highest = 4 * walk
        if not rounds(0.0).pull(rest) < 0 < rounds(highest).pull(rest):
            raise BoundkitError("no ridge of that kind holds the server.")
        top = float(brentq(lambda c: rounds(c).pull(rest), 0.0, highest, xtol=1e-15 * walk))
        return rounds(top), (1.5 * rest, 0.5 * rest)

    def _on_a_tail(
        self, walk: float, law: Law, eta: float, eta_s: float
    ) -> tuple[Rounds, tuple[float, float]]:
        f = Landscape.huber(self.beside * walk, np.inf, 1.0, self.floor)
        rounds, low, high = Rounds(f, law, eta, self.tau, eta_s), -walk, walk
        while rounds.pull(low) >= 0 and low > -_WIDEST * walk:
            low *= 2
        return rounds, (low, high)


def _at_limits(tau: int, mu: float) -> dict[str, float]:
    """What the largest steps of a theorem depend on, at L = 1."""
    return values_of(Rounds(Landscape.huber(1.0, np.inf, 1.0, mu), TwoPoint(1.0), 0.1, tau), 0.0)
