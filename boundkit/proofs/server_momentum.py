"""Lemmas on a server with momentum (heavy ball or Nesterov): b_t = beta_s b_{t-1} + d_t.

The sequence z = x - eta_s/(1 - beta_s) gamma b_{t-1} eta tau, gamma = beta_s (1 - nesterov (1 - beta_s)),
takes plain steps: z+ = z - s d, s = eta_s eta tau/(1 - beta_s), d with the mean a given x. So x - z is s
gamma sum_j beta_s^j d_{t-1-j}, of which the means are at most (s gamma/(1 - beta_s))^2 ||a||^2 in the mean
over the rounds, and the noises s^2 gamma^2/(1 - beta_s^2) Var d: they are martingale differences.
Cauchy-Schwarz with ||a|| gives 1/(1 - beta_s) and half of it again, and 1/(2 (1 + beta_s)) of the variance.
Atoms are means over the rounds t < T.
"""

from __future__ import annotations

from sympy import Expr

from boundkit.algebra.notation import L, T, beta_s, distance, gap, nesterov
from boundkit.proofs.domain import Inequality
from boundkit.proofs.lemmas import Conclusion, Lemma
from boundkit.proofs.linear_form import LinearForm, data, inner, scalar, square
from boundkit.proofs.rounds import MOMENTUM, AlgorithmRound, X, a, direction, g

gamma: Expr = beta_s * (1 - nesterov * (1 - beta_s))
noise_factor: Expr = 1 + gamma / (1 + beta_s)
mean_factor: Expr = 1 + 3 * gamma / (1 - beta_s)

decrease_of_sequence = scalar(
    "E[F(z) - F(z+)]", r"\mathbb{E}[F(z)-F(z^+)]", "decrease of the loss along z in the round", signed=True
)
approach_of_sequence = scalar(
    "E[||z - x*||^2 - ||z+ - x*||^2]",
    r"\mathbb{E}[\|z-x^*\|^2-\|z^+-x^*\|^2]",
    "decrease of the squared distance of z from the optimum in the round",
    signed=True,
)


def _step(this: AlgorithmRound) -> LinearForm:
    """Return s^2 times the squared step, with the factors of momentum for its noise and for its mean."""
    mean = (mean_factor - noise_factor) * square(a.mean)
    step: LinearForm = this.length**2 * (LinearForm({direction: noise_factor}) + mean)
    return step


def _descent(this: AlgorithmRound) -> Conclusion:
    s = this.length
    form = LinearForm({decrease_of_sequence: 1}) - s * inner(g.mean, a.mean) + L / 2 * _step(this)
    return Conclusion(form, (Inequality(s, "s > 0", strict=True),))


def _distance(this: AlgorithmRound) -> Conclusion:
    s = this.length
    form = LinearForm({approach_of_sequence: 1}) - 2 * s * inner(a.mean, X) + _step(this)
    return Conclusion(form, (Inequality(s, "s > 0", strict=True),))


def _telescoping_loss(_: AlgorithmRound) -> Conclusion:
    return Conclusion(LinearForm({data(gap): 1 / T, decrease_of_sequence: -1}))


def _telescoping_distance(_: AlgorithmRound) -> Conclusion:
    return Conclusion(LinearForm({data(distance**2): 1 / T, approach_of_sequence: -1}))


_MOMENTUM = (
    "smooth",
    "bounded-noise",
    "equal-weights",
    "common-local-steps",
    ("full-participation", "partial-participation"),
)
_CONVEX = ("convex", "strongly-convex")

MOMENTUM_DESCENT = Lemma(
    "descent with server momentum",
    "E F(z+) <= E F(z) - s <g, a> + (L s^2/2) ((1 + gamma/(1 + beta_s)) E||v||^2 + (3 gamma/(1 - beta_s) - "
    "gamma/(1 + beta_s)) ||a||^2), in the mean over the rounds",
    "the descent lemma for $z+ = z - s v$, where $||grad F(z) - g|| <= L ||z - x||$, and the sums above for "
    "$z - x$; the variance of $v$ is $E||v||^2 - ||a||^2$",
    _MOMENTUM,
    _descent,
    over_rounds=True,
    kinds=(MOMENTUM,),
)
MOMENTUM_DISTANCE = Lemma(
    "squared distance with server momentum",
    "E||z+ - x*||^2 <= E||z - x*||^2 - 2 s <a, x - x*> + s^2 ((1 + gamma/(1 + beta_s)) E||v||^2 + (3 "
    "gamma/(1 - beta_s) - gamma/(1 + beta_s)) ||a||^2), in the mean over the rounds",
    "$z+ = z - s v$, and the sums above for $<a, z - x>$",
    (*_MOMENTUM, _CONVEX),
    _distance,
    over_rounds=True,
    kinds=(MOMENTUM,),
)
MOMENTUM_TELESCOPING_LOSS = Lemma(
    "telescoping along the sequence of momentum",
    "(1/T) sum_{t<T} E[F(z_t) - F(z_{t+1})] <= gap/T",
    "$z_0 = x_0$, and $F(z_T) >= F_inf$",
    ("bounded-below",),
    _telescoping_loss,
    over_rounds=True,
    kinds=(MOMENTUM,),
)
MOMENTUM_TELESCOPING_DISTANCE = Lemma(
    "telescoping distance along the sequence of momentum",
    "(1/T) sum_{t<T} E[||z_t - x*||^2 - ||z_{t+1} - x*||^2] <= ||x_0 - x*||^2/T",
    "$z_0 = x_0$, and $||z_T - x*||^2 >= 0$",
    (_CONVEX,),
    _telescoping_distance,
    over_rounds=True,
    kinds=(MOMENTUM,),
)
