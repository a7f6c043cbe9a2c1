"""FedAvg with infinitely many alike clients: what is random at one client is certain at the server.

x_{t+1} = x_t - eta_s eta sum_k E f'(y_k). FedNova with alike clients takes the same steps; local SGD
averages the same models. Where the server rests, sum_k E f'(y_k) is 0 although f' is not: noise drift, and
nothing else.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.optimize import brentq

from boundkit.algebra import BoundkitError
from boundkit.attack.infinite_clients.landscape import Landscape
from boundkit.attack.infinite_clients.laws import Law
from boundkit.simulation.problems.base import Array


@dataclass(frozen=True)
class InfiniteRun:
    """``x``: the server's models, (T + 1,). ``inside``: the clients' means E y_0, ..., E y_tau, (T, tau + 1).

    ``error``: an estimate of the largest error in any of them: that of each mean, as rounds pass it on.
    """

    x: Array
    inside: Array
    error: float


@dataclass(frozen=True)
class Rounds:
    """The rounds of a landscape: a law of noise, a client step and tau of them, and a server step.

    Raises BoundkitError for steps that are not above 0, or fewer than one local step.
    """

    landscape: Landscape
    law: Law
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
        """E y_0, ..., E y_tau of a round from x, (tau + 1,), and an estimate of the error of each."""
        means, error = self.law.mean_gradients(self.landscape, self.eta, self.tau, x)
        return x - self.eta * np.concatenate([[0.0], np.cumsum(means)]), self.eta * self.tau * error

    def pull(self, x: float) -> float:
        """sum_k E f'(y_k) of a round from x: where it is 0, the server rests."""
        return self.law.pull(self.landscape, self.eta, self.tau, x)

    def run(self, x0: float, rounds: int) -> InfiniteRun:
        """So many rounds from x0."""
        x, inside, error = np.array([x0]), [], 0.0
        for _ in range(rounds):
            at, off = self.inside(float(x[-1]))
            onwards = float(x[-1]) + self.eta_s * (at[-1] - at[0])
            error = self._passed_on(float(x[-1]), error) + max(self.eta_s, 1.0) * off
            x = np.append(x, onwards)
            inside.append(at)
        return InfiniteRun(x, np.array(inside), error)

    def _passed_on(self, x: float, error: float) -> float:
        """What a round makes of an error in x: at least all of it, so that rounds do not forgive."""
        if error == 0:
            return 0.0
        apart = 2 * error - self.eta_s * self.eta * (self.pull(x + error) - self.pull(x - error))
        return max(error, abs(apart) / 2)

    def resting_point(self, low: float, high: float) -> tuple[float, float]:
        """A stable rest between low, where the server is sent up, and high, where it is sent down.

        Returns it with an estimate of its error. Raises BoundkitError where there is none: the pull does not
        change its sign, or the server steps so far that it does not stay.
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
    landscape: Landscape, law: Law, *, eta: float, tau: int, x0: float, rounds: int, eta_s: float = 1.0
) -> InfiniteRun:
    """FedAvg with infinitely many alike clients, all in every round.

    >>> from boundkit.attack.infinite_clients import Landscape, TwoPoint, infinite_run
    >>> seen = infinite_run(Landscape.huber(0.1), TwoPoint(1.0), eta=0.25, tau=2, x0=-0.1, rounds=2)
    >>> seen.x.round(6).tolist()  # the second gradient is 0.15 for a half of the clients, -0.1 for the others
    [-0.1, -0.084375, -0.074121]
    """
    return Rounds(landscape, law, eta, tau, eta_s).run(x0, rounds)
