r"""Local solvers whose result is a weighted sum of their gradients: Delta_i = -eta sum_s a_{i,s} g_i(x_i^s).

| solver | weight of gradient s = 0, ..., tau - 1 |
|---|---|
| sgd | 1 |
| proximal, alpha = eta mu_prox | (1 - alpha)^(tau - 1 - s) |
| momentum, buffer 0 at the round's start | (1 - rho^(tau - s))/(1 - rho) |
| proximal_momentum, the pull outside the buffer | ((1 - alpha)^(tau - s) - rho^(tau - s))/(1 - alpha - rho) |
| decay, step s being eta gamma^s | gamma^s |

A theorem needs their sum, the sum of their squares and the last of them; and, for what happens on the
way, the largest sum (and sum of squares) of the weights that a local model has collected before a step.
"""

from __future__ import annotations

from collections.abc import Mapping

from sympy import Expr, Integer

from boundkit.algebra.local_sums import WeightSquares, WeightSum
from boundkit.algebra.notation import (
    a1_i,
    a2_i,
    alast_i,
    decay,
    eta,
    mu_prox,
    prox_step,
    rho_momentum,
    tau_i,
    walk1_i,
    walk2_i,
)
from boundkit.algebra.quantity import Quantity

_ZERO, _ONE = Integer(0), Integer(1)


def _collected(a: Expr, b: Expr, pulled: Expr) -> dict[Quantity, Expr]:
    """A solver that weighs the j-th last gradient by W_j(a, b), at every step on its way too."""
    return {
        prox_step: pulled,
        a1_i: WeightSum(a, b, tau_i),
        a2_i: WeightSquares(a, b, tau_i),
        alast_i: _ONE,
        walk1_i: WeightSum(a, b, tau_i - 1),
        walk2_i: WeightSquares(a, b, tau_i - 1),
    }


SOLVERS: Mapping[str, Mapping[Quantity, Expr]] = {
    "sgd": _collected(_ONE, _ZERO, _ZERO),
    "proximal": _collected(1 - prox_step, _ZERO, eta * mu_prox),
    "momentum": _collected(_ONE, rho_momentum, _ZERO),
    "proximal_momentum": _collected(1 - prox_step, rho_momentum, eta * mu_prox),
    # here the first gradients weigh most, and a step of the way has collected those before it
    "decay": {**_collected(decay, _ZERO, _ZERO), alast_i: decay ** (tau_i - 1)},
}
"""What each solver makes of the quantities that FedNova's theorems derive from it; the first is usual."""


def solvers_for(
    *needed: Quantity, pulled: Mapping[Quantity, Expr] | None = None
) -> dict[str, dict[Quantity, Expr]]:
    """What each solver makes of the quantities that a theorem needs, and of prox_step.

    ``pulled`` defines anew, for solvers that pull a client back, what the theorem defines for all others.
    """
    instead = pulled or {}
    used = {s for e in instead.values() for s in e.free_symbols}
    made: dict[str, dict[Quantity, Expr]] = {}
    for name, parts in SOLVERS.items():
        pulls = parts[prox_step] != 0
        kept = {prox_step, *needed} | (used if pulls else set())
        made[name] = {q: e for q, e in parts.items() if q in kept} | (dict(instead) if pulls else {})
    return made


GRADIENT_WEIGHTS = (a1_i, a2_i, alast_i, walk1_i, walk2_i)
"""What the weights of a client's gradients enter a theorem through."""
