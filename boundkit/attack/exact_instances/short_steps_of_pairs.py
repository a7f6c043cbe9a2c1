r"""FedAWE on two clients in the limit of short steps and many rounds, where step sizes may depend on these.

Each client is available with the probability q, independently, and s is the step of a round. The offsets v_i
of the stored models from the mean z of the auxiliary ones are of the order of s, in noise and gradients, so
that z moves as by gradient descent on the mean loss. Of each cause alone:

- **Initial gap.** On L x^2/2 the sum of the squared gradients is gap/s.
- **Noise.** A participant repeats its noise k_i times, E k_i^2 = (2 - q)/q^2, so that the squared gradient is
  s L V (2 - q)/(2 q m), V the variance of the noise of a direction.
- **Dissimilarity.** Two clients of curvatures 1 and -1 + 2 h have gradients of -1 and 1 at the optimum. n
  rounds after both participated, the last k_i - 1 of them without client i, v_i = -s a_i (n - k_i + 1), of a
  mean of s (1 - q)/q^2 in size. Together they change the mean gradient by 1 - h times that, and z rests where
  its own gradient is as large.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

import numpy as np

from boundkit.algebra import Theorem
from boundkit.attack.exact_instances.sampled_moments import by_rules, measure_inside
from boundkit.attack.measurement import Array, Measurement

_AVAILABLE, _TAUS, _MANY_STEPS = (1 - 1e-4, 0.5, 0.1, 0.03, 1e-2, 1e-3), (1.0, 4096.0), 1e16
"""The server's step is as large as tau, or its root: after many steps s is long beside eta tau, and so beside
the client drift."""
_ROUNDS, _LENGTH, _FLAT = 1e60, 1e-25, 1e-4
"""T; s L, where no rule gives it; and h, the curvature of the mean loss."""
_MEASURED = ("mean_model_gradient_norm_squared", "auxiliary_gradient_norm_squared")
_ERROR = 1e-6


def measure_short_steps_of_pairs(theorem: Theorem) -> Iterator[Measurement]:
    """Yield the squared gradient with one cause of error alone."""
    if theorem.algorithm != "fedawe" or theorem.kind != "upper" or theorem.claim.observable not in _MEASURED:
        return
    for cause in ("initial gap", "noise", "dissimilarity"):
        at = by_rules(theorem, settings(cause))
        said = f"{cause} alone, of two clients in the limit of short steps"
        yield from measure_inside(theorem, at, squared_gradient(at, cause, _FLAT), _ERROR, said)


def settings(cause: str) -> dict[str, Array]:
    """Return the quantities of all instances with a cause, (N,) each, at L = 1."""
    apart = cause == "dissimilarity"
    q, tau = np.array(list(product(_AVAILABLE, (_MANY_STEPS,) if apart else _TAUS))).T
    one = np.ones(q.shape)
    squares = (1 + (2 * _FLAT - 1) ** 2) / 2  # mean (h_i x - a_i)^2 = squares x^2 - 2 (1 - h) x + 1
    return {
        "m": 2 * one, "T": _ROUNDS * one, "tau": tau, "eta": _LENGTH / tau**2, "eta_s": tau,
        "availability": q, "availability_max": q, "mixing": 1 - q**2, "L": one,
        "sigma": one * (cause == "noise"), "gap": one * (cause == "initial gap"),
        "beta": one * (np.sqrt(2 * squares) / _FLAT if apart else 1.0),
        "kappa": one * (np.sqrt(1 + (1 - _FLAT) ** 2 / squares) if apart else 0.0),
    }  # fmt: skip


def squared_gradient(at: dict[str, Array], cause: str, h: float) -> Array:
    """Return the mean squared gradient over the rounds; ``h``: the curvature of the mean of unlike losses."""
    s, q = at["eta_s"] * at["eta"] * at["tau"], at["availability"]
    if cause == "initial gap":
        return np.asarray(at["gap"] / (s * at["T"]))
    if cause == "noise":
        return np.asarray(s * at["sigma"] ** 2 / at["tau"] * (2 - q) / (2 * q * at["m"]))
    return np.asarray(((1 - h) * s * (1 - q) / q**2) ** 2)
