"""Sharper proof of FedAvg with C m participating clients: variance of the directions instead of Young.

With c = s L and e = g - a, where a is the mean direction given x, G = <g, a> + <g, e> is multiplied by
l = 1/(the remaining part of the squared gradient), and the descent's own square c/2 ||a||^2 compensates v's.
"""

from __future__ import annotations

from dataclasses import replace

from sympy import Integer, Rational

from boundkit.algebra.notation import C, L, eta, eta_s, gap, m, sigma, sigma_g, tau
from boundkit.proofs import expectations as of
from boundkit.proofs.ledgers.fednova import CLIENT_DRIFT, DESCENT
from boundkit.proofs.proof import Proof, Step
from boundkit.theorems import theorem

_s = eta_s * eta * tau
_c = _s * L
_chosen = (1 - C) / (C * (m - 1))
_of = {step.name: step for step in (*DESCENT, *CLIENT_DRIFT)}
_START, _NOISE, _NOISE_DRIFT, _DRIFT = "initial gap", "stochastic noise", "noise drift", "client drift"
_SAMPLING = "partial participation"

_LEFT = (
    1
    - _c / 2
    - Rational(213, 1000) * (1 - _c)
    - (Rational(250, 213) * (1 - _c) + _c / 2) * Rational(149, 32000)
)
"""What is left of the squared gradient, at eta L tau = 1/8."""

STEPS = (
    Step(
        "direction kept",
        of.gradient,
        of.descent_factor
        * (
            of.inner_product
            - _c * of.expected_direction / 2
            + (1 - _c) * of.error_inner_product
            + _c * of.expected_error / 2
        )
        + (1 - of.descent_factor * (1 - _c / 2)) * of.gradient,
        _START,
        "g = a + e, times l; the rest of the squared gradient vanishes in the end",
        kind="identity",
    ),
    replace(_of["smooth mean"], by=of.decrease / _s + _c * of.server_direction / 2),
    Step(
        "variance of the directions",
        of.server_direction,
        of.expected_direction + _chosen * of.direction_dissimilarity + of.update_variance / (C * m),
        _SAMPLING,
        "given x, clients are independent, and C m of m have q/(C m) of the variance of all",
        kind="identity",
    ),
    Step(
        "Young: error of the direction",
        of.error_inner_product,
        Rational(213, 1000) * of.gradient + Rational(250, 213) * of.expected_error,
        _DRIFT,
        "about a fifth of the squared gradient, and less than 6/5 of the squared error",
    ),
    Step(
        "variance of a client",
        of.update_variance,
        Rational(8, 7) * sigma**2 / tau,
        _NOISE,
        "a step stretches by at most 1 + eta L, and eta L tau <= 1/8",
    ),
    Step(
        "Young: dissimilarity of the directions",
        of.direction_dissimilarity,
        Rational(51, 50) * of.dissimilarity + 51 * (of.expected_client_errors - of.expected_error),
        _SAMPLING,
        "a direction is a gradient minus an error; the errors have their mean square less that of their mean",
    ),
    Step("dissimilarity of the sampled clients", of.dissimilarity, sigma_g**2, _SAMPLING, "the assumption"),
    Step(
        "Jensen over the errors", of.expected_error, of.expected_client_errors, _DRIFT, "a square of a mean"
    ),
    Step(
        "smooth clients, by steps",
        of.expected_client_errors,
        L**2 * (tau - 1) / (2 * tau) * of.displacement_by_step,
        _DRIFT,
        "a gradient changes by at most L times the displacement; Cauchy-Schwarz with the weight k of step k",
    ),
    Step(
        "displacement by steps",
        of.displacement_by_step,
        eta**2 * (tau - 1) * (Rational(149, 250) * tau * of.initial_gradients + Rational(10, 9) * sigma**2),
        _DRIFT,
        "eta L tau <= 1/8: before step k about eta^2 (k^2 ||grad F_i||^2 + k sigma^2), summed over k",
    ),
    Step(
        "dissimilarity",
        of.initial_gradients,
        of.gradient + sigma_g**2,
        _DRIFT,
        "the assumption, and the mean",
    ),
    Step(
        "gradient absorbed",
        of.gradient,
        Integer(0),
        _START,
        "eta L tau <= 1/8 and s L <= 1/24: l was chosen so",
        kind="weight",
    ),
    _of["telescoping"],
    Step(
        "gap: 13/10 for l",
        of.descent_factor * gap,
        Rational(13, 10) * gap,
        _START,
        "s L <= 1/24: l is at most 13/10",
    ),
    Step(
        "noise: rounded up",
        sigma**2,
        Rational(3, 4) * eta_s * eta * L / (C * m) + Rational(17, 20) * eta**2 * L**2 * (tau - 1),
        _NOISE_DRIFT,
        "l times 4/7 is below 3/4, and l times the weight of the error below 151/100, of 5/9",
        kind="weight",
    ),
    Step(
        "dissimilarity: rounded up",
        sigma_g**2,
        Rational(2, 3) * _s * L * _chosen + Rational(9, 20) * eta**2 * L**2 * tau * (tau - 1),
        _DRIFT,
        "l times 51/100 is below 2/3, and again 151/100, of 149/500",
        kind="weight",
    ),
)

PROOFS = (
    Proof(theorem("fedavg_nonconvex_partial_sharp"), of.gradient, STEPS, {of.descent_factor: 1 / _LEFT}),
)
