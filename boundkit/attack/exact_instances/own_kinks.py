r"""Noise drift of infinitely many clients, each with a kink in directions of its own, at a mean loss without.

The model is (z, y_1, ..., y_m), and client i, whose noise is in y_i alone, has the loss

    F_i = mu (z + X)^2/2 + mu |y|^2 + L' phi(z - d, |y_i|),    L' = L - 2 mu,
    phi(u, r) = u |u|/4 - u r/sqrt(2) for |u| <= r sqrt(2), and -sign(u) r^2/2 elsewhere,

where phi is 1-Lipschitz in its gradient, and 0 with its gradient where r = 0: at a model without noise all
clients agree. The mean of L' phi over clients adds at most L' |y|/sqrt(2 m) to the derivative in z and L'
|y|/m to that in y, so that the mean loss is a quadratic, of the PL constant mu, as m grows.

A noise of length sigma is at a right angle to those before: after k steps |y_i| is eta sigma sqrt(k), and the
derivative in z is lower by L' (eta sigma sqrt(k/2) - u/2) for every client, whereas it is mu (z + X) for the
mean loss. For 0 < u = z - d, short beside eta sigma, their sum over the steps increases in z. So the server
stays where it is 0, and the gradient there is the mean of what the others lack. No phi has more than
1/sqrt(2) for the slope in r: where r = 0 it is 0 up to |u| = r.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from boundkit.algebra import Theorem
from boundkit.attack.exact_instances.sampled_moments import measure_inside
from boundkit.attack.measurement import Array, Measurement

_TAUS = (2, 3, 4, 16, 256, 10_000, 1_000_000)
_SHORT, _FLAT = 1e-7, 1e-6
"""eta L tau, and mu/L."""
_BESIDE = 0.01
"""u in units of eta sigma; it changes by less than a hundredth in the local steps."""
_MANY, _ROUNDS, _ERROR = 1e24, 1e20, 1e-4
"""Clients; rounds, few beside them, but long beside the contraction; what is left of the limits."""
_ALGORITHMS = frozenset({"fedavg", "mifa"})


def measure_own_kinks(theorem: Theorem) -> Iterator[Measurement]:
    """Yield the loss gap under the Polyak-Lojasiewicz inequality, where clients need not be convex."""
    if theorem.kind != "upper" or theorem.rules or theorem.algorithm not in _ALGORITHMS:
        return
    if theorem.claim.name != "last loss gap" or not theorem.assumes("polyak-lojasiewicz"):
        return
    if theorem.assumes("convex") or theorem.assumes("no-noise") or theorem.assumes("one-local-step"):
        return
    at = settings()
    said = "noise drift, infinitely many clients with kinks of their own"
    yield from measure_inside(theorem, at, at["gap"], _ERROR, said)


def settings() -> dict[str, Array]:
    """Return the quantities of all instances, (N,) each, at L = sigma = 1."""
    tau = np.array(_TAUS, dtype=float)
    one = np.ones(tau.shape)
    at = {
        "L": one, "sigma": one, "mu_pl": _FLAT * one, "tau": tau, "eta": _SHORT / tau, "eta_s": one,
        "m": _MANY * one, "T": _ROUNDS * one, "share_noise": one / _MANY, "groups": 2 * one, "C": one / 2,
    }  # fmt: skip
    absent = ("sigma_g", "sigma_within", "sigma_between", "sampling_spread", "sampling_slack", "staleness")
    at |= dict.fromkeys(absent, 0 * one)
    gradient = np.array([mean_lack(steps) for steps in _TAUS]) * at["eta"]
    return {**at, "gap": gradient**2 / (2 * at["mu_pl"])}


def mean_lack(tau: int, beside: float = _BESIDE) -> float:
    """Return the mean over tau steps of the gradient that clients lack, in units of L' eta sigma."""
    return float((np.sqrt(np.arange(1, tau) / 2) - beside / 2).sum() / tau)
