"""Instances with infinitely many clients and noise drift, from a few parameters each.

Lengths are in units of the noise of a round, eta sigma sqrt(tau), and L is 1. On a non-convex ridge, clients
moved away by noise have smaller gradients on either side; on a Huber loss with a short left tail, those moved
to the right have larger gradients, and those on the left the same. The necessary share of a noise-drift
term is the largest over these instances.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from typing import Literal

import numpy as np
from scipy.optimize import brentq

from boundkit.algebra import BoundkitError, Theorem
from boundkit.algebra.notation import eta, eta_s
from boundkit.analysis.evaluate import evaluate, satisfied
from boundkit.analysis.step_size import largest, largest_alone, largest_product, limit_at
from boundkit.attack.infinite_clients.evidence import (
    NESTEROV,
    InfiniteEvidence,
    evidence_at_fixed_point,
    fresh_part,
    in_one_round,
    is_curved,
    values_of,
)
from boundkit.attack.infinite_clients.loss import PiecewiseLoss
from boundkit.attack.infinite_clients.noise import Gaussian, NoiseDistribution, Splitting, TwoPoint
from boundkit.attack.infinite_clients.rounds import RoundParameters

Noise = Literal["gaussian", "two-point", "splitting"]
_RISE = 12.0
"""Distance from the top of a ridge to where the gradient rises again, out of reach within a round."""
_WIDEST, _SMALL, _HALVINGS = 1e6, 1e-3, 40


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
        length = fresh_part(theorem) * eta
        noise = self._noise(noise_length / (length * self.tau**0.5))
        convex = theorem.assumes("convex") or is_curved(theorem) or in_one_round(theorem)
        make = self._on_a_tail if convex else self._on_a_ridge
        rounds, between = make(noise_length, noise, length, eta_s)
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
        """Return eta, and the largest eta_s up to 1 beside it; a small one where it limits eta."""
        at = _at_limits(self.tau, self.floor)
        if theorem.rules:
            return self.part * _largest_by_rule(theorem, at), 1.0
        alone = largest_alone(theorem)
        if alone.is_infinite:
            server = 1.0 if theorem.assumes("server-step-at-least-one") else _SMALL
            return self.part * float(limit_at(largest(theorem), at | {"eta_s": server})), server
        eta = self.part * float(limit_at(alone, at))
        product = largest_product(theorem)
        if product is None:
            return eta, _largest_server_step(theorem, at | {"eta": eta, "T": 1.0})
        most = float(limit_at(product, at))
        if theorem.assumes("server-step-at-least-one"):
            return min(eta, self.part * most), 1.0
        return eta, min(1.0, most / eta)

    def _on_a_ridge(
        self, noise_length: float, noise: NoiseDistribution, eta: float, eta_s: float
    ) -> tuple[RoundParameters, tuple[float, float]]:
        """Find the height of the ridge for which the fixed point lies ``beside`` its top, on the left."""
        rest = -self.beside * noise_length

        def rounds(top: float) -> RoundParameters:
            return RoundParameters(
                PiecewiseLoss.ridge(top, top + _RISE * noise_length), noise, eta, self.tau, eta_s
            )

        highest = 4 * noise_length
        if not rounds(0.0).gradient_sum(rest) < 0 < rounds(highest).gradient_sum(rest):
            raise BoundkitError("no ridge of that kind holds the server.")
        top = float(brentq(lambda c: rounds(c).gradient_sum(rest), 0.0, highest, xtol=1e-15 * noise_length))
        return rounds(top), (1.5 * rest, 0.5 * rest)

    def _on_a_tail(
        self, noise_length: float, noise: NoiseDistribution, eta: float, eta_s: float
    ) -> tuple[RoundParameters, tuple[float, float]]:
        f = PiecewiseLoss.huber(self.beside * noise_length, np.inf, 1.0, self.floor)
        rounds, low, high = RoundParameters(f, noise, eta, self.tau, eta_s), -noise_length, noise_length
        while rounds.gradient_sum(low) >= 0 and low > -_WIDEST * noise_length:
            low *= 2
        return rounds, (low, high)


def _at_limits(tau: int, mu: float) -> dict[str, float]:
    """Return the quantities on which the largest step sizes of a theorem depend, at L = 1."""
    return values_of(RoundParameters(PiecewiseLoss.huber(1.0, np.inf, 1.0, mu), TwoPoint(1.0), 0.1, tau), 0.0)


def _largest_server_step(theorem: Theorem, at: dict[str, float]) -> float:
    """Return the first of 1, 1/2, 1/4, ... that the conditions on eta_s allow; 1 where there are none."""
    limits = [c for c in theorem.step_size if eta_s in c.free_symbols]
    steps = [0.5**k for k in range(_HALVINGS)] if limits else []
    return next((s for s in steps if all(bool(satisfied(c, at | {"eta_s": s})) for c in limits)), 1.0)


def _largest_by_rule(theorem: Theorem, at: dict[str, float]) -> float:
    """Return the step that the theorem's rule gives after the fewest rounds that its conditions allow."""
    rounds = 1.0
    while not all(bool(satisfied(c, at | {"T": rounds})) for c in theorem.step_size):
        rounds *= 1.1
    return float(evaluate(theorem.rules[eta], at | {"T": rounds}))


TERM = "noise drift"
NOISE_LENGTHS = (1.0, 1e-3)
"""Noise lengths of a round, alternating: a bound with another power of a unit fails at one of them."""
_PARTS = (1.0, 0.03, 1e-4)

_IN_ONE_ROUND = (
    (2, 1.0, 0.1, 0.5),
    (4, 1.0, 0.17, 0.7),
    (8, 0.3, 0.17, 0.7),
    (32, 0.05, 0.1, 0.7),
    (128, 0.05, 0.17, 0.9),
)
_AT_THE_FLOOR = (
    (2, 1.0, 0.05, 0.2, 0.14),
    (4, 0.3, 0.05, 0.2, 0.14),
    (16, 0.05, 0.12, 0.2, 0.14),
    (64, 0.01, 0.12, 0.05, 0.14),
    (256, 3e-3, 0.12, 0.02, 0.14),
)
"""Of Nesterov's method outside: tau, ``part``, ``beside``, ``up`` and ``floor`` with nearly the largest drift
of a grid, of the mean model after one round from the optimum, and at the fixed point."""


def drifting_instance(theorem: Theorem, tau: int, part: float, least: float = 0.02) -> DriftInstance:
    """Return the instance of the theorem's function class with nearly the largest drift.

    On a ridge, clients that are all as far away as their variance allows, eta sigma sqrt(k): the squared
    gradient at the fixed point is eta^2 L^2 sigma^2 (sum_k sqrt(k)/tau)^2, which tends to 4/9 eta^2 L^2
    sigma^2 tau. On a tail, few clients with long jumps, and a fixed point half as far from the end of the
    tail as they jump: the loss gap tends to 1/8 eta^2 L sigma^2 (tau - 1). With tails of curvature mu,
    likewise, the squared distance tends to 1/8 eta^2 (L/mu) sigma^2 (tau - 1).
    """
    if is_curved(theorem):
        return DriftInstance("two-point", tau, part, 1e-3, min(2 * least / (tau - 1), 0.5), least)
    if theorem.assumes("convex"):
        return DriftInstance("two-point", tau, part, 0.025 * (tau - 1) / tau, 0.01 / tau)
    return DriftInstance("splitting", tau, part, 0.001)


def drift_instances(theorem: Theorem) -> tuple[DriftInstance, ...]:
    """Return the instances of its function class with large noise drift."""
    if in_one_round(theorem):
        floor = 0.02 if is_curved(theorem) else 0.0
        return tuple(DriftInstance("splitting", *row, floor=floor) for row in _IN_ONE_ROUND)
    if theorem.algorithm == NESTEROV:
        return tuple(DriftInstance("splitting", *row) for row in _AT_THE_FLOOR)
    listed = tuple((tau, part) for tau in (2, 3, 5, 9) for part in _PARTS)
    if is_curved(theorem):
        few = tuple(drifting_instance(theorem, tau, part, mu) for tau, part in listed for mu in (0.1, 1e-3))
        return few + tuple(DriftInstance("splitting", tau, 1e-3, 1e-3, 0.02, 0.1) for tau in (16, 64, 256))
    if theorem.assumes("convex"):
        few = tuple(drifting_instance(theorem, tau, part) for tau, part in listed)
        return few + tuple(DriftInstance("splitting", tau, 1e-4, 0.15, 0.06) for tau in (16, 64, 256))
    few = tuple(DriftInstance("two-point", tau, part, 0.004) for tau, part in listed)
    return few + tuple(
        drifting_instance(theorem, tau, part) for tau in (4, 16, 64, 256) for part in (3e-3, 1e-4)
    )


def measure_drift_instances(theorem: Theorem) -> Iterator[InfiniteEvidence]:
    """Yield the evidence of all of them, without those that have no fixed point.

    It takes about a second, and serves every mutant of the theorem.
    """
    for i, instance in enumerate(drift_instances(theorem)):
        try:
            yield instance.evidence(theorem, NOISE_LENGTHS[i % len(NOISE_LENGTHS)])
        except BoundkitError:
            continue
