r"""FedAWE without noise on infinitely many clients of two kinds: the initial gap, and clients by turns.

**Initial gap.** The kinds have two curvatures and one minimiser.

Each is available with the probability q, independently. In the limit of infinitely many clients the mean of
the participants is no random variable: a client whose last round was k rounds ago has the model A_(t-k), k is
independent of its curvature, and with s the step of a round and a the mean of the curvatures of the clients'
rounds

    A_t = U - s a K,    U = E A_(t-k),    K = E k A_(t-k).

U, K and the variance of the models follow recursions. Curvatures of opposite sign nearly cancel in long
local steps, and then the gap lasts. Instances beyond the conditions of a theorem are for relaxed ones.

**By turns.** The kinds have the curvature 1 and the gradients 1 and -1 at the optimum. One is available in
every round and the other with the probability q, for a time that is long beside 1/q and short beside 1/s;
then they change places. The mean of the auxiliary models stays at the optimum, and the rare kind misses
(1 - q)/q of their gradient in the mean: the mean of all models is at s (1 - q)/(2 q) on one side or the
other, however many clients there are.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import product

import numpy as np

from boundkit.algebra import Theorem
from boundkit.attack.exact_instances.sampled_moments import average_factor, by_rules, measure_inside
from boundkit.attack.measurement import Array, Measurement, measure_known

_AVAILABLE = (1 - 1e-10, 1 - 1e-4, 0.99, 0.9, 0.5, 0.1)
_CURVATURES = ((1.0, 1.0), (1.0, -0.5), (1.0, -0.8), (1.0, -0.95))
_LOCAL, _TAU = (10.0, 1.0, 0.01), 4096.0
"""eta L tau in units of 1/(8 beta)."""
_LENGTHS = (1.0, 0.5, 0.1, 0.02)
"""s L in units of (1 - sqrt(mixing))/beta^2."""
_ROUNDS = (2, 64, 2048, 16384)
_MANY, _INSIDE, _ERROR = 1e60, 1 - 1e-9, 1e-9
_BY_TURNS, _FOREVER, _SHORT, _LIMIT = (0.9, 0.5, 0.1, 0.01), 1e140, 1e-42, 1e-6
"""q, T and eta of clients by turns, and what is left of the limits, generously."""


def measure_absent_crowds(theorem: Theorem) -> Iterator[Measurement]:
    """Yield the claimed quantity in the mean over the rounds."""
    if theorem.algorithm != "fedawe" or theorem.kind != "upper" or theorem.rules:
        return
    at, said = settings(), "the initial gap alone, by moments of infinitely many clients of two curvatures"
    for rounds, measured in means_over_rounds(at, theorem.claim.observable):
        known = {**at, "T": np.full(measured.shape, float(rounds))}
        kept = np.isfinite(measured) & (measured > 0)
        known = {name: each[kept] for name, each in known.items()}
        yield from measure_known(theorem, known, measured[kept], _ERROR, said)


def measure_turns(theorem: Theorem) -> Iterator[Measurement]:
    """Yield the squared gradient at the mean model from clients that are rare by turns."""
    if theorem.algorithm != "fedawe" or theorem.kind != "upper":
        return
    if theorem.claim.observable != "mean_model_gradient_norm_squared":
        return
    q = np.array(_BY_TURNS)
    one = np.ones(q.shape)
    at = by_rules(theorem, {
        "m": _MANY * one, "T": _FOREVER * one, "tau": one, "eta": _SHORT * one, "eta_s": one,
        "availability": q, "availability_max": one, "mixing": 1 - q, "L": one, "beta": one, "kappa": one,
        "sigma": 0 * one, "gap": 0 * one,
    })  # fmt: skip
    measured = (at["eta_s"] * at["eta"] * at["tau"] * (1 - q) / (2 * q)) ** 2
    yield from measure_inside(theorem, at, measured, _LIMIT, "clients that are rare by turns")


def settings() -> dict[str, Array]:
    """Return the quantities of all instances, (N,) each, at L = 1."""
    grid = product(_AVAILABLE, _CURVATURES, _LOCAL, _LENGTHS)
    q, first, second, local, length = np.array([(q, *h, *rest) for q, h, *rest in grid]).T
    one, mean = np.ones(q.shape), (first + second) / 2
    beta = np.sqrt((first**2 + second**2) / 2) / mean
    eta = _INSIDE * local / (8 * beta * _TAU)
    s = _INSIDE * length * (1 - np.sqrt(1 - q)) / beta**2
    return {
        "m": _MANY * one, "tau": _TAU * one, "eta": eta, "eta_s": s / (eta * _TAU), "availability": q,
        "availability_max": q, "mixing": 1 - q, "L": one, "sigma": 0 * one, "beta": beta, "kappa": 0 * one,
        "gap": mean / 2, "h_1": first, "h_2": second,
    }  # fmt: skip


def means_over_rounds(at: Mapping[str, Array], observable: str) -> Iterator[tuple[int, Array]]:
    """Yield T and the mean over t < T of the observable, from models of 1."""
    q, s, mean = at["availability"], at["eta_s"] * at["eta"] * at["tau"], (at["h_1"] + at["h_2"]) / 2
    slope = sum(at[h] * average_factor(at[h], at["eta"], at["tau"]) for h in ("h_1", "h_2")) / 2
    models, echoes, spread, total = np.ones(q.shape), np.ones(q.shape), np.zeros(q.shape), np.zeros(q.shape)
    for t in range(max(_ROUNDS)):
        if observable == "scaled_spread":
            total = total + spread
        else:
            missed = echoes - models if observable.startswith("auxiliary") else 0.0
            total = total + (mean * (models - s * mean * missed)) ** 2
        if t + 1 in _ROUNDS:
            yield t + 1, total / (t + 1)
        average = models - s * slope * echoes
        spread = (1 - q) * (spread + q * (average - models) ** 2)
        echoes = (1 - q) * (echoes + models) + q * average
        models = (1 - q) * models + q * average
