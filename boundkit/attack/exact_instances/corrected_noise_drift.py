r"""Noise drift of corrected local steps: infinitely many homogeneous clients at a fixed point of the server.

A client's steps are corrected by the mean c of all controls, 0 at a fixed point, less its own control c_i,
the mean of the stochastic gradients of its last round. Noise of that round so moves it in every step of the
next one, besides fresh noise, and more than FedAvg's clients. Stochastic gradients are +-sigma here, up with
the probability (1 + f'(y)/sigma)/2: their mean is f'(y), their variance at most sigma^2, and a client's place
follows from the numbers of its ups in the last round and in this one. The last round's number is a Markov
chain.

f'(y) is top - |y| up to a place out of reach, or top + y above 0 and top + mu y below for convex losses. The
server starts at x just below 0, and ``top`` is such that the mean gradient of the clients' steps is 0 in the
stationary distribution of that chain: the server stays there for ever, although f'(x) is not 0. With first
controls of 0 it moves away and comes back, which is computed for each instance. Terms over m and over T
vanish; of convex losses the server's step is so long that the local ones are short.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from scipy.optimize import brentq

from boundkit.algebra import BoundkitError, Theorem
from boundkit.attack.exact_instances.sampled_moments import measure_inside
from boundkit.attack.infinite_clients.evidence import values_of
from boundkit.attack.infinite_clients.instances import DriftInstance
from boundkit.attack.infinite_clients.loss import PiecewiseLoss
from boundkit.attack.infinite_clients.noise import TwoPoint
from boundkit.attack.infinite_clients.rounds import RoundParameters
from boundkit.attack.measurement import Array, Measurement
from boundkit.proofs.rounds import CORRECTED

_TAUS = (2, 3, 5, 16)
_STEPS, _LENGTH, _LONG, _MU, _FOREVER = 2, 0.012, 1e9, 0.02, 1e60
"""Of convex losses: tau, eta_s eta tau, eta_s, mu, and the numbers of clients and rounds."""
_BESIDE, _REACH = 0.03, 4.0
"""Distance of the server from the top of the ridge in units of eta sigma; and to where the gradient rises, in
units of the longest way of a client."""
_ROUNDS, _CONVEX_ROUNDS, _BACK = 5000, 2000, 1e-6
"""Rounds after which the server must be back, and how near, in units of eta sigma."""


def measure_corrected_noise_drift(theorem: Theorem) -> Iterator[Measurement]:
    """Yield the squared gradient at the fixed point for some numbers of local steps and step sizes."""
    if theorem.kind != "upper" or theorem.algorithm not in CORRECTED:
        return
    claim = (theorem.claim.observable, theorem.claim.summary)
    if claim in (("loss_gap", "average"), ("distance_squared", "last")):
        yield from _of_convex_losses(theorem)
    if claim != ("gradient_norm_squared", "average") or theorem.assumes("convex"):
        return
    for tau in _TAUS:
        try:
            eta, eta_s = DriftInstance("two-point", tau, 1.0, _BESIDE).steps(theorem)
        except BoundkitError:
            continue
        rounds = CorrectedRounds(eta, tau)
        top, x = rounds.top(), rounds.x
        if abs(rounds.after(_ROUNDS, top, eta_s) - x) > _BACK * eta:
            continue
        loss = PiecewiseLoss.ridge(top, _REACH * eta * tau)
        names = values_of(RoundParameters(loss, TwoPoint(1.0), eta, tau, eta_s), x)
        names |= dict.fromkeys(("control_error", "correction_error"), 1.0 + abs(top))
        if not {q.name for q in theorem.quantities} <= set(names):
            return
        values = {q.name: np.array([float(names[q.name])]) for q in theorem.quantities}
        error = 2 * _BACK * eta
        low, high = (max(top + x + sign * error, 0.0) ** 2 for sign in (-1, 1))
        said = f"noise drift of corrected steps, infinitely many clients, {tau} local steps"
        yield Measurement(values, np.array([low]), np.array([high]), 0.0, {"said": said})


def _of_convex_losses(theorem: Theorem) -> Iterator[Measurement]:
    """Yield the loss gap or the squared distance at the fixed point, for a long server step."""
    mu = _MU if theorem.assumes("strongly-convex") else 0.0
    eta = _LENGTH / (_LONG * _STEPS)
    rounds = CorrectedRounds(eta, _STEPS, mu, 1.0)
    top, x = rounds.top(), rounds.x
    if abs(rounds.after(_CONVEX_ROUNDS, top, _LONG) - x) > _BACK * eta:
        return
    gap, distance = top**2 / 2 + top * x + mu * x**2 / 2, -top - x
    known = {
        "L": 1.0, "mu": mu, "sigma": 1.0, "C": 1.0, "m": _FOREVER, "T": _FOREVER, "tau": float(_STEPS),
        "eta": eta, "eta_s": _LONG, "gap": gap, "distance": distance, "control_error_star": 0.0,
    }  # fmt: skip
    at = {name: np.array([value]) for name, value in known.items()}
    measured = np.array([gap if theorem.claim.observable == "loss_gap" else distance**2])
    said = f"noise drift of corrected steps, infinitely many convex clients, {_STEPS} local steps"
    yield from measure_inside(theorem, at, measured, 100 * _BACK, said)


@dataclass(frozen=True)
class CorrectedRounds:
    """Rounds of tau corrected steps of eta, with stochastic gradients of +-1.

    f' is top at 0, with the slope ``left`` below and ``right`` above.
    """

    eta: float
    tau: int
    left: float = 1.0
    right: float = -1.0

    @property
    def x(self) -> float:
        """The server's model."""
        return -_BESIDE * self.eta

    def top(self) -> float:
        """Return f'(0), at which the server stays."""
        farthest = 2 * self.eta * self.tau
        return float(brentq(self.mean_gradient, -farthest, farthest, xtol=1e-15 * self.eta, rtol=1e-14))

    def mean_gradient(self, top: float) -> float:
        """Return the mean gradient of a round's steps, in the stationary distribution of the controls."""
        passed, sums = self.round_of(top, self.x, self.controls)
        return float(stationary(passed) @ sums) / self.tau

    @property
    def controls(self) -> Array:
        """The controls by the number of ups in the last round."""
        return (2 * np.arange(self.tau + 1.0) - self.tau) / self.tau

    def after(self, rounds: int, top: float, eta_s: float) -> float:
        """Return the server's model after some rounds from x and controls of 0."""
        first, sums = self.round_of(top, self.x, np.zeros(1))
        weights, x = first[0], self.x - eta_s * self.eta * float(sums[0])
        for _ in range(rounds):
            passed, sums = self.round_of(top, x, self.controls - float(weights @ self.controls))
            x -= eta_s * self.eta * float(weights @ sums)
            weights = weights @ passed
        return x

    def round_of(self, top: float, x: float, controls: Array) -> tuple[Array, Array]:
        """Return the probabilities of the numbers of ups and the mean sums of f', by a client's control."""
        tau, eta = self.tau, self.eta
        shares, sums = np.ones((len(controls), 1)), np.zeros(len(controls))
        for k in range(tau):
            ups = 2 * np.arange(k + 1.0) - k
            places = x - eta * ups + eta * k * controls[:, None]
            gradients = top + np.where(places < 0, self.left, self.right) * places
            sums = sums + (shares * gradients).sum(axis=1)
            rising = shares * (1 + gradients) / 2
            shares = np.pad(shares - rising, ((0, 0), (0, 1))) + np.pad(rising, ((0, 0), (1, 0)))
        return shares, sums


def stationary(passed: Array) -> Array:
    """Return the stationary distribution of a Markov chain."""
    size = len(passed)
    matrix = np.vstack([passed.T - np.eye(size), np.ones(size)])
    return np.asarray(np.linalg.lstsq(matrix, np.append(np.zeros(size), 1.0), rcond=None)[0])
