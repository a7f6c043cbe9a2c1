"""Exact runs in which one of two clients is selected at random, with the same skew at every model.

All clients have the curvature 1 on a line. Those of which one is selected have their minimisers at 1 and -1,
the others in equal parts at b and -b, so that the optimum is 0. At a round's start x the client at 1 is
selected with the probability (1 + (1 - rho) x/2)/2. Its mean excess loss is then (rho x^2 + 1)/2 at x, rho
times that of all clients with Gamma = 1/(2 rho): the skew is rho at every start of a round, and at the
optimum, and there is no selection bias. A round takes x to s x + (1 - s) e, s = (1 - eta)^tau for a constant
step, with E[e x] = (1 - rho) E[x^2]/2, so that E[x^2] follows a recursion.

One round of several short steps from the optimum, where both clients are equally likely, ends at 1 - s or
s - 1. At models x' of the round the skew is rho (1 + x'^2)/(1 + rho x'^2), so that it may be large where the
round is short, with a bias that is small beside the drift.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

import numpy as np

from boundkit.algebra import Theorem
from boundkit.algebra.decaying_steps import PUBLISHED_OFFSET, numerator
from boundkit.algebra.notation import offset
from boundkit.analysis.evaluate import evaluate
from boundkit.attack.measurement import Array, Measurement, measure_known

_SKEWS = (4 / 3, 1.0, 0.3, 0.1, 0.01, 1e-3)
_SIZES = (1.0, 2.0, 0.1)
"""Step sizes as fractions of the largest, also beyond it; offsets are divided by them."""
_HORIZONS = (1, 2, 3, 4, 8, 40, 400, 4000)
_TAUS, _LEAST = (32, 128), (1.0, 0.1, 0.01)
"""Local steps and least curvatures, in another direction, of the runs with large skews."""
_LARGE, _WALK = 1e5, 0.01
"""The skew over the local steps there, and the skew times the way of a round."""
_RELATIVE, _ROUNDING = 1e-9, 1e-25


def measure_random_selections(theorem: Theorem) -> Iterator[Measurement]:
    """Yield the loss gaps of these runs, for theorems on clients that are selected by their losses."""
    if theorem.kind != "upper" or theorem.rules or theorem.claim.name != "last loss gap":
        return
    if not theorem.assumes("biased-selection"):
        return
    yield from _single_steps(theorem)
    if not theorem.assumes("decaying-step") and not theorem.assumes("deterministic-selection"):
        yield from _large_skews(theorem)


def next_square(square: Array, left: Array, moved: Array, rho: Array) -> Array:
    """Return E[x+^2] from E[x^2], for x+ = s x + (1 - s) e with ``left`` s and ``moved`` 1 - s."""
    return (left**2 + left * moved * (1 - rho)) * square + moved**2


def _single_steps(theorem: Theorem) -> Iterator[Measurement]:
    """Measure runs with one local step, from the optimum, at all horizons."""
    rho, size = np.array(list(product(_SKEWS, _SIZES))).T
    one = np.ones_like(rho)
    at = {"L": one, "mu": one, "tau": one, "rho_bar": rho}
    falls = theorem.assumes("decaying-step")
    shift = np.broadcast_to(evaluate(theorem.definitions.get(offset, PUBLISHED_OFFSET), at), rho.shape)
    shift = shift / size if offset in theorem.quantities else shift
    square = np.zeros_like(rho)
    pieces = []
    for t in range(max(_HORIZONS)):
        moved = float(numerator(theorem)) / (shift + t) if falls else size / 4
        square = next_square(square, 1 - moved, moved, rho)
        if t + 1 in _HORIZONS:
            more = {"eta": size / 4, "offset": shift, "T": (t + 1) * one}
            pieces.append((_values(rho, rho, one) | at | more, square / 2))
    known = {name: np.concatenate([each[name] for each, _ in pieces]) for name in pieces[0][0]}
    measured = np.concatenate([each for _, each in pieces])
    said = "one of two clients at random, with one skew at all models"
    yield from measure_known(theorem, known, measured, _RELATIVE, said, _ROUNDING)


def _large_skews(theorem: Theorem) -> Iterator[Measurement]:
    """Measure one round of many short local steps from the optimum, with a large skew."""
    tau, low = np.array(list(product(_TAUS, _LEAST))).T
    rho, one = _LARGE * tau, np.ones_like(tau)
    eta = _WALK / (rho * tau)
    moved = -np.expm1(tau * np.log1p(-eta))
    least = rho * (1 + moved**2) / (1 + rho * moved**2)
    more = {"L": one, "mu": low, "tau": tau, "eta": eta, "T": one}
    said = "one of two clients at random, with a large skew and short steps"
    known = _values(rho, least, moved) | more
    yield from measure_known(theorem, known, moved**2 / 2, _RELATIVE, said, _ROUNDING)


def _values(rho: Array, least: Array, away: Array) -> dict[str, Array]:
    """Return what does not depend on the steps; ``least`` of the skew, and the largest distance."""
    weight = np.minimum(1 / rho, rho / 2)  # of the selected clients in the objective
    others = np.sqrt(np.maximum(1 / rho - weight, 0) / (1 - weight))
    zero = np.zeros_like(rho)
    return {
        **dict.fromkeys(("sigma", "distance", "gap"), zero), "Gamma": 1 / (2 * rho), "rho_bar": least,
        "rho_tilde": rho, "G": away + np.maximum(others, 1), "C": zero + 1 / 4, "m": zero + 4,
    }  # fmt: skip
