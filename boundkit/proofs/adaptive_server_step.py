"""Lemmas on a server step that adapts to the updates, with full gradients and all clients.

A round is x+ = x - eta_s s a with s = eta tau, where eta_s changes from round to round and eta_s ||a||^2 <=
mean_i ||a_i||^2. Every atom is a mean over the rounds with the server steps as weights; a decrease in a round
is therefore divided by the round's eta_s, and telescopes to its sum over T eta_s_mean.
"""

from __future__ import annotations

from sympy import Rational

from boundkit.algebra.notation import L, T, distance, eta, eta_s_mean, gap, sigma_star, tau
from boundkit.proofs import local_steps
from boundkit.proofs.domain import Inequality
from boundkit.proofs.lemmas import Conclusion, Lemma
from boundkit.proofs.linear_form import LinearForm, data, inner, scalar, square
from boundkit.proofs.rounds import (
    PRIVATE,
    ROBUST,
    ROUND,
    AlgorithmRound,
    X,
    a,
    displacement,
    e,
    g,
    loss_gap,
    o,
)

decrease_by_step = scalar(
    "(F(x) - F(x+))/eta_s",
    r"(F(x)-F(x_+))/\eta_s",
    "decrease of the loss in the round, over the server step",
    signed=True,
)
approach_by_step = scalar(
    "(||x - x*||^2 - ||x+ - x*||^2)/eta_s",
    r"(\|x-x^*\|^2-\|x_+-x^*\|^2)/\eta_s",
    "decrease of the squared distance from the optimum in the round, over the server step",
    signed=True,
)
iterate_gap = scalar(
    "F(xw) - F*",
    r"F(\bar x_w)-F^*",
    "loss above its minimum, of the mean model with the server steps as weights",
)


def _descent(this: AlgorithmRound) -> Conclusion:
    s = this.length
    form = LinearForm({decrease_by_step: 1}) - s * inner(g.mean, a.mean) + L * s**2 / 2 * square(a)
    return Conclusion(form, (Inequality(s, "s > 0", strict=True),))


def _distance(this: AlgorithmRound) -> Conclusion:
    s = this.length
    form = LinearForm({approach_by_step: 1}) - 2 * s * inner(a.mean, X) + s**2 * square(a)
    return Conclusion(form, (Inequality(s, "s > 0", strict=True),))


def _telescoping_loss(_: AlgorithmRound) -> Conclusion:
    return Conclusion(LinearForm({data(gap): 1 / (eta_s_mean * T), decrease_by_step: -1}))


def _telescoping_distance(_: AlgorithmRound) -> Conclusion:
    return Conclusion(LinearForm({data(distance**2): 1 / (eta_s_mean * T), approach_by_step: -1}))


def _mean_model(_: AlgorithmRound) -> Conclusion:
    return Conclusion(LinearForm({loss_gap: 1, iterate_gap: -1}))


def _bias(_: AlgorithmRound, h: object) -> Conclusion:
    factor, hypotheses = local_steps.bias_of_gradients(h)
    return Conclusion((eta * L * (tau - 1)) ** 2 * factor * square(g) - square(e), hypotheses)


_STABLE = (Inequality(2 - eta * L, "eta L <= 2"),)


def _direction(_: AlgorithmRound) -> Conclusion:
    return Conclusion(square(g) - square(a), _STABLE)


def _displacement(_: AlgorithmRound) -> Conclusion:
    factor = eta**2 * (tau - 1) * (2 * tau - 1) / 6
    return Conclusion(factor * square(g) - LinearForm({displacement: 1}), _STABLE)


def _gradients_and_optimum(_: AlgorithmRound) -> Conclusion:
    return Conclusion(LinearForm({loss_gap: 2 * L}) - square(g - o))


def _optimum_dissimilarity(_: AlgorithmRound) -> Conclusion:
    return Conclusion(LinearForm({data(sigma_star**2): Rational(1)}) - square(o))


_ROUNDS = ("adaptive-server-step", "no-noise", "full-participation", "equal-weights", "common-local-steps")
_CONVEX = ("convex", "strongly-convex")
_LOCAL = ("smooth", "no-noise", "common-local-steps")

ADAPTIVE_DESCENT = Lemma(
    "descent with an adaptive server step",
    "F(x+) <= F(x) - eta_s s <grad F(x), a> + eta_s (L s^2/2) mean_i ||a_i||^2",
    "the descent lemma for $x+ = x - eta_s s a$, and $eta_s ||a||^2 <= mean_i ||a_i||^2$",
    ("smooth", *_ROUNDS),
    _descent,
)
ADAPTIVE_DISTANCE = Lemma(
    "squared distance with an adaptive server step",
    "||x+ - x*||^2 <= ||x - x*||^2 - 2 eta_s s <a, x - x*> + eta_s s^2 mean_i ||a_i||^2",
    "$x+ = x - eta_s s a$, and $eta_s ||a||^2 <= mean_i ||a_i||^2$",
    (_CONVEX, *_ROUNDS),
    _distance,
)
WEIGHTED_TELESCOPING_LOSS = Lemma(
    "telescoping with server steps as weights",
    "sum_{t<T} (F(x_t) - F(x_{t+1})) <= gap, over T eta_s_mean = sum_{t<T} eta_s^t",
    "$F(x_T) >= F_inf$",
    ("bounded-below", "adaptive-server-step"),
    _telescoping_loss,
    over_rounds=True,
    weighted=True,
)
WEIGHTED_TELESCOPING_DISTANCE = Lemma(
    "telescoping distance with server steps as weights",
    "sum_{t<T} (||x_t - x*||^2 - ||x_{t+1} - x*||^2) <= ||x_0 - x*||^2, over T eta_s_mean",
    "$||x_T - x*||^2 >= 0$",
    (_CONVEX, "adaptive-server-step"),
    _telescoping_distance,
    over_rounds=True,
    weighted=True,
)
MEAN_MODEL = Lemma(
    "loss of the mean model",
    "F of the mean model is at most the mean of F(x_t), with the server steps as weights",
    "$F$ is convex",
    (_CONVEX, "adaptive-server-step"),
    _mean_model,
    over_rounds=True,
    weighted=True,
)
GRADIENT_BIAS = Lemma(
    "bias of local steps along full gradients",
    "mean_i ||e_i||^2 <= eta^2 L^2 (tau - 1)^2 (1/2 + h/(3 (2 - h)))^2 mean_i ||g_i||^2 for eta L (tau - 1) "
    "<= h",
    "induction for the displacement, $k (1 + eta L (k - 1)/(2 - h)) eta ||g_i||$, summed over $k < tau$",
    _LOCAL,
    _bias,
    kinds=(ROUND, ROBUST, PRIVATE),
)
GRADIENT_DIRECTION = Lemma(
    "direction of convex local steps along full gradients",
    "mean_i ||a_i||^2 <= mean_i ||g_i||^2 for eta L <= 2",
    "a step is 1-Lipschitz for a convex loss, so that gradients do not grow along the steps",
    (*_LOCAL, _CONVEX),
    _direction,
)
GRADIENT_DISPLACEMENT = Lemma(
    "displacement of convex local steps along full gradients",
    "mean ||x - y_{i,k}||^2 <= eta^2 (tau - 1) (2 tau - 1)/6 mean_i ||g_i||^2 for eta L <= 2",
    "gradients do not grow: $||x - y_{i,k}|| <= eta k ||g_i||$; the sum of $k^2$ over $k < tau$",
    (*_LOCAL, _CONVEX),
    _displacement,
)
GRADIENTS_AND_OPTIMUM = Lemma(
    "gradients against those at the optimum",
    "mean_i ||g_i - o_i||^2 <= 2 L (F(x) - F*), o_i = grad F_i(x*)",
    "$||grad F_i(x) - grad F_i(x*)||^2 <= 2 L (F_i(x) - F_i(x*) - <grad F_i(x*), x - x*>)$, whose last parts "
    "cancel in the mean",
    ("smooth", _CONVEX, "equal-weights"),
    _gradients_and_optimum,
)
OPTIMUM_DISSIMILARITY = Lemma(
    "dissimilarity at the optimum",
    "mean_i ||o_i||^2 <= sigma_star^2",
    "the assumption",
    (_CONVEX, "optimum-dissimilarity", "equal-weights"),
    _optimum_dissimilarity,
)
