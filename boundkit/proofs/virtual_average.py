r"""Lemmas on the virtual average: the average of the clients' models after every local step.

With x_i^k the model of client i before its step k of a round, the virtual average y^k = mean_i x_i^k moves by
y^{k+1} = y^k - eta mean_i g_i(x_i^k). An atom is a mean over the local steps k < tau of the round, too: Q is
the gradient of the mean loss at y^k, and V_i = Q - grad F_i(x_i^k).

For convex losses two clients at distance r move to E r_+^2 <= (1 + 1/tau) r^2 + eta^2 ((4 tau + 6)
sigma_g^2 + 2 sigma^2) where eta L <= 2/3. From one model, r^2 after k steps is at most k + k (k - 1)/(2 tau)
+ k (k - 1)(k - 2)/(4 tau^2) times the last part, by induction for k <= tau.
"""

from __future__ import annotations

from typing import Any

from sympy import Rational, Symbol, sympify

from boundkit.algebra.notation import L, eta, m, sigma, sigma_g, tau
from boundkit.proofs.domain import Inequality
from boundkit.proofs.lemmas import Conclusion, Lemma
from boundkit.proofs.linear_form import LinearForm, client_vector, common_vector, data, inner, scalar, square
from boundkit.proofs.rounds import AlgorithmRound, decrease, next_square_distance, square_distance
from boundkit.proofs.scalar_inequalities import Interval

Q = common_vector("Q", "Q", "gradient of the mean loss at the virtual average")
V = client_vector("V", "V", "Q less the gradient of the client at its own model")
local_gradient = Q - V
"""The clients' gradients at their own models."""

_STEPS = r"{\textstyle\frac1\tau\sum_k}\,\mathbb{E}"
virtual_loss_gap = scalar(
    "mean E[F(y+) - F*]",
    rf"{_STEPS}[F(y^+)-F^*]",
    "loss above its minimum at the virtual average after a step",
)
virtual_move = scalar("mean E||y+ - y||^2", rf"{_STEPS}\|y^+-y\|^2", "squared step of the virtual average")
spread = scalar(
    "mean E||x_i - y||^2",
    rf"{_STEPS}\|x_i-y\|^2",
    "squared distance of the clients from the virtual average",
)
approach = scalar(
    "mean E<Q - V, y+ - x*>",
    rf"{_STEPS}\langle Q-V,y^+-x^*\rangle",
    "inner product of the clients' mean gradient with the distance from the optimum after a step",
    signed=True,
)
_u, _n = Symbol("u"), Symbol("n")
_THIRD_ORDER = Rational(1, 4)


def _descent(this: AlgorithmRound) -> Conclusion:
    s = this.length
    step = square(local_gradient.mean) + LinearForm({data(sigma**2): 1 / m})
    form = LinearForm({decrease: 1}) - s * inner(Q, local_gradient.mean) + s * eta * L / 2 * step
    return Conclusion(form, (Inequality(s, "s > 0", strict=True),))


def _alike_spread(_: AlgorithmRound) -> Conclusion:
    growth = tau * square(local_gradient) + LinearForm({data(sigma**2): 1})
    return Conclusion((eta * L) ** 2 * (tau - 1) * growth - square(V))


def _three_points(_: AlgorithmRound) -> Conclusion:
    return Conclusion(LinearForm({approach: 1, virtual_move: L, spread: L, virtual_loss_gap: -1}))


def _approach(this: AlgorithmRound) -> Conclusion:
    half = 1 / (2 * this.length)
    form = LinearForm({square_distance: half, next_square_distance: -half, virtual_move: -1 / (2 * eta)})
    return Conclusion(form + LinearForm({data(sigma**2): eta / m, approach: -1}))


def _convex_spread(_: AlgorithmRound, p: Any) -> Conclusion:
    p, third, steps = sympify(p), _THIRD_ORDER, 2 + _n
    added = LinearForm({data(sigma_g**2): eta**2 * (4 * tau + 6), data(sigma**2): 2 * eta**2})
    mean = 1 / Rational(2) + (steps - 2) / (6 * steps) + third * (steps - 2) * (steps - 3) / (4 * steps**2)
    return Conclusion(
        p / 2 * (tau - 1) * added - LinearForm({spread: 1}),
        (
            Inequality(2 - 3 * eta * L, "eta L <= 2/3"),
            Inequality(
                3 * third - Rational(1, 2) - third * _u,
                "induction for the distance of two clients",
                box={_u: Interval.of(0, 1)},
            ),
            Inequality(p - mean, f"mean over the steps, p = {p}", box={_n: Interval.of(0)}),
        ),
    )


_AVERAGED = ("fedavg", "local_sgd")
_ROUND = ("bounded-noise", "full-participation", "common-local-steps", "server-step-one")
_ALIKE = ("smooth", "alike-clients", *_ROUND)
_CONVEX = ("convex", "equal-weights", *_ROUND)

VIRTUAL_DESCENT = Lemma(
    "descent of the virtual average",
    "E F(x+) <= E F(x) - s mean_k <Q, Q - V> + (s eta L/2) (mean_k ||Q - V||^2 + sigma^2/m), s = eta tau",
    "the descent lemma for every step of the virtual average, whose mean gradient Q - V has independent "
    "noise of m clients; x and x+ are the first and the last virtual average of the round",
    _ALIKE,
    _descent,
    algorithms=_AVERAGED,
)
ALIKE_SPREAD = Lemma(
    "gradients of clients with one loss",
    "mean ||V_i||^2 <= (eta L)^2 (tau - 1) (tau mean ||Q - V_i||^2 + sigma^2)",
    "$||V_i|| <= L ||x_i - y||$; the mean of $||x_i - y||^2$ is at most that of eta^2 $||g_1 + ... + "
    "g_k||^2$, which is at most twice its noise, $k sigma^2$, and twice k times the sum of squared "
    "gradients; $k < tau$ sum to tau (tau - 1)/2",
    _ALIKE,
    _alike_spread,
    algorithms=_AVERAGED,
)
VIRTUAL_THREE_POINTS = Lemma(
    "three points at the virtual average",
    "mean F(y+) - F* <= mean <Q - V, y+ - x*> + L mean ||y+ - y||^2 + L mean ||x_i - y||^2",
    "convexity of $F_i$ at $x_i$ towards $x*$, smoothness from $x_i$ to $y+$, and "
    "$||y+ - x_i||^2 <= 2 ||y+ - y||^2 + 2 ||y - x_i||^2$",
    ("smooth", *_CONVEX),
    _three_points,
    algorithms=_AVERAGED,
)
VIRTUAL_APPROACH = Lemma(
    "approach of the virtual average",
    "mean <Q - V, y+ - x*> <= (||x - x*||^2 - ||x+ - x*||^2)/(2 s) - mean ||y+ - y||^2/(2 eta) + eta "
    "sigma^2/m",
    "polarization of y+ - y, which is -eta times Q - V and noise, summed over the steps",
    _CONVEX,
    _approach,
    algorithms=_AVERAGED,
)
CONVEX_SPREAD = Lemma(
    "distance of convex clients",
    "mean ||x_i - y||^2 <= (p/2) (tau - 1) eta^2 ((4 tau + 6) sigma_g^2 + 2 sigma^2) for eta L <= 2/3",
    "half of the mean squared distance r of two clients: the mean loss is cocoercive, gradients of two "
    "clients differ by at most 2 sigma_g more, Young by 1/tau and by 2; induction over the steps",
    ("smooth", "uniform-dissimilarity", *_CONVEX),
    _convex_spread,
    algorithms=_AVERAGED,
)
