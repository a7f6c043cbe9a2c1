"""Proof of FedNova's first theorem, and of full participation with equal local steps, a case of it.

Where G is the squared gradient, <g, H> = (G + ||H||^2 - ||g - H||^2)/2 makes G = 4 <g, H> - 2 ||H||^2
+ 2 ||g - H||^2 - G: polarization identity of the descent, less one whole, which is reserved for the drift.
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
_START, _NOISE, _NOISE_DRIFT, _DRIFT = "initial gap", "stochastic noise", "noise drift", "client drift"

DESCENT = (
    Step(
        "polarization identity",
        of.gradient,
        4 * of.inner_product - 2 * of.mean_direction + 2 * of.direction_error - of.gradient,
        _START,
        "2 <g, h> = ||g||^2 + ||h||^2 - ||g - h||^2",
        kind="identity",
    ),
    Step(
        "smooth mean",
        of.inner_product,
        of.decrease / (eta * tau_eff) + eta * tau_eff * L * of.server_direction / 2,
        _START,
        "the mean loss is smooth along x - x_+, and noise has the mean 0",
    ),
    Step(
        "Young: noise split off",
        of.server_direction,
        2 * of.noise + 2 * of.mean_direction,
        _NOISE,
        "noise and later gradients are correlated, so that the square of their sum is at most twice theirs",
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
        of.mean_direction,
        Integer(0),
        _START,
        "2 tau_eff eta L <= 1: the descent compensates the square of the direction; half of it is not used",
        kind="weight",
    ),
    Step(
        "Jensen over clients",
        of.direction_error,
        of.client_errors,
        _DRIFT,
        "a square of a mean is at most the mean of squares",
    ),
    Step("Jensen over steps", of.client_errors, of.step_errors, _DRIFT, "the same within a client"),
    Step(
        "smooth clients",
        of.step_errors,
        L**2 * of.displacement,
        _DRIFT,
        "a gradient changes by at most L times the displacement",
    ),
)
"""From the squared gradient to the client drift."""

CLIENT_DRIFT = (
    Step(
        "solved for the displacement",
        of.displacement,
        of.solution_factor * (of.displacement_remaining - _D * of.displacement),
        _DRIFT,
        "it stands on both sides, with the weight D = 4 eta^2 L^2 C on the right",
        kind="identity",
    ),
    Step(
        "Young: noise and gradients",
        of.displacement_remaining,
        2 * eta**2 * (of.noise_displacement + of.gradient_displacement),
        _DRIFT,
        "the displacement is a sum of noise and of gradients",
    ),
    Step(
        "variance of the local steps",
        of.noise_displacement,
        sigma**2 * of.noise_weights,
        _NOISE_DRIFT,
        "the noise of different steps is uncorrelated",
    ),
    Step(
        "noise counted to the end",
        of.noise_weights,
        B_drift,
        _NOISE_DRIFT,
        "every step is bounded by the noise of all but the last, if no earlier weight is larger",
    ),
    Step(
        "Cauchy-Schwarz on the gradients",
        of.gradient_displacement,
        of.weighted_gradients,
        _DRIFT,
        "the square of a weighted sum is at most the weights times the weighted squares",
    ),
    Step(
        "gradients counted to the end",
        of.weighted_gradients,
        of.all_gradients,
        _DRIFT,
        "every step is bounded by the gradients of all, c_i = ||a_i||_1 (||a_i||_1 - a_{i,-1}), if no "
        "earlier weight is larger",
    ),
    Step(
        "Young: gradients at the start",
        of.all_gradients,
        2 * of.all_errors + 2 * of.all_initial_gradients,
        _DRIFT,
        "a gradient is that at the start of the round plus a change",
    ),
    Step(
        "smooth along the local steps",
        of.all_errors,
        L**2 * of.all_displacements,
        _DRIFT,
        "the change is at most L times the displacement",
    ),
    Step(
        "largest c_i: displacement",
        of.all_displacements,
        C_drift * of.displacement,
        _DRIFT,
        "C is the largest c_i",
    ),
    Step(
        "largest c_i: gradients",
        of.all_initial_gradients,
        C_drift * of.initial_gradients,
        _DRIFT,
        "the same for the gradients",
    ),
    Step(
        "dissimilarity",
        of.initial_gradients,
        beta**2 * of.gradient + kappa**2,
        _DRIFT,
        "the assumption, at the worst iterate",
    ),
    Step(
        "gradient set aside",
        of.gradient,
        Integer(0),
        _START,
        "D (2 beta^2 + 1) <= 1: the part that was set aside compensates the gradient in the drift",
        kind="weight",
    ),
    Step(
        "noise: 3/2 for 1/(1 - D)",
        of.solution_factor * sigma**2,
        Rational(3, 2) * sigma**2,
        _NOISE_DRIFT,
        "D <= 1/3, so that 1/(1 - D) <= 3/2",
    ),
    Step(
        "drift: 3/2 for 1/(1 - D)",
        of.solution_factor * kappa**2,
        Rational(3, 2) * kappa**2,
        _DRIFT,
        "the same for the dissimilarity",
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

_MADE = {of.solution_factor: 1 / (1 - _D)}
_first = theorem("fednova_nonconvex_surrogate")
_equal = next(r.when for r in _first.reductions if r.to == "fedavg_nonconvex" and r.holds)
_equal_steps = {quantity: sympify(value) for quantity, value in {**_equal, beta: 1}.items()}

PROOFS = (
    Proof(_first, of.gradient, DESCENT + CLIENT_DRIFT, _MADE),
    Proof(theorem("fedavg_nonconvex"), of.gradient, DESCENT + CLIENT_DRIFT, _MADE, _equal_steps),
)
