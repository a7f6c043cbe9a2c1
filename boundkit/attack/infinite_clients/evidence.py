"""Evidence of infinitely many clients, in the form of the evidence of finite runs.

The server starts at its fixed point and stays there for any number of rounds, so that of the terms of a bound
only the noise drift remains: terms over m and over T vanish.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sympy import Basic

from boundkit.algebra import BoundkitError, Theorem
from boundkit.algebra.notation import T, eta, fresh, groups
from boundkit.analysis.evaluate import evaluate
from boundkit.attack.evidence import bound_ratios, conditions_hold, term_shares
from boundkit.attack.infinite_clients.loss import PiecewiseLoss
from boundkit.attack.infinite_clients.noise import TwoPoint
from boundkit.attack.infinite_clients.rounds import RoundParameters
from boundkit.simulation.arrays import Array

MANY = 1e15
"""The value of m, and 1/1000 of T."""
_INSIDE, _HALVINGS = 1 - 1e-9, 200
SAME_STEPS = frozenset({
    "fedavg", "fednova", "local_sgd", "fedvarp", "clusterfedvarp", "adacomm", "fedau", "fedavgm", "mifa",
    "gossip_sgd", "fedcm", "fedawe",
})  # fmt: skip
"""Algorithms whose server stays where FedAvg's does, for homogeneous clients with full participation: most
take the same steps, where updates are new and models are averaged exactly. Momentum is 0 at a fixed point;
clients with momentum take steps of ``FRESH`` eta there."""
_DRIFTS = ("noise drift", "stale-model noise")
"""Labels of terms of which noise drift is a part; the noise of old models is, where clients have any."""
FRESH = 0.1
"""The weight of new gradients of clients with momentum."""
FIRST_ROUND = frozenset({"scaffold", "vrlsgd"})
"""Algorithms whose first round is FedAvg's, from controls of 0. It starts at the optimum, so that no other
term remains; of a mean over rounds there are two, the first of which has no error."""
NESTEROV = "accelerated_local_sgd"
"""Where its bound has a rate, its server stays at the fixed point for so long that only the drift remains;
elsewhere it makes one round, from the optimum."""


@dataclass(frozen=True)
class InfiniteEvidence:
    """A fixed point of infinitely many clients, with the interface of a piece of ``EvidencePool``.

    ``values``: the quantities of a bound, (1,) each. ``measured``, ``low``, ``high``: the claimed quantity
    and the ends of its numerical error, (1,). ``instance``: its parameters.
    """

    values: dict[str, Array] = field(hash=False)
    measured: Array = field(hash=False)
    low: Array = field(hash=False)
    high: Array = field(hash=False)
    instance: Mapping[str, Any] = field(hash=False)
    zero: float = 0.0

    def conditions_hold(self, theorem: Theorem) -> NDArray[np.bool_]:
        """Evaluate whether the theorem's conditions hold."""
        return conditions_hold(theorem, self.values, self.measured.shape)

    def ratios(self, theorem: Theorem) -> Array:
        """Compute measured/bound; nan outside the conditions."""
        return bound_ratios(theorem, self.values, (self.low, self.high), self.zero)

    def shares(self, theorem: Theorem, label: str = "noise drift") -> Array:
        """Compute (measured - all other terms)/term; nan without one."""
        return term_shares(theorem, label, self.values, self.low - self.zero)


def evidence_at_fixed_point(
    theorem: Theorem,
    rounds: RoundParameters,
    between: tuple[float, float],
    instance: Mapping[str, Any] | None = None,
) -> InfiniteEvidence:
    """Return the evidence of a server that starts at its fixed point, between the two given points.

    Raises BoundkitError where there is no such fixed point, or where a quantity of the theorem is not defined
    for infinitely many clients.
    """
    f = rounds.loss
    if (theorem.assumes("convex") and not f.convex) or (is_curved(theorem) and f.mu <= 0):
        raise BoundkitError(f"{theorem.name} does not apply to this loss, whose curvature is {f.mu:g}.")
    first = in_one_round(theorem)
    x, error = (f.optimum, 0.0) if first else rounds.fixed_point(*between)
    at, step_error = rounds.inside(x)
    value, slope, count = *_claimed(theorem, rounds, x, at), 1.0
    if theorem.algorithm in FIRST_ROUND:
        step_error *= rounds.eta_s
        value, slope = _claimed(theorem, rounds, x + rounds.eta_s * float(at[-1] - at[0]), at)
        count = 2.0 if theorem.claim.summary == "average" else 1.0
    uncertainty = (slope * (error + step_error) + f.L * (error + step_error) ** 2 * max(f.L, 1.0)) / count
    value /= count
    names = values_of(rounds, x) | ({"T": count} if first else {})
    if groups in theorem.quantities:
        names["C"] = 1 / names["groups"]
    names["eta"] /= fresh_part(theorem)
    names |= _rounds(theorem, names)
    if theorem.algorithm == NESTEROV and is_curved(theorem):  # the least momentum allowed
        root = float(np.sqrt(-np.expm1(rounds.tau * np.log1p(-rounds.eta * f.mu))))
        names["beta_s"] = (1 - root * _INSIDE) / (1 + root * _INSIDE)
    missing = [q.name for q in theorem.quantities if q.name not in names]
    if missing:
        raise BoundkitError(f"{theorem.name} needs {missing[0]}, which infinitely many clients do not have.")
    measured, low, high = (
        np.array([each]) for each in (value, max(value - uncertainty, 0.0), value + uncertainty)
    )
    values = {name: np.array([float(each)]) for name, each in names.items()}
    return InfiniteEvidence(values, measured, low, high, dict(instance or {}) | {"x0": x})


def fresh_part(theorem: Theorem) -> float:
    """Return the weight of new gradients in the clients' steps."""
    return FRESH if fresh in theorem.quantities else 1.0


def _limited(theorem: Theorem) -> set[Basic]:
    return {quantity for condition in theorem.step_size for quantity in condition.free_symbols}


def _rounds(theorem: Theorem, names: Mapping[str, float]) -> dict[str, float]:
    """Return the T at which a rule gives the step size, or the largest T that the conditions allow."""

    def too_few(rounds: float) -> bool:
        at = {**names, "T": rounds}
        if eta in theorem.rules:
            return float(evaluate(theorem.rules[eta], at)) > names["eta"]
        return bool(conditions_hold(theorem, {n: np.array([v]) for n, v in at.items()}, (1,)).all())

    if not theorem.rules and (T not in _limited(theorem) or too_few(names["T"])):
        return {}
    low, high = 0.0, float(np.log(1e3 * MANY**2))
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        low, high = (middle, high) if too_few(float(np.exp(middle))) else (low, middle)
    return {"T": float(np.exp(low))}


def infinite_clients_apply(theorem: Theorem) -> bool:
    """Check whether infinitely many homogeneous clients apply to the theorem."""
    drift = theorem.kind == "upper" and any(label in theorem.bound.terms for label in _DRIFTS)
    ruled = not theorem.rules or set(theorem.rules) == {eta}
    names = all(q.name in _QUANTITIES for q in theorem.quantities)
    measured = theorem.claim.observable in _MEASURES and theorem.claim.summary in (
        "average",
        "last",
        "weighted",
    )
    if theorem.algorithm in FIRST_ROUND:
        measured = theorem.claim.observable in _AT_THE_SERVER and theorem.claim.summary in ("average", "last")
    return (
        drift and ruled and names and measured and theorem.algorithm in SAME_STEPS | FIRST_ROUND | {NESTEROV}
    )


def in_one_round(theorem: Theorem) -> bool:
    """Whether the evidence is of one round from the optimum, not of a fixed point."""
    return theorem.algorithm in FIRST_ROUND or (theorem.algorithm == NESTEROV and not is_curved(theorem))


def is_curved(theorem: Theorem) -> bool:
    """Whether the theorem is about losses that grow quadratically, which are taken strongly convex."""
    return theorem.assumes("strongly-convex") or theorem.assumes("polyak-lojasiewicz")


def _claimed(theorem: Theorem, rounds: RoundParameters, x: float, at: Array) -> tuple[float, float]:
    """Return the claimed observable at the fixed point, and its derivative in the iterates."""
    if theorem.claim.observable not in _MEASURES:
        raise BoundkitError(f"{theorem.claim.name} is not measured with infinitely many clients.")
    return _MEASURES[theorem.claim.observable](rounds, x, at)


def _squared_gradient(rounds: RoundParameters, points: Array) -> tuple[float, float]:
    g = rounds.loss.gradient(points)
    return float((g * g).mean()), 2 * rounds.loss.L * float(np.abs(g).max())


def _gap(rounds: RoundParameters, points: Array) -> tuple[float, float]:
    f = rounds.loss
    return float(f.gap(points).mean()), float(np.abs(f.gradient(points)).max())


_MEASURES: dict[str, Callable[[RoundParameters, float, Array], tuple[float, float]]] = {
    "gradient_norm_squared": lambda r, x, at: _squared_gradient(r, np.array([x])),
    "surrogate_gradient_norm_squared": lambda r, x, at: _squared_gradient(r, np.array([x])),
    "mean_model_gradient_norm_squared": lambda r, x, at: _squared_gradient(r, np.array([x])),
    "auxiliary_gradient_norm_squared": lambda r, x, at: _squared_gradient(r, np.array([x])),
    "virtual_gradient_norm_squared": lambda r, x, at: _squared_gradient(r, at[:-1]),
    "loss_gap": lambda r, x, at: _gap(r, np.array([x])),
    "mean_model_loss_gap": lambda r, x, at: _gap(r, at[-1:]),
    "virtual_loss_gap": lambda r, x, at: _gap(r, at[1:]),
    "virtual_start_loss_gap": lambda r, x, at: _gap(r, at[:-1]),
    "distance_squared": lambda r, x, at: (
        (x - r.loss.optimum) ** 2,
        2 * abs(x - r.loss.optimum),
    ),
}


_AT_THE_SERVER = frozenset({"gradient_norm_squared", "loss_gap", "distance_squared"})
"""Observables that depend on the server's model alone."""


def values_of(rounds: RoundParameters, x: float) -> dict[str, float]:
    """Return every quantity of a bound, by keyword, where the server starts and stays at x."""
    f = rounds.loss
    result = {
        "eta": rounds.eta,
        "eta_s": rounds.eta_s,
        "tau": rounds.tau,
        "L": f.L,
        "mu": f.mu,
        "mu_pl": f.mu,
        "sigma": rounds.noise.sigma,
        "gap": float(f.gap(np.array(x))),
        "distance": abs(x - f.optimum),
        "gradients_start": abs(float(f.gradient(np.array(x)))),
    }
    result |= dict.fromkeys(_TAU, rounds.tau) | dict.fromkeys(_BELOW, rounds.tau - 1)
    result |= dict.fromkeys(_PAIRS, rounds.tau * (rounds.tau - 1)) | {"C_walk": (rounds.tau - 1) ** 2}
    rest = dict.fromkeys(_ONE, 1.0) | dict.fromkeys(_ZERO, 0.0)
    rest |= {"share_noise": 1 / MANY, "beta_s": 0.9, "nesterov": 0.0}
    rest |= {"groups": 2.0, "fresh": FRESH}
    return result | rest | {"m": MANY, "T": 1e3 * MANY, "wall": 1e3 * MANY * rounds.tau}


_TAU = ("tau_eff", "tau_clients", "tau_eff_mean", "tau_eff_max", "tau_mean", "tau_felt", "tau_max")
_BELOW = ("B_drift", "B_walk", "B_mean")
_PAIRS = ("C_drift", "C_mean", "C_drift_max")
_ONE = ("C", "beta", "A_noise", "A_mean", "step_time", "availability", "availability_max", "pull")
_ZERO = (
    "sigma_g", "kappa", "chi2", "prox_step", "sigma_c", "missed", "update_error", "delay", "sampling_spread",
    "sampling_slack", "sampling_error", "absence", "sigma_between", "sigma_within", "gossip", "staleness",
    "control_error", "control_error_star", "correction_error", "mixing",
)  # fmt: skip
_QUANTITIES = frozenset(values_of(RoundParameters(PiecewiseLoss.huber(1.0), TwoPoint(1.0), 0.1, 2), 0.0))
