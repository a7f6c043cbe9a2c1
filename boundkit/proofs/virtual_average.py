r"""Lemmas on the virtual average: the average of the clients' models after every local step.

With x_i^k the model of client i before its step k of a round, the virtual average y^k = mean_i x_i^k moves by
y^{k+1} = y^k - eta mean_i g_i(x_i^k). An atom is a mean over the local steps k < tau of the round, too: Q is
the gradient of the mean loss at y^k, and V_i = Q - grad F_i(x_i^k).

For convex losses and eta L <= 2 a step of client i is 1-Lipschitz. With z^k the models of gradient descent on
the mean loss from the same x, E||x_i^{k+1} - z^{k+1}||^2 <= (r + eta d_i)^2 + eta^2 sigma^2, r^2 = E||x_i^k -
z^k||^2 and d_i <= sigma_g how far the gradients of F_i and F at z^k are apart. From one model, r^2 <= eta^2
(a^2 k^2 sigma_g^2/(2 a - 1) + a k sigma^2/(a - 1)) after k steps, for every a > 1: Young with a k, by which
2 eta sigma_g r <= a k eta^2 sigma_g^2 + r^2/(a k), in the induction.
"""

from __future__ import annotations

from typing import Any

from sympy import sympify

from boundkit.algebra.notation import L, T, distance, eta, m, sigma, sigma_g, tau
from boundkit.proofs.domain import Inequality
from boundkit.proofs.lemmas import Conclusion, Lemma
from boundkit.proofs.linear_form import LinearForm, client_vector, common_vector, data, inner, scalar, square
from boundkit.proofs.rounds import AlgorithmRound, decrease, next_square_distance, square_distance

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
spread = scalar(
    "mean E||x_i - y||^2",
    rf"{_STEPS}\|x_i-y\|^2",
    "squared distance of the clients from the virtual average",
)
approach = scalar(
    "mean E<Q - V, y - x*>",
    rf"{_STEPS}\langle Q-V,y-x^*\rangle",
    "inner product of the clients' mean gradient with the distance from the optimum",
    signed=True,
)


def _descent(this: AlgorithmRound) -> Conclusion:
    s = this.length
    step = square(local_gradient.mean) + LinearForm({data(sigma**2): 1 / m})
    form = LinearForm({decrease: 1}) - s * inner(Q, local_gradient.mean) + s * eta * L / 2 * step
    return Conclusion(form, (Inequality(s, "s > 0", strict=True),))


def _alike_spread(_: AlgorithmRound) -> Conclusion:
    growth = tau * square(local_gradient) + LinearForm({data(sigma**2): 1})
    return Conclusion((eta * L) ** 2 * (tau - 1) * growth - square(V))


def _three_points(_: AlgorithmRound) -> Conclusion:
    form = LinearForm({approach: 1, spread: L / 2, decrease: -1 / tau, virtual_loss_gap: -1})
    return Conclusion(form - 1 / (2 * L) * square(local_gradient.mean))


def _approach(this: AlgorithmRound) -> Conclusion:
    half = 1 / (2 * this.length)
    form = LinearForm({square_distance: half, next_square_distance: -half, approach: -1})
    step = square(local_gradient.mean) + LinearForm({data(sigma**2): 1 / m})
    return Conclusion(form + eta / 2 * step)


def _convex_spread(_: AlgorithmRound, a: Any) -> Conclusion:
    a = sympify(a)
    shift, noise = a**2 / (2 * a - 1), a / (a - 1)
    added = LinearForm({data(sigma_g**2): shift * (2 * tau - 1) / 6, data(sigma**2): noise / 2})
    return Conclusion(
        eta**2 * (tau - 1) * added - LinearForm({spread: 1}),
        (
            Inequality(a - 1, f"a = {a} > 1", strict=True),
            Inequality(2 - eta * L, "eta L <= 2"),
        ),
    )


def _telescoping(_: AlgorithmRound, part: Any) -> Conclusion:
    part = sympify(part)
    form = LinearForm({data(distance**2): 1 / T, square_distance: -1, next_square_distance: 1})
    return Conclusion(
        form + LinearForm({decrease: 2 * part / L}),
        (Inequality(part, f"{part} >= 0"), Inequality(1 - part, f"{part} <= 1")),
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
    "mean F(y+) - F* <= mean <Q - V, y - x*> + (L/2) mean ||x_i - y||^2 - ||Q - V||^2/(2 L) + (F(x+) - "
    "F(x))/tau",
    "at $x*$ a convex $F_i$ is above its tangent of $x_i$ by $||grad F_i(x_i) - grad F_i(x*)||^2/(2 L)$, "
    "whose mean over clients is at least $||Q - V||^2/(2 L)$; smoothness from $x_i$ to y; and means over y+ "
    "and y differ by the ends of the round",
    ("smooth", *_CONVEX),
    _three_points,
    algorithms=_AVERAGED,
)
VIRTUAL_APPROACH = Lemma(
    "approach of the virtual average",
    "mean <Q - V, y - x*> <= (||x - x*||^2 - ||x+ - x*||^2)/(2 s) + (eta/2) (||Q - V||^2 + sigma^2/m), s = "
    "eta tau",
    "$||y+ - x*||^2$ multiplied out, where y+ - y is -eta times Q - V and noise of m clients; summed over "
    "the steps",
    _CONVEX,
    _approach,
    algorithms=_AVERAGED,
)
CONVEX_SPREAD = Lemma(
    "distance of convex clients",
    "mean ||x_i - y||^2 <= eta^2 (tau - 1) (a^2 (2 tau - 1) sigma_g^2/(6 (2 a - 1)) + a sigma^2/(2 (a - 1))) "
    "for eta L <= 2, a > 1",
    "at most the mean of $||x_i - z||^2$, z gradient descent on the mean loss; steps on convex losses are "
    "1-Lipschitz, gradients at z differ by at most sigma_g; Young with $a k$, and induction over the steps",
    ("smooth", "uniform-dissimilarity", *_CONVEX),
    _convex_spread,
    algorithms=_AVERAGED,
)
TELESCOPING_DISTANCE_AND_LOSS = Lemma(
    "telescoping distance and loss",
    "(1/T) sum_{t<T} E[||x_t - x*||^2 - ||x_{t+1} - x*||^2 - (2 p/L) (F(x_t) - F(x_{t+1}))] <= ||x_0 - "
    "x*||^2/T, 0 <= p <= 1",
    "$F(x_0) >= F*$, and $||x_T - x*||^2 >= (2/L) (F(x_T) - F*)$ by smoothness at $x*$",
    ("smooth", *_CONVEX),
    _telescoping,
    over_rounds=True,
    algorithms=_AVERAGED,
)
