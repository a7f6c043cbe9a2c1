"""Instances with infinitely many clients and noise drift, from a few parameters each.

Lengths are in units of the noise of a round, eta sigma sqrt(tau), and L is 1. On a non-convex ridge, clients
moved away by noise have smaller gradients on either side; on a Huber loss with a short left tail, those moved
to the right have larger gradients, and those on the left the same. The necessary share of a noise-drift
term is the largest over these instances.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Literal

import numpy as np
from scipy.optimize import brentq, minimize

from boundkit.algebra import BoundkitError, Theorem
from boundkit.analysis.evaluate import evaluate
from boundkit.analysis.step_size import largest_alone, largest_product, limit_at
from boundkit.attack.infinite_clients.evidence import (
    InfiniteEvidence,
    evidence_at_fixed_point,
    infinite_clients_apply,
    values_of,
)
from boundkit.attack.infinite_clients.loss import PiecewiseLoss
from boundkit.attack.infinite_clients.noise import Gaussian, NoiseDistribution, Splitting, TwoPoint
from boundkit.attack.infinite_clients.rounds import Rounds
from boundkit.simulation.arrays import Array

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


TERM = "noise drift"
NOISE_LENGTHS = (1.0, 1e-3)
"""Noise lengths of a round, alternating: a bound with another power of a unit fails at one of them."""
_PARTS = (1.0, 0.03, 1e-4)


def drifting_instance(theorem: Theorem, tau: int, part: float, least: float = 0.02) -> DriftInstance:
    """Return the instance of the theorem's function class with nearly the largest drift.

    On a ridge, clients that are all as far away as their variance allows, eta sigma sqrt(k): the squared
    gradient at the fixed point is eta^2 L^2 sigma^2 (sum_k sqrt(k)/tau)^2, which tends to 4/9 eta^2 L^2
    sigma^2 tau. On a tail, few clients with long jumps, and a fixed point half as far from the end of the
    tail as they jump: the loss gap tends to 1/8 eta^2 L sigma^2 (tau - 1). With tails of curvature mu,
    likewise, the squared distance tends to 1/8 eta^2 (L/mu) sigma^2 (tau - 1).
    """
    if theorem.assumes("strongly-convex"):
        return DriftInstance("two-point", tau, part, 1e-3, min(2 * least / (tau - 1), 0.5), least)
    if theorem.assumes("convex"):
        return DriftInstance("two-point", tau, part, 0.025 * (tau - 1) / tau, 0.01 / tau)
    return DriftInstance("splitting", tau, part, 0.001)


def drift_instances(theorem: Theorem) -> tuple[DriftInstance, ...]:
    """Return the instances of its function class with large noise drift."""
    listed = tuple((tau, part) for tau in (2, 3, 5, 9) for part in _PARTS)
    if theorem.assumes("strongly-convex"):
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


def drift_slopes(theorem: Theorem) -> dict[str, tuple[float, float]]:
    """Compute, for eta, tau and sigma, the logarithmic slopes of the drift and of the term.

    The loss grows with the noise, as in a worst case. All step sizes are below 1/1000 of their limit.
    """
    start = drifting_instance(theorem, 8, 1e-3)
    eta = start.steps(theorem)[0]
    grids = {
        "eta": [(eta * k, 8, 1.0) for k in (1.0, 0.5, 0.25)],
        "tau": [
            (eta / 64, tau, 1.0) for tau in ((4, 8, 12) if start.noise == "two-point" else (64, 128, 256))
        ],
        "sigma": [(eta, 8, sigma) for sigma in (1.0, 2.0, 4.0)],
    }
    result = {}
    for letter, grid in grids.items():
        pieces = [
            drifting_instance(theorem, tau, 1.0)
            .at(theorem, step, tau)
            .evidence(theorem, step * tau**0.5 * sigma)
            for step, tau, sigma in grid
        ]
        at = np.log([float(one.values[letter][0]) for one in pieces])
        evidence = np.log([float(one.measured[0]) for one in pieces])
        term = theorem.bound.terms[TERM].expr
        text = np.log([float(evaluate(term, one.values)[0]) for one in pieces])
        result[letter] = (float(np.polyfit(at, evidence, 1)[0]), float(np.polyfit(at, text, 1)[0]))
    return result


_LEAST, _MOST = 1e-4, 10.0
"""Range of ``DriftInstance.beside``, in noise lengths; the least ``part``, ``up`` and ``floor``."""
_EVALUATIONS = 60


@dataclass(frozen=True)
class DriftShare:
    """``measured`` (its low end), ``bound`` and its noise-drift ``term``.

    ``share`` is (measured - the other terms)/term: the term's constant cannot be smaller than that times
    itself.
    """

    theorem: str
    measured: float
    bound: float
    term: float
    share: float
    instance: DriftInstance
    evidence: InfiniteEvidence

    @property
    def ratio(self) -> float:
        """measured/bound."""
        return self.measured / self.bound

    def to_text(self) -> str:
        """Return one line for a terminal."""
        s = self.instance
        return (
            f"{self.theorem}: measured/bound {self.ratio:.4g}, {self.share:.4g} of the noise drift "
            f"({s.noise} noise, tau = {s.tau}, eta at {s.part:.3g} of its limit)"
        )


def noise_drift_share(
    theorem: Theorem,
    budget: float = 5.0,
    seed: int = 0,
    noises: Sequence[Noise] = ("two-point", "splitting"),
) -> DriftShare:
    """Find the instance with the largest share within ``budget`` seconds, known instances first.

    Raises BoundkitError for a theorem to which infinitely many homogeneous clients do not apply.
    """
    if not infinite_clients_apply(theorem):
        raise BoundkitError(
            f"infinitely many homogeneous clients have no noise drift to show to {theorem.name}."
        )
    end, rng = time.monotonic() + budget, np.random.default_rng(seed)
    starts = [replace(s, noise=n) for s in drift_instances(theorem) for n in noises if _listed(s.tau, n)]
    scored = sorted(
        ((_score(theorem, instance), i, instance) for i, instance in enumerate(starts)), reverse=True
    )
    best, _, instance = scored[0]
    turn = 0
    while time.monotonic() < end:
        start = scored[turn % min(len(scored), 8)][2]
        result, at = _maximise(theorem, start, rng, end)
        best, instance = max((best, instance), (result, at), key=lambda each: each[0])
        turn += 1
    piece = instance.evidence(theorem)
    bound, term = (
        float(evaluate(expr, piece.values)[0])
        for expr in (theorem.bound.total, theorem.bound.terms[TERM].expr)
    )
    share = float(piece.shares(theorem, TERM)[0])
    return DriftShare(theorem.name, float(piece.low[0]), bound, term, share, instance, piece)


def _score(theorem: Theorem, instance: DriftInstance) -> float:
    try:
        return float(np.nan_to_num(instance.evidence(theorem).ratios(theorem)[0]))
    except BoundkitError:
        return 0.0


def _maximise(
    theorem: Theorem, start: DriftInstance, rng: np.random.Generator, end: float
) -> tuple[float, DriftInstance]:
    """Return the best of a Nelder-Mead search from a randomly shifted start."""
    best = (0.0, start)

    def negated_share(z: Array) -> float:
        nonlocal best
        if time.monotonic() > end:
            return 0.0
        instance = _shifted(start, z)
        result = _score(theorem, instance)
        best = max(best, (result, instance), key=lambda each: each[0])
        return -result

    minimize(negated_share, 0.5 * rng.normal(size=4), method="Nelder-Mead", options={"maxfev": _EVALUATIONS})
    return best


def _shifted(instance: DriftInstance, z: Array) -> DriftInstance:
    """Return the instance with each number scaled by e^z, within its range."""
    factor = np.exp(np.clip(z, -20, 20))
    up = instance.up * factor[2] / (1 + instance.up * (factor[2] - 1))
    return replace(
        instance,
        part=float(np.clip(instance.part * factor[0], _LEAST, 1.0)),
        beside=float(np.clip(instance.beside * factor[1], _LEAST, _MOST)),
        up=float(np.clip(up, _LEAST, 1 - _LEAST)),
        floor=float(np.clip(instance.floor * factor[3], _LEAST, 1.0)) if instance.floor else 0.0,
    )


def _listed(tau: int, noise: Noise) -> bool:
    return tau <= {"two-point": 12, "gaussian": 16, "splitting": 10**6}[noise]
