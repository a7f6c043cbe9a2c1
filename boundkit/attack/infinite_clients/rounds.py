"""FedAvg with infinitely many homogeneous clients, where the server's step is deterministic.

x_{t+1} = x_t - eta_s eta sum_k E f'(y_k). FedNova with homogeneous clients takes the same steps; local SGD
averages the same models. At a fixed point sum_k E f'(y_k) is 0 although f' is not: noise drift alone.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.optimize import brentq

from boundkit.algebra import BoundkitError
from boundkit.attack.infinite_clients.loss import PiecewiseLoss
from boundkit.attack.infinite_clients.noise import NoiseLaw
from boundkit.simulation.problems.base import Array


@dataclass(frozen=True)
class InfiniteRun:
    """``x``: the server's models, (T + 1,). ``inside``: mean local models, (T, tau + 1).

    ``error``: an estimate of the largest error in any of them, propagated through the rounds.
    """

    x: Array
    inside: Array
    error: float


@dataclass(frozen=True)
class Rounds:
    """Rounds on a loss: a noise distribution, tau client steps of eta, and a server step.

    Raises BoundkitError for step sizes that are not positive, or fewer than one local step.
    """

    landscape: PiecewiseLoss
    law: NoiseLaw
    eta: float
    tau: int
    eta_s: float = 1.0

    def __post_init__(self) -> None:
        if not (self.eta > 0 and self.eta_s > 0 and np.isfinite(self.eta * self.eta_s)):
            raise BoundkitError(
                f"eta and eta_s must be above 0, but they are {self.eta:g} and {self.eta_s:g}."
            )
        if self.tau < 1:
            raise BoundkitError(f"tau must be at least 1, but it is {self.tau}.")

    def inside(self, x: float) -> tuple[Array, float]:
        """Return E y_0, ..., E y_tau of a round from x, (tau + 1,), and an estimate of the error of each."""
        means, error = self.law.mean_gradients(self.landscape, self.eta, self.tau, x)
        return x - self.eta * np.concatenate([[0.0], np.cumsum(means)]), self.eta * self.tau * error

    def pull(self, x: float) -> float:
        """Return sum_k E f'(y_k) of a round from x; it is 0 at a fixed point."""
        return self.law.pull(self.landscape, self.eta, self.tau, x)

    def run(self, x0: float, rounds: int) -> InfiniteRun:
        """Simulate ``rounds`` rounds from x0."""
        x, inside, error = np.array([x0]), [], 0.0
        for _ in range(rounds):
            at, off = self.inside(float(x[-1]))
            onwards = float(x[-1]) + self.eta_s * (at[-1] - at[0])
            error = self._passed_on(float(x[-1]), error) + max(self.eta_s, 1.0) * off
            x = np.append(x, onwards)
            inside.append(at)
        return InfiniteRun(x, np.array(inside), error)

    def _passed_on(self, x: float, error: float) -> float:
        """Propagate an error in x through a round; it does not decrease."""
        if error == 0:
            return 0.0
        apart = 2 * error - self.eta_s * self.eta * (self.pull(x + error) - self.pull(x - error))
        return max(error, abs(apart) / 2)

    def resting_point(self, low: float, high: float) -> tuple[float, float]:
        """Find a stable fixed point between low, where the server moves up, and high, where it moves down.

        Returns it with an estimate of its error. Raises BoundkitError where the pull does not change its
        sign, or the
        server's step is too large for stability.
        """
        if not self.pull(low) < 0 < self.pull(high):
            raise BoundkitError(f"the server is not held between {low:g} and {high:g}.")
        x = float(brentq(self.pull, low, high, xtol=1e-14, rtol=1e-14))
        width = 1e-5 * (high - low)
        rise = (self.pull(x + width) - self.pull(x - width)) / (2 * width)
        if not 0 < self.eta_s * self.eta * rise < 1:
            raise BoundkitError(f"the server does not stay at {x:g}.")
        off = self.tau * self.law.mean_gradients(self.landscape, self.eta, self.tau, x)[1]
        return x, (off + abs(self.pull(x))) / rise + 1e-14 * max(abs(x), 1e-300)


def infinite_run(
    landscape: PiecewiseLoss,
    law: NoiseLaw,
    *,
    eta: float,
    tau: int,
    x0: float,
    rounds: int,
    eta_s: float = 1.0,
) -> InfiniteRun:
    """Run FedAvg with infinitely many homogeneous clients and full participation.

    >>> from boundkit.attack.infinite_clients import PiecewiseLoss, TwoPoint, infinite_run
    >>> run = infinite_run(PiecewiseLoss.huber(0.1), TwoPoint(1.0), eta=0.25, tau=2, x0=-0.1, rounds=2)
    >>> run.x.round(6).tolist()  # the second gradient is 0.15 for half of the clients, -0.1 for the others
    [-0.1, -0.084375, -0.074121]
    """
    return Rounds(landscape, law, eta, tau, eta_s).run(x0, rounds)
