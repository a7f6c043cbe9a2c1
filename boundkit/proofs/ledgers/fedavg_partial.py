"""Proof of FedAvg with C m participating clients in a round.

As for FedNova, G = 4 <g, H> - 2 ||H||^2 + 2 ||g - H||^2 - G. The client drift is bounded by its own lemma,
for every eta <= 1/(2 L tau): there D = 2 eta^2 L^2 tau (tau - 1) <= 1/2, and 2 replaces 1/(1 - D).
"""

from __future__ import annotations

from dataclasses import replace

from sympy import Integer, Rational

from boundkit.algebra.notation import C, L, eta, eta_s, m, sigma, sigma_g, tau
from boundkit.proofs import expectations as of
from boundkit.proofs.ledgers.fednova import CLIENT_DRIFT, DESCENT
from boundkit.proofs.proof import Proof, Step
from boundkit.theorems import theorem

_s = eta_s * eta * tau
_D = 2 * eta**2 * L**2 * tau * (tau - 1)
_COUNTED = tau * (tau - 1) / 2
_START, _NOISE, _NOISE_DRIFT, _DRIFT = "initial gap", "stochastic noise", "noise drift", "client drift"
_SAMPLING = "partial participation"
_as = {step.name: step for step in (*DESCENT, *CLIENT_DRIFT)}

_DESCENT = (
    _as["polarization identity"],
    replace(_as["direction dropped"], because="it is not used at all: s L <= 1/24 bounds E||v||^2"),
    replace(_as["smooth mean"], by=of.decrease / _s + _s * L * of.server_direction / 2),
    replace(_as["Young: noise split off"], by=2 * of.noise + 2 * of.sampled_direction),
    replace(_as["variance of the noise"], by=sigma**2 / (C * m * tau)),
    Step(
        "Young: three parts",
        of.sampled_direction,
        3 * of.sampled_error + 3 * of.sampled_gradient + 3 * of.gradient,
        _SAMPLING,
        "the change along the local steps, the sampling, and the gradient: at most three times their squares",
    ),
    Step(
        "Jensen over the sampled clients",
        of.sampled_error,
        of.client_errors,
        _DRIFT,
        "a square of a mean, and all clients are sampled with the same probability",
    ),
    Step(
        "sampling without replacement",
        of.sampled_gradient,
        (1 - C) / (C * (m - 1)) * of.dissimilarity,
        _SAMPLING,
        "C m of m clients have exactly q/(C m) of the variance of all, q = (1 - C) m/(m - 1)",
    ),
    Step(
        "dissimilarity of the sampled clients",
        of.dissimilarity,
        sigma_g**2,
        _SAMPLING,
        "the assumption",
    ),
    _as["Jensen over clients"],
    Step(
        "weight of the drift",
        of.client_errors,
        4 * of.error_weight,
        _DRIFT,
        "s L <= 1/24: a half and 3 s L are at most u = 5/8, times 4",
        kind="weight",
    ),
    Step(
        "weight of the gradient",
        of.gradient,
        -Rational(1, 2),
        _START,
        "s L <= 1/24: of the squared gradient that was set aside, 12 s L is at most a half",
        kind="weight",
    ),
    _as["Jensen over steps"],
    _as["smooth clients"],
)

_CLIENT_DRIFT = (
    replace(
        _as["solved for the displacement"],
        by=of.solution_factor * (of.displacement_remaining - _D * of.displacement),
        because="it stands on both sides, with the weight D = 2 eta^2 L^2 tau (tau - 1) on the right",
    ),
    _as["Young: noise and gradients"],
    _as["variance of the local steps"],
    Step(
        "noise counted",
        of.noise_weights,
        (tau - 1) / 2,
        _NOISE_DRIFT,
        "step k follows k gradients, (tau - 1)/2 in the mean",
    ),
    _as["Cauchy-Schwarz on the gradients"],
    replace(
        _as["gradients counted to the end"],
        because="every step is bounded by the gradients of all, c_i = tau (tau - 1)/2 in sum",
    ),
    _as["Young: gradients at the start"],
    _as["smooth along the local steps"],
    replace(_as["largest c_i: displacement"], name="equal steps: displacement",
            by=_COUNTED * of.displacement, kind="identity", because="all clients take tau steps"),
    replace(_as["largest c_i: gradients"], name="equal steps: gradients", by=_COUNTED * of.initial_gradients,
            kind="identity", because="all clients take tau steps"),
    Step(
        "2 for 1/(1 - D)",
        of.solution_factor,
        Integer(2),
        _DRIFT,
        "the lemma allows eta = 1/(2 L tau), where D may be 1/2; the theorem requires a quarter of that",
    ),
    Step(
        "Young: dissimilarity",
        of.initial_gradients,
        2 * of.dissimilarity + 2 * of.gradient,
        _DRIFT,
        "a client's gradient is the mean gradient plus a difference, which is orthogonal to it in the mean",
    ),
    Step(
        "dissimilarity of all", of.dissimilarity, sigma_g**2, _DRIFT, "the assumption"
    ),
    replace(_as["gradient set aside"], because="eta L tau <= 1/8: of the half left, the drift takes 5/16"),
    Step(
        "noise: 5/8 counted as 1",
        of.error_weight * sigma**2,
        sigma**2,
        _NOISE_DRIFT,
        "the published 8 = 4 2, with 1 for 5/8",
    ),
    Step(
        "drift: 5/8 counted as 1",
        of.error_weight * sigma_g**2,
        sigma_g**2,
        _DRIFT,
        "the published 32 = 4 8, with 1 for 5/8",
    ),
    _as["telescoping"],
)  # fmt: skip

PROOFS = (
    Proof(
        theorem("fedavg_nonconvex_partial"),
        of.gradient,
        _DESCENT + _CLIENT_DRIFT,
        {of.solution_factor: 1 / (1 - _D), of.error_weight: Rational(5, 8)},
        counted=Rational(1, 2),
    ),
)
