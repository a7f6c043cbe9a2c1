"""Accelerated local SGD of one client whose noise is a rare jump away from the kink of a loss.

The loss is |z| beside its minimum, where its curvature is L, plus mu z^2/2. A client at the minimum jumps in a
step with a small probability, and has no noise elsewhere; a quadratic of nearly no size in another coordinate
tells it the step, on which the length of the jump depends. So the loss gap after T rounds is a sum over the
steps of the first jump, of which each is followed by a path without noise. After a jump whose length is
right for the rounds that are left, all the error that the jump causes is in the loss at the end.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from boundkit.algebra import Theorem
from boundkit.attack.measurement import Array, Measurement

_ROUNDING, _JUMPS = 1e-6, 1e-9
"""Relative rounding of a sum of paths, and the probability of a jump in any step."""
_CONVEX = (
    *((rounds, tau, 0.5) for rounds in (1, 2, 3) for tau in (1, 2, 4, 8, 16, 32, 64)),
    *((rounds, 1, step) for rounds in (10, 50, 300, 1000) for step in (0.5, 0.05)),
)
"""T, tau and eta L."""
_CURVED = (
    *((1, tau, 0.5, kept) for tau in (1, 2, 4, 8, 16, 32, 64) for kept in (0.9, 0.5, 0.1)),
    *((rounds, 1, 0.1, kept) for rounds, kept in ((3, 1e-2), (32, 1e-3), (126, 1e-3), (100, 1e-4), (700, 1e-4))),
)
"""T, tau, eta L and q_0, the part of the squared distance that a round on mu z^2/2 removes."""
_INSIDE = 1 - 1e-9


@dataclass(frozen=True)
class KinkedPaths:
    """Paths on mu z^2/2 + H(z), H the Huber loss of slope 1 and curvature L - mu, at L = 1.

    ``beta``: the momentum, or None for t/(t + 3).
    """

    rounds: int
    tau: int
    eta: float
    mu: float = 0.0
    beta: float | None = None

    def loss(self, z: Array) -> Array:
        """The loss gap at z."""
        width = 1 / (1 - self.mu)
        size = np.abs(z)
        return np.asarray(
            self.mu * z * z / 2 + np.where(size < width, size * size / (2 * width), size - width / 2)
        )

    def gradient(self, z: Array) -> Array:
        """Its derivative."""
        return np.asarray(self.mu * z + np.clip((1 - self.mu) * z, -1, 1))

    def momentum(self, t: int) -> float:
        """Return the momentum after round t."""
        return t / (t + 3) if self.beta is None else self.beta

    def jumps(self) -> Array:
        """Return a length of the jump for each step that leaves most in the loss for its square, (T tau,).

        At the slope g a jump of 1 ends at R - eta g S, as long as it stays on one side.
        """
        reach, pull = self._linear()
        bend = 1 / (2 * (1 - self.mu))
        return np.asarray(
            2
            * (self.eta * pull + bend - self.mu * (self.eta * pull) ** 2 / 2)
            / (reach * (1 - self.mu * self.eta * pull))
        )

    def start(self) -> float:
        """Return the distance of the start from which most is left in the same way."""
        steps = KinkedPaths(self.rounds, self.tau, self.eta, self.mu, self.beta)
        reach, pull = steps._linear(from_start=True)
        eta_pull, bend = self.eta * float(pull[0]), 1 / (2 * (1 - self.mu))
        return float(
            2 * (eta_pull + bend - self.mu * eta_pull**2 / 2) / (reach[0] * (1 - self.mu * eta_pull))
        )

    def _linear(self, from_start: bool = False) -> tuple[Array, Array]:
        """Return where a jump of 1 ends without a slope, and how far a slope moves it, in units of eta."""
        count = 1 if from_start else self.rounds * self.tau
        keep, ends = 1 - self.eta * self.mu, []
        for slope in (0.0, 1.0):
            x, y = (np.full(count, float(from_start and not slope)) for _ in range(2))
            active = np.full(count, from_start)
            for t in range(self.rounds):
                z = x
                for k in range(self.tau):
                    z = np.where(active, keep * z - slope, z)
                    if not from_start:
                        place = t * self.tau + k
                        z = z.copy()
                        z[place] = 0.0 if slope else 1.0
                        active = active | (np.arange(count) == place)
                x, y = z + self.momentum(t) * (z - y), z
            ends.append(y)
        return ends[0], -ends[1]

    def final_losses(self, lengths: Array) -> Array:
        """Return the loss at y_T of every path from the minimum with a jump of that length in one step."""
        x, y = np.zeros(len(lengths)), np.zeros(len(lengths))
        for t in range(self.rounds):
            z = x
            for k in range(self.tau):
                z = z - self.eta * self.gradient(z)
                z[t * self.tau + k] += lengths[t * self.tau + k]
            x, y = z + self.momentum(t) * (z - y), z
        return self.loss(y)

    def loss_from(self, start: float) -> float:
        """Return the loss at y_T from x_0 = y_0 = ``start`` without noise."""
        x = y = np.array([start])
        for t in range(self.rounds):
            z = x
            for _ in range(self.tau):
                z = z - self.eta * self.gradient(z)
            x, y = z + self.momentum(t) * (z - y), z
        return float(self.loss(y)[0])


def measure_rare_jumps(theorem: Theorem) -> Iterator[Measurement]:
    """Yield the loss gap from rare jumps alone, and from a start on the slope alone."""
    if theorem.algorithm != "accelerated_local_sgd":
        return
    if not theorem.assumes("constant-momentum"):
        for rounds, tau, eta in _CONVEX:
            yield _of_jumps(theorem, KinkedPaths(rounds, tau, eta))
        return
    for rounds, tau, eta, kept in _CURVED:
        mu = -np.expm1(np.log1p(-kept) / tau) / eta
        root = np.sqrt(kept) * _INSIDE
        if mu < 1:
            paths = KinkedPaths(rounds, tau, eta, float(mu), float((1 - root) / (1 + root)))
            yield _of_jumps(theorem, paths)
            yield _of_start(theorem, paths)


def _of_jumps(theorem: Theorem, paths: KinkedPaths) -> Measurement:
    lengths = paths.jumps()
    total = float((1 / lengths**2).sum())
    sigma = np.sqrt(_JUMPS / total) / paths.eta
    gap = float(((paths.eta * sigma / lengths) ** 2 @ paths.final_losses(lengths)))
    return _measurement(theorem, paths, gap, "rare jumps from a kink", sigma=sigma)


def _of_start(theorem: Theorem, paths: KinkedPaths) -> Measurement:
    start = paths.start()
    known = {"distance": start, "gap": float(paths.loss(np.array(start)))}
    return _measurement(theorem, paths, paths.loss_from(start), "the start alone, beside a kink", **known)


def _measurement(theorem: Theorem, paths: KinkedPaths, left: float, said: str, **known: float) -> Measurement:
    rest = {"sigma": 0.0, "distance": 0.0, "gap": 0.0, "L": 1.0, "mu": paths.mu, "m": 1.0}
    rest |= {"eta": paths.eta, "tau": float(paths.tau), "T": float(paths.rounds)}
    rest |= {"beta_s": paths.momentum(1)} | known
    values = {q.name: np.array([rest[q.name]]) for q in theorem.quantities}
    low, high = (np.array([left * (1 + side * _ROUNDING)]) for side in (-1, 1))
    return Measurement(values, low, high, 0.0, {"said": said})
