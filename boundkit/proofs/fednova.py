"""Proofs of FedNova's two theorems, and of full participation with equal local steps, a case of the first.

Where G is the squared gradient, <g, H> = (G + ||H||^2 - ||g - H||^2)/2 makes G = 4 <g, H> - 2 ||H||^2
+ 2 ||g - H||^2 - G: four halves of the descent, less one whole, which is reserved for the drift.
"""

from __future__ import annotations

from sympy import Integer, Rational, sympify

from boundkit.algebra.notation import (
    A_noise,
    B_drift,
    C_drift,
    L,
    T,
    beta,
    chi2,
    eta,
    gap,
    kappa,
    m,
    sigma,
    tau_eff,
)
from boundkit.proofs import expectations as of
from boundkit.proofs.proof import Proof, Step
from boundkit.theorems import theorem

_D = 4 * eta**2 * L**2 * C_drift
_START, _NOISE, _WALK, _DRIFT = "initial gap", "stochastic noise", "noise drift", "client drift"
_APART = "objective inconsistency"

DESCENT = (
    Step(
        "four halves",
        of.gradient,
        4 * of.along - 2 * of.mean_moved + 2 * of.missed - of.gradient,
        _START,
        "the product of two vectors is half of what their squares leave of that of their difference",
        kind="identity",
    ),
    Step(
        "smooth mean",
        of.along,
        of.decrease / (eta * tau_eff) + eta * tau_eff * L * of.moved / 2,
        _START,
        "the mean loss is smooth along x - x_+, and noise has the mean 0",
    ),
    Step(
        "Young: noise split off",
        of.moved,
        2 * of.noise + 2 * of.mean_moved,
        _NOISE,
        "noise and later gradients correlate, so that a square of a sum is at most twice the squares",
    ),
    Step(
        "variance of the noise",
        of.noise,
        sigma**2 * A_noise / (m * tau_eff),
        _NOISE,
        "independent across clients, and uncorrelated across the steps of one",
    ),
    Step(
        "direction dropped",
        of.mean_moved,
        Integer(0),
        _START,
        "2 tau_eff eta L <= 1: the descent pays for the square of the direction, and half of it is not used",
        kind="weight",
    ),
    Step(
        "Jensen over clients",
        of.missed,
        of.clients_missed,
        _DRIFT,
        "a square of a mean is at most the mean of squares",
    ),
    Step("Jensen over steps", of.clients_missed, of.steps_missed, _DRIFT, "the same within a client"),
    Step("smooth clients", of.steps_missed, L**2 * of.walk, _DRIFT, "a gradient moves by L times the walk"),
)
"""From the squared gradient to the client drift."""

WALK = (
    Step(
        "solved for the walk",
        of.walk,
        of.solved * (of.walk_on - _D * of.walk),
        _DRIFT,
        "it will stand on both sides, with the weight D = 4 eta^2 L^2 C on the right",
        kind="identity",
    ),
    Step(
        "Young: noise and pull",
        of.walk_on,
        2 * eta**2 * (of.noise_walk + of.gradient_walk),
        _DRIFT,
        "the walk is a sum of noise and of gradients",
    ),
    Step(
        "variance of the walk",
        of.noise_walk,
        sigma**2 * of.noise_way,
        _WALK,
        "the noise of different steps is uncorrelated",
    ),
    Step(
        "noise counted to the end",
        of.noise_way,
        B_drift,
        _WALK,
        "every step is charged the noise of all but the last, if no gradient weighs more on the way",
    ),
    Step(
        "Cauchy-Schwarz on the pull",
        of.gradient_walk,
        of.gradient_way,
        _DRIFT,
        "the square of a weighted sum is at most the weights times the weighted squares",
    ),
    Step(
        "pull counted to the end",
        of.gradient_way,
        of.all_steps,
        _DRIFT,
        "every step is charged the gradients of all, c_i = ||a_i||_1 (||a_i||_1 - a_{i,-1}), if no gradient "
        "weighs more on the way",
    ),
    Step(
        "Young: pull at the start",
        of.all_steps,
        2 * of.all_missed + 2 * of.all_start,
        _DRIFT,
        "a gradient on the way is that at the start and a change",
    ),
    Step("smooth on the way", of.all_missed, L**2 * of.all_walk, _DRIFT, "the change is L times the walk"),
    Step(
        "busiest client: walk",
        of.all_walk,
        C_drift * of.walk,
        _DRIFT,
        "C is the largest c_i, and stands for all",
    ),
    Step(
        "busiest client: pull",
        of.all_start,
        C_drift * of.start_gradients,
        _DRIFT,
        "the same for the gradients",
    ),
    Step(
        "dissimilarity",
        of.start_gradients,
        beta**2 * of.gradient + kappa**2,
        _DRIFT,
        "the assumption, at the worst iterate",
    ),
    Step(
        "gradient set aside",
        of.gradient,
        Integer(0),
        _START,
        "D (2 beta^2 + 1) <= 1: what was set aside pays for the gradient in the drift",
        kind="weight",
    ),
    Step(
        "noise: 3/2 for 1/(1 - D)",
        of.solved * sigma**2,
        Rational(3, 2) * sigma**2,
        _WALK,
        "D <= 1/3, and 3/2 takes the place of 1/(1 - D)",
    ),
    Step(
        "pull: 3/2 for 1/(1 - D)",
        of.solved * kappa**2,
        Rational(3, 2) * kappa**2,
        _DRIFT,
        "the same for the pull",
    ),
    Step(
        "telescoping",
        of.decrease,
        gap / T,
        _START,
        "the decreases add up, and the loss stays above its infimum",
        in_mean=True,
    ),
)
"""From the client drift to the bound."""

DETOUR = (
    Step(
        "Young: two weighings",
        of.true_gradient,
        2 * of.gradient + 2 * of.other_weighing,
        _APART,
        "the objective's gradient is the surrogate's and a difference",
    ),
    Step(
        "Cauchy-Schwarz over clients",
        of.other_weighing,
        chi2 * of.dissimilarity,
        _APART,
        "the difference is a sum of (p_i - w_i) (grad F_i - grad Ft), weighed by w_i",
    ),
    Step(
        "dissimilarity of the weighings",
        of.dissimilarity,
        (beta**2 - 1) * of.gradient + kappa**2,
        _APART,
        "the assumption, less the mean",
    ),
)
"""From the gradient of the objective to that of the surrogate."""

_MADE = {of.solved: 1 / (1 - _D)}
_first = theorem("fednova_nonconvex_surrogate")
_equal = next(r.when for r in _first.reductions if r.to == "fedavg_nonconvex" and r.holds)
_equal_steps = {quantity: sympify(value) for quantity, value in {**_equal, beta: 1}.items()}

PROOFS = (
    Proof(_first, of.gradient, DESCENT + WALK, _MADE),
    *(
        Proof(theorem(name), of.true_gradient, DETOUR + DESCENT + WALK, _MADE)
        for name in ("fednova_nonconvex", "fedavg_nonconvex_unequal_steps")
    ),
    Proof(theorem("fedavg_nonconvex"), of.gradient, DESCENT + WALK, _MADE, _equal_steps),
)
