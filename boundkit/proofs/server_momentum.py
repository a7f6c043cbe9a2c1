"""Lemmas on a server with momentum (heavy ball or Nesterov): b_t = beta_s b_{t-1} + d_t.

The sequence z = x - eta_s/(1 - beta_s) gamma b_{t-1} eta tau, gamma = beta_s (1 - nesterov (1 - beta_s)),
takes plain steps: z+ = z - s d, s = eta_s eta tau/(1 - beta_s), d with the mean a given x. So x - z is s
gamma b_{t-1}, and b_{t-1} = sum_j beta_s^j d_{t-1-j}. For vectors v_t the sums over the rounds of <v_t,
b_{t-1}> and of ||v_t|| ||b_{t-1}|| are, for all w, u > 0, at most those of
    (w + u)/(1 - beta_s) ||v||^2 + 1/(4 w (1 - beta_s)) ||a||^2 + 1/(4 u (1 + beta_s)) Var d;
the means of d by Young's inequality for convolutions, and the noises as they are martingale differences,
whose sum has the variance sum_j beta_s^(2 j) Var d_{t-1-j}. For v = a the means need 1/(1 - beta_s) alone.

The gradient g at x has a smaller inner product with b_{t-1}, if the losses are convex. Let c = gamma/beta_s
and q = eta_s eta tau. Then y_t = x_t + q c b_{t-1} is x_{t-1} - q nesterov d_{t-1}, so that q c <g_t,
b_{t-1}> <= F(y_t) - F(x_t) by convexity, and F(y_t) <= F(x_{t-1}) - q nesterov <g_{t-1}, d_{t-1}> + L/2 q^2
nesterov^2 ||d_{t-1}||^2 by smoothness. The sum over 1 <= t < T is at most F(x_0) - F(x_{T-1}) and the other
terms, and with F(y_T) >= F* those of the last round are among them. F(x_0) - F* <= L/2 ||x_0 - x*||^2.
Atoms are means over the rounds t < T.
"""

from __future__ import annotations

from typing import Any

from sympy import Expr, sympify

from boundkit.algebra.notation import L, T, beta_s, distance, fresh, gap, nesterov
from boundkit.proofs.domain import Inequality
from boundkit.proofs.lemmas import Conclusion, Lemma
from boundkit.proofs.linear_form import LinearForm, data, inner, scalar, square
from boundkit.proofs.rounds import (
    LOCAL_MOMENTUM,
    MOMENTUM,
    AlgorithmRound,
    X,
    a,
    direction,
    e,
    g,
    kind_of,
)

gamma: Expr = beta_s * (1 - nesterov * (1 - beta_s))


def noise_factor(w: Any, beta: Expr = beta_s, gamma: Expr = gamma) -> Expr:
    """Return the factor of the variances in the descent along z."""
    return 1 + gamma / (w * (1 + beta))


def mean_factor(w: Any, beta: Expr = beta_s, gamma: Expr = gamma) -> Expr:
    """Return the factor of the squared mean directions in the descent along z."""
    return 1 + (2 + w) * gamma / (1 - beta)


decrease_of_sequence = scalar(
    "E[F(z) - F(z+)]", r"\mathbb{E}[F(z)-F(z^+)]", "decrease of the loss along z in the round", signed=True
)
approach_of_sequence = scalar(
    "E[||z - x*||^2 - ||z+ - x*||^2]",
    r"\mathbb{E}[\|z-x^*\|^2-\|z^+-x^*\|^2]",
    "decrease of the squared distance of z from the optimum in the round",
    signed=True,
)


def _descent(this: AlgorithmRound, w: Any) -> Conclusion:
    w, s = sympify(w), this.length
    momentum = (beta_s, gamma) if kind_of(this.theorem) == MOMENTUM else (1 - fresh, 1 - fresh)
    noise, mean = noise_factor(w, *momentum), mean_factor(w, *momentum)
    step = s**2 * (LinearForm({direction: noise}) + (mean - noise) * square(a.mean))
    form = LinearForm({decrease_of_sequence: 1}) - s * inner(g.mean, a.mean) + L / 2 * step
    return Conclusion(form, (Inequality(s, "s > 0", strict=True), Inequality(w, f"w = {w} > 0", strict=True)))


def _distance(this: AlgorithmRound, w: Any, u: Any) -> Conclusion:
    w, u, s = sympify(w), sympify(u), this.length
    ahead = s * L * beta_s * (1 - beta_s) * nesterov
    noise, mean = gamma / (2 * u * (1 + beta_s)), gamma / (2 * w * (1 - beta_s))
    squares = LinearForm({direction: 1 + ahead + noise}) + (mean - noise) * square(a.mean)
    errors = 2 * (w + u) * gamma / (1 - beta_s) * square(e.mean)
    start = LinearForm({approach_of_sequence: 1, data(distance**2): s * L * beta_s / ((1 - beta_s) * T)})
    form = start - 2 * s * inner(a.mean, X) + s**2 * (squares + errors)
    form = form - 2 * s**2 * beta_s * nesterov * inner(g.mean, a.mean)
    positive = tuple(Inequality(v, f"{name} = {v} > 0", strict=True) for name, v in (("w", w), ("u", u)))
    return Conclusion(form, (Inequality(s, "s > 0", strict=True), *positive))


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
    "E F(z+) <= E F(z) - s <g, a> + (L s^2/2) (N E||v||^2 + (M - N) ||a||^2), N = 1 + gamma/(w (1 + "
    "beta_s)), M = 1 + (2 + w) gamma/(1 - beta_s), w > 0, in the mean over the rounds",
    "the descent lemma for $z+ = z - s v$, where $||grad F(z) - g|| <= L ||z - x||$, and the sums above for "
    "$z - x$; $a$ is the mean of $v$ given $x$, and its variance $E||v||^2 - ||a||^2$",
    _MOMENTUM,
    _descent,
    over_rounds=True,
    kinds=(MOMENTUM, LOCAL_MOMENTUM),
)
MOMENTUM_DISTANCE = Lemma(
    "squared distance with server momentum",
    "E||z+ - x*||^2 <= E||z - x*||^2 - 2 s <a, x - x*> - 2 s^2 beta_s n <g, a> + s^2 ((1 + s L beta_s (1 - "
    "beta_s) n + N) E||v||^2 + (M - N) ||a||^2 + 2 (w + u) gamma/(1 - beta_s) ||e||^2) + s L beta_s/((1 - "
    "beta_s) T) ||x_0 - x*||^2, N = gamma/(2 u (1 + beta_s)), M = gamma/(2 w (1 - beta_s)), n = nesterov, "
    "w, u > 0, in the mean over the rounds",
    "$z+ = z - s v$ and $<a, b> = <g, b> - <e, b>$; the first by convexity, the second by the sums above",
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
    kinds=(MOMENTUM, LOCAL_MOMENTUM),
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
