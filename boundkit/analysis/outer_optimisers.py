r"""Outer optimisers on quadratics: momentum at the server, exactly.

With u_t the mean of x_t - y_i over the participating clients after tau local steps (the pseudo-gradient),

    b_t = beta b_{t-1} + u_t,   x_{t+1} = x_t - eta_s (n u_t + k b_t),   k = 1 - n (1 - beta),   b_{-1} = 0:

heavy ball for n = 0, Nesterov's method for n = 1; every formula holds for n in [0, 1]. The past
pseudo-gradients weigh 1/(1 - beta) in total, so that eta_hat = eta_s/(1 - beta) is the step of slow
directions. On quadratics with a common Hessian, a round takes away q = 1 - (1 - eta lambda)^tau along an
eigenvalue lambda, and with a = eta_s q the mean error and p = eta_s E b follow

    (r, p) <- [[1 - a (1 + n beta), -k beta], [a, beta]] (r, p).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import sqrt
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.linalg import solve_sylvester
from sympy import Abs, Expr, Piecewise, symbols
from sympy import sqrt as symbolic_root

from boundkit.algebra import BoundkitError
from boundkit.algebra.errors import unknown
from boundkit.algebra.notation import beta_s, eta_s, nesterov, tau

Array = NDArray[Any]


@dataclass(frozen=True)
class OuterOptimiser:
    """The server's optimiser: its step, its momentum, and ``nesterov``, 0 for heavy ball."""

    eta_s: float = 1.0
    beta: float = 0.0
    nesterov: float = 0.0

    def __post_init__(self) -> None:
        if not (self.eta_s > 0 and 0 <= self.beta < 1 and 0 <= self.nesterov <= 1):
            raise BoundkitError(
                "an outer optimiser needs eta_s above 0, beta_s in [0, 1) and nesterov in [0, 1], but they "
                "are "
                f"{self.eta_s:g}, {self.beta:g} and {self.nesterov:g}."
            )

    @property
    def gamma(self) -> float:
        """beta k: beta for heavy ball, beta^2 for Nesterov's method."""
        return self.beta * (1 - self.nesterov * (1 - self.beta))

    @property
    def noise_factor(self) -> float:
        """N = 1 + gamma/(1 + beta), at most 3/2."""
        return 1 + self.gamma / (1 + self.beta)

    @property
    def largest(self) -> float:
        """The mean converges if and only if 0 < eta_s q is below this: 2 (1 + beta)/(1 + 2 n beta)."""
        return float(_largest(self.nesterov, self.beta))

    @property
    def largest_late(self) -> float:
        """The same where the outer step of a round takes the pseudo-gradient of the round before."""
        square, linear = (self.nesterov * self.beta) ** 2, 1 - self.nesterov * self.beta**2
        if not square:
            return 1 - self.beta
        return (sqrt(linear**2 + 4 * square * (1 - self.beta)) - linear) / (2 * square)

    def contraction(self, q: ArrayLike) -> Array:
        """The spectral radius of a round."""
        a, n, beta = self.eta_s * np.asarray(q, dtype=float), self.nesterov, self.beta
        trace, determinant = _trace_and_determinant(a, n, beta)
        root = trace**2 - 4 * determinant
        real = (np.abs(trace) + np.sqrt(np.maximum(root, 0))) / 2
        return np.asarray(np.where(root >= 0, real, np.sqrt(np.maximum(determinant, 0))))

    def contraction_late(self, q: ArrayLike) -> Array:
        """The spectral radius of a round where its outer step takes the pseudo-gradient of the one before."""
        n, beta = self.nesterov, self.beta
        a = self.eta_s * np.ravel(np.asarray(q, dtype=float))
        # companion matrices of rho (rho - 1)(rho - beta) + a ((1 + n beta) rho - n beta)
        companion = np.zeros((len(a), 3, 3))
        companion[:, 1, 0] = companion[:, 2, 1] = 1.0
        companion[:, 0] = np.stack([np.full_like(a, 1 + beta), -beta - a * (1 + n * beta), a * n * beta], 1)
        radius = np.abs(np.linalg.eigvals(companion)).max(axis=1)
        return np.asarray(radius.reshape(np.shape(q)))

    def gain(self, q: ArrayLike) -> Array:
        """Var x / z in the stationary state, z the variance of u given x; infinite where it is unstable."""
        a, n, beta = self.eta_s * np.asarray(q, dtype=float), self.nesterov, self.beta
        top, bottom = _gain(a, n, beta)
        stable = (a > 0) & (a < self.largest)
        return self.eta_s**2 * np.where(stable, top / np.where(stable, bottom, 1.0), np.inf)

    def amplification(self, q: ArrayLike) -> Array:
        """The stationary variance as a multiple of that of FedAvg with eta_s = 1: gain q (2 - q)."""
        q = np.asarray(q, dtype=float)
        return np.asarray(self.gain(q) * q * (2 - q))

    def sampled_variance(self, q: float, spread: float, z: float) -> float:
        """The stationary variance in one dimension where curvatures differ between sampled clients.

        ``q``: the mean of q_i; ``spread``: the variance of their mean over the participating clients;
        ``z``: the variance of u at the fixed point. Infinite where the second moment does not converge.
        """
        gain = float(self.gain(q))
        return gain * z / (1 - gain * spread) if gain * spread < 1 else float("inf")

    def largest_sampled(self, q: float, spread: float) -> float:
        """The largest step with a bounded second moment under sampling, the arguments as above."""
        n, beta = self.nesterov, self.beta
        A, B = 1 - beta, n * beta * q
        D, E = 2 * (1 + beta), (1 + 2 * n * beta) * q
        top, more = 1 + beta, (n * beta + 2 * n**2 * beta**2) * q
        # eta_s spread (top + more eta_s) = q (A + B eta_s)(D - E eta_s)
        square, linear, constant = spread * more + q * B * E, spread * top + q * (A * E - B * D), -q * A * D
        if not square:
            return -constant / linear
        return (-linear + sqrt(linear**2 - 4 * square * constant)) / (2 * square)


def _trace_and_determinant(a: Any, n: Any, beta: Any) -> tuple[Any, Any]:
    """Of the matrix of a round; numbers, arrays or symbols, as in the two functions below."""
    return 1 + beta - a * (1 + n * beta), beta * (1 - n * a)


def _largest(n: Any, beta: Any) -> Any:
    return 2 * (1 + beta) / (1 + 2 * n * beta)


def _gain(a: Any, n: Any, beta: Any) -> tuple[Any, Any]:
    """Numerator and denominator of Var x / (eta_s^2 z)."""
    top = 1 + beta + n * beta * a + 2 * n**2 * beta**2 * a
    return top, a * (1 - beta + n * beta * a) * (2 * (1 + beta) - a * (1 + 2 * n * beta))


def closed_forms() -> dict[str, Expr]:
    """Formulas of a round by name, in eta_s, beta_s, nesterov and the decay q: for interactive pages.

    ``decay`` is that of curvature = eta lambda, at most 1, and tau. ``residual`` and ``buffer`` are r and p
    after a round. ``amplification`` holds below ``largest``; the best steps, of Nesterov's method and of
    heavy ball, are for decays between slowest and q.
    """
    q, curvature, slowest, r, p = symbols("q curvature slowest residual buffer", positive=True)
    a, n, beta = eta_s * q, nesterov, beta_s
    trace, determinant = _trace_and_determinant(a, n, beta)
    root = trace**2 - 4 * determinant
    top, bottom = _gain(a, n, beta)
    forms = {
        "decay": 1 - (1 - curvature) ** tau,
        "contraction": Piecewise(
            ((Abs(trace) + symbolic_root(root)) / 2, root >= 0), (symbolic_root(determinant), True)
        ),
        "largest": _largest(n, beta) / q,
        "amplification": eta_s**2 * top / bottom * q * (2 - q),
        "residual": (1 - a * (1 + n * beta)) * r - (1 - n * (1 - beta)) * beta * p,
        "buffer": a * r + beta * p,
    }
    for method in ("nesterov", "heavy_ball"):
        step, momentum, _ = _BEST[method](slowest, q)
        forms |= {f"{method}_step": step, f"{method}_momentum": momentum}
    return forms


def decay(eta: ArrayLike, curvature: ArrayLike, tau: ArrayLike) -> Array:
    """q = 1 - (1 - eta lambda)^tau, accurate for small eta lambda."""
    x, tau = np.asarray(eta, dtype=float) * np.asarray(curvature, dtype=float), np.asarray(tau)
    with np.errstate(divide="ignore", invalid="ignore"):
        small = -np.expm1(tau * np.log1p(-np.minimum(x, 1.0)))
    return np.asarray(np.where(x < 1, small, 1 - np.where(x < 1, 0.0, 1 - x) ** tau))


def best_outer_optimiser(
    smallest: float, largest: float, method: str = "nesterov"
) -> tuple[OuterOptimiser, float]:
    """The fastest outer optimiser for q between these two, and its contraction factor.

    ``method``: plain (no momentum), heavy_ball or nesterov.
    """
    if method not in METHODS:
        raise unknown("method", method, METHODS)
    if not 0 < smallest <= largest:
        raise BoundkitError(f"q must be above 0, in increasing order, but it is {smallest:g} to {largest:g}.")
    step, momentum, factor = map(float, _BEST[method](float(smallest), float(largest)))
    return OuterOptimiser(step, momentum, float(method == "nesterov")), factor


def _plain(smallest: Any, largest: Any) -> tuple[Any, Any, Any]:
    return 2 / (largest + smallest), 0, (largest - smallest) / (largest + smallest)


def _heavy_ball(smallest: Any, largest: Any) -> tuple[Any, Any, Any]:
    kappa = largest / smallest
    factor = (kappa**0.5 - 1) / (kappa**0.5 + 1)
    return 4 / (largest**0.5 + smallest**0.5) ** 2, factor**2, factor


def _nesterov(smallest: Any, largest: Any) -> tuple[Any, Any, Any]:
    s = (3 * largest / smallest + 1) ** 0.5
    return 4 / (3 * largest + smallest), (s - 2) / (s + 2), 1 - 2 / s


_BEST: dict[str, Callable[[Any, Any], tuple[Any, Any, Any]]] = {
    "plain": _plain, "heavy_ball": _heavy_ball, "nesterov": _nesterov,
}  # fmt: skip
"""Step, momentum and contraction of the fastest optimiser for decays from the smallest to the largest."""
METHODS = tuple(_BEST)


def round_noise(
    eta: float, curvature: ArrayLike, tau: int, variance: float, m: int, C: float = 1.0, spread: float = 0.0
) -> Array:
    """z: the variance of u given x along an eigenvalue, with C m of m clients without replacement.

    ``variance``: of the gradient noise of a client along it; ``spread``: of the clients' minimisers.
    """
    h = np.asarray(curvature, dtype=float)
    q = decay(eta, h, tau)
    steps = eta * variance / (C * m * h) * q * (2 - q) / (2 - eta * h)
    return np.asarray(steps + q**2 * ((1 - C) / (C * (m - 1)) if m > 1 else 0.0) * spread)


def limit_expansion(H: ArrayLike, e: ArrayLike, tau: int) -> tuple[Array, Array]:
    """b1 and b2 of FedAvg's fixed point x* + eta b1 + eta^2 b2 + O(eta^3); no outer optimiser moves it.

    ``H`` (m, d, d) and ``e`` (m, d): the clients' Hessians and minimisers, of equal weight.
    """
    H, e = np.asarray(H, dtype=float), np.asarray(e, dtype=float)
    mean = H.mean(axis=0)
    optimum = np.linalg.solve(mean, (H @ e[..., None])[..., 0].mean(axis=0))
    g = (H @ (optimum - e)[..., None])[..., 0]
    first, second = (tau - 1) / 2, (tau - 1) * (tau - 2) / 6
    b1 = np.linalg.solve(mean, first * (H @ g[..., None])[..., 0].mean(axis=0))
    squares = H @ H
    cubes = (squares @ g[..., None])[..., 0].mean(axis=0)
    return b1, np.linalg.solve(mean, first * squares.mean(axis=0) @ b1 - second * cubes)


def stationary_covariance(H: ArrayLike, noise: ArrayLike, m: int, step: float) -> Array:
    """The stationary covariance of x to first order in eta, all clients participating.

    S with Hbar S + S Hbar = step/m noise: ``H`` (d, d) the mean Hessian, ``noise`` (d, d) the mean covariance
    of a gradient, ``step`` = eta_hat eta. It does not depend on tau.
    """
    return np.asarray(solve_sylvester(np.asarray(H), np.asarray(H), step / m * np.asarray(noise)))


def noise_bias(H: ArrayLike, third: ArrayLike, covariance: ArrayLike) -> Array:
    """-(1/2) Hbar^{-1} D^3F[S]: the part of E x - x* that noise causes, to first order, beyond quadratics.

    ``third`` (d, d, d): the third derivatives of F at x*. By a formal expansion, without a bound on its
    remainder. Beside it stands eta b1 of ``limit_expansion``, which no outer optimiser changes.
    """
    moved = np.einsum("ijk,jk->i", np.asarray(third, dtype=float), np.asarray(covariance, dtype=float))
    return np.asarray(-np.linalg.solve(np.asarray(H, dtype=float), moved) / 2)


def best_local_steps(
    step_time: float, delay: float, distance: float, eta: float, eta_s: float, m: int, sigma: float, L: float,
    target: float,
) -> tuple[float, Callable[[float], float]]:  # fmt: skip
    """The tau that reaches a target soonest by the bound fedavgm_convex_homogeneous, and time against tau.

    For given steps and tau steps of ``step_time`` before each exchange of ``delay``, without momentum; with
    momentum take eta_hat for eta_s. Not rounded to a whole number. The time is infinite where the noise
    alone is above the target.
    """
    start, drift = distance**2 / (2 * eta_s * eta), (1 - 1 / m) * L * eta**2 * sigma**2 / 8
    room = target - max(1.0, eta_s) * eta * sigma**2 / (2 * m) + drift

    def time(tau: float) -> float:
        left = room - drift * tau
        return start * (step_time + delay / tau) / left if left > 0 else float("inf")

    if room <= drift:
        raise BoundkitError("the target is below the noise of these step sizes; take a smaller eta.")
    if not drift:
        return float("inf"), time
    return (sqrt(delay**2 + step_time * delay * room / drift) - delay) / step_time, time


@dataclass(frozen=True)
class Convention:
    """How a framework writes the server's momentum: buffer, step, and what they are here.

    ``eta_s``: a function of its learning rate and momentum. ``note``: when the two differ.
    """

    buffer: str
    step: str
    eta_s: Callable[[float, float], float]
    note: str = ""


def _same(rate: float, momentum: float) -> float:
    return rate


_UNDAMPED, _HEAVY = "v <- momentum v + u", "x <- x - lr v, or x - lr (u + momentum v) with Nesterov"
CONVENTIONS: dict[str, Convention] = {
    "torch": Convention(
        _UNDAMPED + ", first v = u",
        _HEAVY,
        _same,
        "dampening leaves the first u undamped: a transient of momentum^t u_0",
    ),
    "optax": Convention(_UNDAMPED, _HEAVY, _same),
    "tff": Convention(_UNDAMPED, _HEAVY, _same),
    "flower": Convention(_UNDAMPED + ", first v = u", "x <- x - lr v", _same, "no Nesterov"),
    "keras": Convention(
        "v <- momentum v - lr u",
        "x <- x + v, or x + momentum v - lr u with Nesterov",
        _same,
        "the rate is inside the buffer: another algorithm where it changes over time",
    ),
    "average": Convention(
        "v <- momentum v + (1 - momentum) u",
        "x <- x - lr v",
        lambda rate, momentum: rate * (1 - momentum),
        "lr is eta_hat, the step of slow directions",
    ),
    "slowmo": Convention(
        "v <- momentum v + u/eta",
        "x <- x - lr eta v",
        _same,
        "another algorithm where the inner rate eta changes over time",
    ),
}


def from_convention(
    framework: str, rate: float, momentum: float = 0.0, nesterov: bool = False
) -> OuterOptimiser:
    """The outer optimiser that a framework's learning rate and momentum give."""
    if framework not in CONVENTIONS:
        raise unknown("convention", framework, CONVENTIONS)
    if nesterov and "Nesterov" not in CONVENTIONS[framework].step:
        raise BoundkitError(f"the convention {framework} has no Nesterov's method.")
    return OuterOptimiser(CONVENTIONS[framework].eta_s(rate, momentum), momentum, float(nesterov))
