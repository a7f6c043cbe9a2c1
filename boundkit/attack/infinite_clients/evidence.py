"""What infinitely many clients say against a theorem, in the form in which finite runs say it.

The server starts where it rests and stays there for as many rounds as one likes, so that of the terms of a
bound only the noise drift is left: those over m, and those over T, vanish.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from boundkit.algebra import BoundkitError, Theorem
from boundkit.attack.bound_ratios import inside, ratios, shares
from boundkit.attack.infinite_clients.landscape import Landscape
from boundkit.attack.infinite_clients.laws import TwoPoint
from boundkit.attack.infinite_clients.rounds import Rounds
from boundkit.simulation.problems.base import Array

MANY = 1e15
"""m; and 1/1000 of T."""
SAME_STEPS = frozenset({"fedavg", "fednova", "local_sgd", "fedvarp", "clusterfedvarp", "adacomm"})
"""Algorithms whose server takes FedAvg's steps where all clients are alike and come to every round."""


@dataclass(frozen=True)
class InfiniteEvidence:
    """A rest of infinitely many clients: has what ``boundkit.attack.evidence.Pool`` asks of a piece.

    ``values``: what a bound is asked with, (1,) each. ``measured``, ``low``, ``high``: the claimed quantity
    and the ends of its numerical error, (1,). ``instance``: what makes it again.
    """

    values: dict[str, Array] = field(hash=False)
    measured: Array = field(hash=False)
    low: Array = field(hash=False)
    high: Array = field(hash=False)
    instance: Mapping[str, Any] = field(hash=False)
    zero: float = 0.0

    def inside(self, theorem: Theorem) -> NDArray[np.bool_]:
        """Whether the theorem's conditions hold."""
        return inside(theorem, self.values, self.measured.shape)

    def ratios(self, theorem: Theorem) -> Array:
        """measured/bound, nan outside of the conditions."""
        return ratios(theorem, self.values, (self.low, self.high), self.zero)

    def shares(self, theorem: Theorem, label: str = "noise drift") -> Array:
        """(measured - all other terms)/term, nan where there is none."""
        return shares(theorem, label, self.values, self.low - self.zero)


def at_rest(
    theorem: Theorem, rounds: Rounds, between: tuple[float, float], instance: Mapping[str, Any] | None = None
) -> InfiniteEvidence:
    """The evidence of a server that starts where it rests, between the two points.

    Raises BoundkitError where it does not rest, or the theorem asks for what is not known here.
    """
    f = rounds.landscape
    if (theorem.assumes("convex") and not f.convex) or (theorem.assumes("strongly-convex") and f.mu <= 0):
        raise BoundkitError(f"{theorem.name} does not speak of this landscape, whose curvature is {f.mu:g}.")
    x, off = rounds.resting_point(*between)
    at, error = rounds.inside(x)
    value, slope = _claimed(theorem, rounds, x, at)
    miss = slope * (off + error) + f.L * (off + error) ** 2 * max(f.L, 1.0)
    known = values_of(rounds, x)
    missing = [q.name for q in theorem.quantities if q.name not in known]
    if missing:
        raise BoundkitError(
            f"{theorem.name} asks for {missing[0]}, which infinitely many clients do not have."
        )
    measured, low, high = (np.array([each]) for each in (value, max(value - miss, 0.0), value + miss))
    values = {name: np.array([float(each)]) for name, each in known.items()}
    return InfiniteEvidence(values, measured, low, high, dict(instance or {}) | {"x0": x})


def reaches(theorem: Theorem) -> bool:
    """Whether infinitely many alike clients can be held against the theorem."""
    drift = "noise drift" in theorem.bound.terms and theorem.kind == "upper" and not theorem.rules
    known = all(q.name in _KNOWN for q in theorem.quantities)
    measured = theorem.claim.observable in _MEASURES and theorem.claim.summary in (
        "average",
        "last",
        "weighted",
    )
    return drift and known and measured and theorem.algorithm in SAME_STEPS


def _claimed(theorem: Theorem, rounds: Rounds, x: float, at: Array) -> tuple[float, float]:
    """The observable of the claim at rest, and its slope in an error of the iterates."""
    if theorem.claim.observable not in _MEASURES:
        raise BoundkitError(f"{theorem.claim.name} is not measured with infinitely many clients.")
    return _MEASURES[theorem.claim.observable](rounds, x, at)


def _squared_gradient(rounds: Rounds, points: Array) -> tuple[float, float]:
    g = rounds.landscape.gradient(points)
    return float((g * g).mean()), 2 * rounds.landscape.L * float(np.abs(g).max())


def _gap(rounds: Rounds, points: Array) -> tuple[float, float]:
    f = rounds.landscape
    return float(f.gap(points).mean()), float(np.abs(f.gradient(points)).max())


_MEASURES: dict[str, Callable[[Rounds, float, Array], tuple[float, float]]] = {
    "gradient_norm_squared": lambda r, x, at: _squared_gradient(r, np.array([x])),
    "surrogate_gradient_norm_squared": lambda r, x, at: _squared_gradient(r, np.array([x])),
    "virtual_gradient_norm_squared": lambda r, x, at: _squared_gradient(r, at[:-1]),
    "loss_gap": lambda r, x, at: _gap(r, np.array([x])),
    "virtual_loss_gap": lambda r, x, at: _gap(r, at[1:]),
    "distance_squared": lambda r, x, at: (
        (x - r.landscape.optimum) ** 2,
        2 * abs(x - r.landscape.optimum),
    ),
}


def values_of(rounds: Rounds, x: float) -> dict[str, float]:
    """Every letter of a bound, by keyword, where the server starts and stays at x."""
    f = rounds.landscape
    found = {
        "eta": rounds.eta,
        "eta_s": rounds.eta_s,
        "tau": rounds.tau,
        "L": f.L,
        "mu": f.mu,
        "sigma": rounds.law.sigma,
        "gap": float(f.gap(np.array(x))),
        "distance": abs(x - f.optimum),
        "gradients_start": abs(float(f.gradient(np.array(x)))),
    }
    found |= dict.fromkeys(_TAU, rounds.tau) | dict.fromkeys(_BELOW, rounds.tau - 1)
    found |= dict.fromkeys(_PAIRS, rounds.tau * (rounds.tau - 1)) | {"C_walk": (rounds.tau - 1) ** 2}
    rest = dict.fromkeys(_ONE, 1.0) | dict.fromkeys(_ZERO, 0.0)
    return found | rest | {"m": MANY, "T": 1e3 * MANY, "wall": 1e3 * MANY * rounds.tau}


_TAU = ("tau_eff", "tau_eff_mean", "tau_eff_max", "tau_mean", "tau_felt", "tau_max")
_BELOW = ("B_drift", "B_walk", "B_mean")
_PAIRS = ("C_drift", "C_mean", "C_drift_max")
_ONE = ("C", "beta", "A_noise", "A_mean", "step_time")
_ZERO = ("sigma_g", "kappa", "chi2", "prox_step", "sigma_c", "missed", "update_error", "delay")
_KNOWN = frozenset(values_of(Rounds(Landscape.huber(1.0), TwoPoint(1.0), 0.1, 2), 0.0))
