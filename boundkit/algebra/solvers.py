r"""Local solvers whose result is a weighted sum of their gradients: Delta_i = -eta sum_s a_{i,s} g_i(x_i^s).

| solver | weight of gradient s = 0, ..., tau - 1 |
|---|---|
| sgd | 1 |
| proximal, alpha = eta mu_prox | (1 - alpha)^(tau - 1 - s) |
| momentum, buffer 0 at the round's start | (1 - rho^(tau - s))/(1 - rho) |
| proximal_momentum, prox. term outside buffer | ((1 - alpha)^(tau - s) - rho^(tau - s))/(1 - alpha - rho) |
| decay, step s being eta gamma^s | gamma^s |

A theorem needs their sum, the sum of their squares and the last of them; and, for intermediate local
iterates, the largest sum (and sum of squares) of the weights accumulated before a step.
"""

from __future__ import annotations

from collections.abc import Mapping

from sympy import Expr, Integer

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
from boundkit.algebra.sums import WeightSquares, WeightSum

_ZERO, _ONE = Integer(0), Integer(1)


def _recursive_solver(a: Expr, b: Expr, proximal: Expr) -> dict[Quantity, Expr]:
    """A solver that weights the j-th last gradient by W_j(a, b), at intermediate steps as well."""
    return {
        prox_step: proximal,
        a1_i: WeightSum(a, b, tau_i),
        a2_i: WeightSquares(a, b, tau_i),
        alast_i: _ONE,
        walk1_i: WeightSum(a, b, tau_i - 1),
        walk2_i: WeightSquares(a, b, tau_i - 1),
    }


SOLVERS: Mapping[str, Mapping[Quantity, Expr]] = {
    "sgd": _recursive_solver(_ONE, _ZERO, _ZERO),
    "proximal": _recursive_solver(1 - prox_step, _ZERO, eta * mu_prox),
    "momentum": _recursive_solver(_ONE, rho_momentum, _ZERO),
    "proximal_momentum": _recursive_solver(1 - prox_step, rho_momentum, eta * mu_prox),
    # the first gradients have the largest weights; an intermediate step has accumulated those before it
    "decay": {**_recursive_solver(decay, _ZERO, _ZERO), alast_i: decay ** (tau_i - 1)},
}
"""Definitions, by solver, of the quantities that FedNova's theorems derive; the first is the default."""


def solvers_for(
    *needed: Quantity, proximal: Mapping[Quantity, Expr] | None = None
) -> dict[str, dict[Quantity, Expr]]:
    """Definitions, by solver, of the quantities that a theorem needs, and of prox_step.

    ``proximal`` replaces, for proximal solvers, definitions that the theorem makes for all others.
    """
    replacements = proximal or {}
    used = {s for e in replacements.values() for s in e.free_symbols}
    solvers: dict[str, dict[Quantity, Expr]] = {}
    for name, parts in SOLVERS.items():
        is_proximal = parts[prox_step] != 0
        quantities = {prox_step, *needed} | (used if is_proximal else set())
        solvers[name] = {q: e for q, e in parts.items() if q in quantities} | (
            dict(replacements) if is_proximal else {}
        )
    return solvers


GRADIENT_WEIGHTS = (a1_i, a2_i, alast_i, walk1_i, walk2_i)
"""Quantities through which the weights of a client's gradients enter a theorem."""
