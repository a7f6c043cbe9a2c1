"""Proof of FedAvg with C m participating clients in a round.

As for FedNova, G = 4 <g, H> - 2 ||H||^2 + 2 ||g - H||^2 - G. The client drift is bounded by its own lemma,
for every eta <= 1/(2 L tau): there D = 2 eta^2 L^2 tau (tau - 1) <= 1/2, and 2 replaces 1/(1 - D).
"""

from __future__ import annotations

from dataclasses import replace

from sympy import Integer, Rational

from boundkit.algebra.notation import C, L, eta, eta_s, m, sigma, sigma_g, tau
from boundkit.proofs import expectations as of
from boundkit.proofs.fednova import DESCENT, WALK
from boundkit.proofs.proof import Proof, Step
from boundkit.theorems import theorem

_s = eta_s * eta * tau
_D = 2 * eta**2 * L**2 * tau * (tau - 1)
_COUNTED = tau * (tau - 1) / 2
_START, _NOISE, _WALK, _DRIFT = "initial gap", "stochastic noise", "noise drift", "client drift"
_CHOSEN = "partial participation"
_as = {step.name: step for step in (*DESCENT, *WALK)}

_DESCENT = (
    _as["four halves"],
    replace(_as["direction dropped"], because="it is not used at all: E||v||^2 is paid for by s L <= 1/24"),
    replace(_as["smooth mean"], by=of.decrease / _s + _s * L * of.moved / 2),
    replace(_as["Young: noise split off"], by=2 * of.noise + 2 * of.chosen_moved),
    replace(_as["variance of the noise"], by=sigma**2 / (C * m * tau)),
    Step(
        "Young: three parts",
        of.chosen_moved,
        3 * of.chosen_apart + 3 * of.chosen_gradient + 3 * of.gradient,
        _CHOSEN,
        "what the walks changed, who was chosen, and the gradient: at most three times their squares",
    ),
    Step(
        "Jensen over the chosen",
        of.chosen_apart,
        of.clients_missed,
        _DRIFT,
        "a square of a mean, and every client is chosen as often as any other",
    ),
    Step(
        "sampling without replacement",
        of.chosen_gradient,
        (1 - C) / (C * (m - 1)) * of.dissimilarity,
        _CHOSEN,
        "C m of m clients have exactly q/(C m) of the variance of all, q = (1 - C) m/(m - 1)",
    ),
    Step(
        "dissimilarity of the chosen",
        of.dissimilarity,
        sigma_g**2,
        _CHOSEN,
        "the assumption",
    ),
    _as["Jensen over clients"],
    Step(
        "weight of the walk",
        of.clients_missed,
        4 * of.share_of_walk,
        _DRIFT,
        "s L <= 1/24: a half and 3 s L are at most u = 5/8, times 4",
        kind="weight",
    ),
    Step(
        "weight of the gradient",
        of.gradient,
        -Rational(1, 2),
        _START,
        "s L <= 1/24: of the whole that was set aside, 12 s L is at most a half",
        kind="weight",
    ),
    _as["Jensen over steps"],
    _as["smooth clients"],
)

_COUNTING = (
    replace(
        _as["solved for the walk"],
        by=of.solved * (of.walk_on - _D * of.walk),
        because="it will stand on both sides, with the weight D = 2 eta^2 L^2 tau (tau - 1) on the right",
    ),
    _as["Young: noise and pull"],
    _as["variance of the walk"],
    Step(
        "noise counted",
        of.noise_way,
        (tau - 1) / 2,
        _WALK,
        "step k counts k gradients, (tau - 1)/2 in the mean",
    ),
    _as["Cauchy-Schwarz on the pull"],
    replace(
        _as["pull counted to the end"],
        because="every step is charged the gradients of all, c_i = tau (tau - 1)/2 in sum",
    ),
    _as["Young: pull at the start"],
    _as["smooth on the way"],
    replace(_as["busiest client: walk"], name="alike work: walk", by=_COUNTED * of.walk, kind="identity",
            because="all clients take tau steps"),
    replace(_as["busiest client: pull"], name="alike work: pull", by=_COUNTED * of.start_gradients,
            kind="identity", because="all clients take tau steps"),
    Step(
        "2 for 1/(1 - D)",
        of.solved,
        Integer(2),
        _DRIFT,
        "the lemma allows eta = 1/(2 L tau), where D may be 1/2; the theorem asks for a quarter of that",
    ),
    Step(
        "Young: pull and dissimilarity",
        of.start_gradients,
        2 * of.dissimilarity + 2 * of.gradient,
        _DRIFT,
        "a client's gradient is the mean one and a difference; they are in fact orthogonal in the mean",
    ),
    Step(
        "dissimilarity of all", of.dissimilarity, sigma_g**2, _DRIFT, "the assumption"
    ),
    replace(_as["gradient set aside"], because="eta L tau <= 1/8: of the half left, the drift takes 5/16"),
    Step(
        "noise: 5/8 counted as 1",
        of.share_of_walk * sigma**2,
        sigma**2,
        _WALK,
        "the published 8 = 4 2, with 1 for 5/8",
    ),
    Step(
        "pull: 5/8 counted as 1",
        of.share_of_walk * sigma_g**2,
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
        _DESCENT + _COUNTING,
        {of.solved: 1 / (1 - _D), of.share_of_walk: Rational(5, 8)},
        counted=Rational(1, 2),
    ),
)
