"""Accelerated local SGD of one client whose noise is a rare jump away from the kink of a loss.

The loss is |z| beside its minimum, where its curvature is L, plus mu z^2/2. A client at the minimum jumps
in a step with a small probability, and has no noise elsewhere; a quadratic of nearly no size in another
coordinate tells it the step, on which the length of the jump depends. So the loss gap after T rounds is a
sum over the steps of the first jump, of which each is followed by a path without noise. After a jump whose
length is right for the rounds that are left, nearly all the error that the jump causes is in the loss at
the end.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from boundkit.algebra import Theorem
from boundkit.attack.measurement import Array, Measurement, measure_known

_ROUNDING, _JUMPS = 1e-6, 1e-9
"""Relative rounding of a sum of paths, and the probability of a jump in any step."""
_TAUS = (1, 2, 4, 8, 16, 32, 64)
_CONVEX = (
    *((rounds, tau, 0.5) for rounds in (1, 2, 3) for tau in _TAUS),
    *((rounds, 1, step) for rounds in (10, 50, 300, 1000) for step in (0.5, 0.05)),
)
"""T, tau and eta L."""
_CURVED = (
    *((1, tau, 0.5, removed) for tau in _TAUS for removed in (0.9, 0.5, 0.1)),
    *((rounds, 1, 0.1, removed) for rounds, removed in ((126, 1e-3), (700, 1e-4))),
    (4000, 1, 0.02, 1e-6),
)
"""T, tau, eta L and q_0, the part of the squared distance that a round on mu z^2/2 removes."""
_STARTS = ((16, 1, 0.1, 1e-3), (50, 1, 0.1, 1e-4))
"""Likewise, from where both parts of the gradient are equal."""
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
        """Return the loss gap at z."""
        width, size = 1 / (1 - self.mu), np.abs(z)
        huber = np.where(size < width, size * size / (2 * width), size - width / 2)
        return np.asarray(self.mu * z * z / 2 + huber)

    def gradient(self, z: Array) -> Array:
        """Return the derivative of the loss at z."""
        return np.asarray(self.mu * z + np.clip((1 - self.mu) * z, -1, 1))

    def momentum(self, t: int) -> float:
        """Return the momentum after round t."""
        return t / (t + 3) if self.beta is None else self.beta

    def lengths(self) -> Array:
        """Return the jump in each step that leaves most in the loss for its square, (T tau,).

        While it stays on one side, a jump of J ends at ``reach`` J - ``pull``, so that the loss at the end
        over J^2 is quadratic in 1/J, but for the kink.
        """
        reach = self._end_points(np.ones(self.rounds * self.tau), 0.0)
        pull = -self._end_points(np.zeros(self.rounds * self.tau), 1.0)
        lost = pull - self.mu * pull * pull / 2 + 1 / (2 * (1 - self.mu))
        return np.asarray(2 * lost / (reach * (1 - self.mu * pull)))

    def final_losses(self, lengths: Array) -> Array:
        """Return the loss at y_T of every path from the minimum with a jump of that length in one step."""
        return self.loss(self._end_points(lengths))

    def _end_points(self, lengths: Array, slope: float | None = None) -> Array:
        """Return y_T of each path; after the jump with a fixed slope beside mu z, where it is given."""
        x, y, jumped = np.zeros(len(lengths)), np.zeros(len(lengths)), np.zeros(len(lengths))
        for t in range(self.rounds):
            z = x
            for k in range(t * self.tau, (t + 1) * self.tau):
                g = self.gradient(z) if slope is None else self.mu * z + slope * jumped
                z = z - self.eta * g
                z[k], jumped[k] = z[k] + lengths[k], 1.0
            x, y = z + self.momentum(t) * (z - y), z
        return y

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
    """Yield the loss gap from rare jumps alone, and that of starts without noise."""
    if theorem.algorithm != "accelerated_local_sgd":
        return
    if not theorem.assumes("constant-momentum"):
        for rounds, tau, eta in _CONVEX:
            yield from _of_jumps(theorem, KinkedPaths(rounds, tau, eta))
        return
    for row in _CURVED:
        paths = _curved_paths(*row)
        if paths.mu < 1:
            yield from _of_jumps(theorem, paths)
    for row in _STARTS:
        paths = _curved_paths(*row)
        start = 1 / paths.mu
        known = {"distance": start, "gap": float(paths.loss(np.array(start)))}
        said = "the start alone, on the slope beside a kink"
        yield from _measure(theorem, paths, paths.loss_from(start), said, known)


def _curved_paths(rounds: int, tau: int, eta: float, removed: float) -> KinkedPaths:
    root = np.sqrt(removed) * _INSIDE
    mu = float(-np.expm1(np.log1p(-removed) / tau) / eta)
    return KinkedPaths(rounds, tau, eta, mu, float((1 - root) / (1 + root)))


def _of_jumps(theorem: Theorem, paths: KinkedPaths) -> Iterator[Measurement]:
    lengths = paths.lengths()
    sigma = float(np.sqrt(_JUMPS / (lengths**-2.0).sum()) / paths.eta)
    gap = float((paths.eta * sigma / lengths) ** 2 @ paths.final_losses(lengths))
    yield from _measure(theorem, paths, gap, "rare jumps from a kink", {"sigma": sigma})


def _measure(
    theorem: Theorem, paths: KinkedPaths, left: float, said: str, known: dict[str, float]
) -> Iterator[Measurement]:
    rest = {"sigma": 0.0, "distance": 0.0, "gap": 0.0, "L": 1.0, "mu": paths.mu, "m": 1.0}
    rest |= {"eta": paths.eta, "tau": float(paths.tau), "T": float(paths.rounds)}
    rest |= {"beta_s": paths.momentum(1)} | known
    yield from measure_known(theorem, rest, left, _ROUNDING, said)
