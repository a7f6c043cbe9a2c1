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
from boundkit.attack.infinite_clients.noise import NoiseDistribution
from boundkit.simulation.arrays import Array


@dataclass(frozen=True)
class InfiniteRun:
    """``x``: the server's models, (T + 1,). ``inside``: mean local models, (T, tau + 1).

    ``error``: an estimate of the largest error in any of them, propagated through the rounds.
    """

    x: Array
    inside: Array
    error: float


@dataclass(frozen=True)
class RoundParameters:
    """Rounds on a loss: a noise distribution, tau client steps of eta, and a server step.

    Raises BoundkitError for step sizes that are not positive, or fewer than one local step.
    """

    loss: PiecewiseLoss
    noise: NoiseDistribution
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
        means, error = self.noise.mean_gradients(self.loss, self.eta, self.tau, x)
        return x - self.eta * np.concatenate([[0.0], np.cumsum(means)]), self.eta * self.tau * error

    def gradient_sum(self, x: float) -> float:
        """Return sum_k E f'(y_k) of a round from x; it is 0 at a fixed point."""
        return self.noise.gradient_sum(self.loss, self.eta, self.tau, x)

    def run(self, x0: float, rounds: int) -> InfiniteRun:
        """Simulate ``rounds`` rounds from x0."""
        x, inside, error = np.array([x0]), [], 0.0
        for _ in range(rounds):
            at, local_error = self.inside(float(x[-1]))
            following = float(x[-1]) + self.eta_s * (at[-1] - at[0])
            error = self._propagate_error(float(x[-1]), error) + max(self.eta_s, 1.0) * local_error
            x = np.append(x, following)
            inside.append(at)
        return InfiniteRun(x, np.array(inside), error)

    def _propagate_error(self, x: float, error: float) -> float:
        """Propagate an error in x through a round; it does not decrease."""
        if error == 0:
            return 0.0
        difference = 2 * error - self.eta_s * self.eta * (
            self.gradient_sum(x + error) - self.gradient_sum(x - error)
        )
        return max(error, abs(difference) / 2)

    def fixed_point(self, low: float, high: float) -> tuple[float, float]:
        """Find a stable fixed point between low, where the server moves up, and high, where it moves down.

        Returns it with an estimate of its error. Raises BoundkitError where the pull does not change its
        sign, or the server's step is too large for stability.
        """
        if not self.gradient_sum(low) < 0 < self.gradient_sum(high):
            raise BoundkitError(f"the server does not remain between {low:g} and {high:g}.")
        x = float(brentq(self.gradient_sum, low, high, xtol=1e-14, rtol=1e-14))
        width = 1e-5 * (high - low)
        rise = (self.gradient_sum(x + width) - self.gradient_sum(x - width)) / (2 * width)
        if not 0 < self.eta_s * self.eta * rise < 1:
            raise BoundkitError(f"the server does not stay at {x:g}.")
        local_error = self.tau * self.noise.mean_gradients(self.loss, self.eta, self.tau, x)[1]
        return x, (local_error + abs(self.gradient_sum(x))) / rise + 1e-14 * max(abs(x), 1e-300)


def infinite_run(
    loss: PiecewiseLoss,
    noise: NoiseDistribution,
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
    return RoundParameters(loss, noise, eta, tau, eta_s).run(x0, rounds)
