"""Momentum in the local steps for more rounds than its theorem allows: clients dissimilar far from the start.

At the distance p from the initial point two clients have the gradients 1 + D(p) and 1 - D(p) downhill, D(p) =
p up to p = P and 2 P - p from there on, up to where no model comes, at L = 1. On the way up the differences
accelerate local steps, by eta (tau - 1) fresh D/2 in the mean, and on the way down they slow them. With P a
little above 2/(eta (tau - 1) fresh) the server stops near P for ever, and the mean gradient is 1 in every
round, while the gradients at the start know nothing of D. Then z = eta^2 eta_s tau (tau - 1) fresh T rounds
have a bound of about 4/z.
"""

from __future__ import annotations

from collections.abc import Iterator

from boundkit.algebra import Theorem
from boundkit.attack.measurement import Measurement, measure_known

FRESH, TAU, ETA = 0.5, 2, 1 / 16
SERVER = FRESH / (3 * ETA * TAU)
"""The longest local steps, and the longest steps of the server where little is fresh."""
_HIGH, _TIMES, _ROUNDING = 1.05, 5.0, 1e-9
"""P over 2/(eta (tau - 1) fresh), z, and relative rounding."""


def measure_distant_clients(theorem: Theorem) -> Iterator[Measurement]:
    """Yield the mean squared gradient of the instance, which is beyond the condition on the rounds."""
    claim = (theorem.claim.observable, theorem.claim.summary)
    if theorem.algorithm != "fedcm" or theorem.kind != "upper":
        return
    if claim != ("gradient_norm_squared", "average"):
        return
    drift = ETA * (TAU - 1) * FRESH
    rounds = int(_TIMES * (1 - _ROUNDING) / (drift * SERVER * ETA * TAU))
    reach = max(walked(rounds, _HIGH * 2 / drift))
    known = {
        "L": 1.0, "eta": ETA, "eta_s": SERVER, "tau": TAU, "fresh": FRESH, "m": 2.0, "T": rounds,
        "gap": reach + 0.5, "gradients_start": 1.0, "sigma": 0.0,
    }  # fmt: skip
    yield from measure_known(theorem, known, 1.0, _ROUNDING, "clients that are dissimilar far away")


def walked(rounds: int, top: float) -> list[float]:
    """Return the server's distances from the start after each round, and last the largest of any model."""
    p, G, result, reach = 0.0, 0.0, [], 0.0
    for _ in range(rounds):
        models, sums = [p, p], 0.0
        for _ in range(TAU):
            for i, sign in enumerate((1.0, -1.0)):
                gradient = 1 + sign * (top - abs(models[i] - top))
                sums += gradient / (2 * TAU)
                models[i] += ETA * (FRESH * gradient + (1 - FRESH) * G)
            reach = max(reach, *models)
        G = (1 - FRESH) * G + FRESH * sums
        p += SERVER * ETA * TAU * G
        result.append(p)
    return [*result, max(reach, *result)]
