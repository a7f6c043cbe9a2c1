"""Lemmas on the local models of convex losses by their means and variances, given the start of the round.

Noise costs half as much as another displacement of the same size. With d = y_{i,k} - x, D = grad F_i(y_{i,k})
- grad F_i(x), and ' for what is less its mean, interpolation between y_{i,k} and x and between y_{i,k} and x*
leave E<D, d> less E||D||^2/(2 L) and less E||grad F_i(y_{i,k}) - grad F_i(x*)||^2/(2 L) to be paid. Both of
these squares have the variance E||D'||^2, and E<D', d'> <= E||D'||^2/L + (L/4) E||d'||^2.

A convex F_i less L ||.||^2/4 has an (L/2)-Lipschitz gradient. So E grad F_i(y_{i,k}) is at most (L/2) V^{1/2}
from the gradient at the mean, V = Var y_{i,k}, and ||E D||^2 <= (L^2/4) ((w^2 + V)^{1/2} + w)^2 <= L^2 (w^2 +
V/2), w = ||E d||.
"""

from __future__ import annotations

from typing import Any

from sympy import sympify

from boundkit.algebra.notation import L, eta, mu, sigma, tau
from boundkit.proofs.domain import Inequality
from boundkit.proofs.lemmas import Conclusion, Lemma
from boundkit.proofs.linear_form import LinearForm, Vector, data, inner, scalar, square
from boundkit.proofs.rounds import MOMENTUM, ROUND, AlgorithmRound, X, a, e, g, loss_gap, o, square_distance

_MEAN = r"{\textstyle\frac1m\sum_i\frac1\tau\sum_{k<\tau}}\,"
model_variance = scalar(
    "mean Var y_{i,k}",
    rf"{_MEAN}\mathrm{{Var}}\,y_{{i,k}}",
    "variance of the local models, given x, mean over clients and steps",
)
mean_displacement = scalar(
    "mean ||x - E y_{i,k}||^2",
    rf"{_MEAN}\|x-\mathbb{{E}}\,y_{{i,k}}\|^2",
    "squared distance of the means of the local models from x, mean over clients and steps",
)

mean_drift = scalar(
    "||x - mean E y_{i,k}||^2",
    rf"\|x-{_MEAN}\mathbb{{E}}\,y_{{i,k}}\|^2",
    "squared distance of the mean of all local models from x",
)


def _three_points(this: AlgorithmRound, part: Any = 0, v: Any = "1/2", of: Vector = a.mean) -> Conclusion:
    part, v, curved = sympify(part), sympify(v), this.assumes("strongly-convex")
    form = inner(a.mean, X) - part / (2 * L) * square(of)
    form = form + LinearForm({loss_gap: -1, mean_displacement: L / 2, model_variance: L / 4})
    hypotheses = [Inequality(part, f"{part} >= 0"), Inequality(1 - part, f"{part} <= 1")]
    if curved:
        rest = (1 - part) * mu / 2
        form = form + LinearForm({square_distance: (v - 1) * rest, mean_drift: rest / v})
        hypotheses += [Inequality(v, f"v = {v} > 0", strict=True), Inequality(1 - v, f"v = {v} <= 1")]
    assert of.parts in (a.mean.parts, (a - o).parts)
    return Conclusion(form, tuple(hypotheses))


def _variance(_: AlgorithmRound) -> Conclusion:
    form = LinearForm({data(sigma**2): eta**2 * (tau - 1) / 2, model_variance: -1})
    return Conclusion(form, (Inequality(2 - eta * L, "eta L <= 2"),))


def _displacement(_: AlgorithmRound, y: Any) -> Conclusion:
    y = sympify(y)
    noise = (1 + 1 / y) * (eta * L) ** 2 * tau * (tau - 1) / 36
    form = (1 + y) * (2 * tau - 1) / 6 * square(g) + LinearForm({data(sigma**2): noise})
    return Conclusion(
        eta**2 * (tau - 1) * form - LinearForm({mean_displacement: 1}),
        (Inequality(y, f"y = {y} > 0", strict=True), Inequality(2 - eta * L, "eta L <= 2")),
    )


def _bias(_: AlgorithmRound, y: Any) -> Conclusion:
    y, length = sympify(y), eta * L
    noise = 1 / (4 * tau) + (1 + 1 / y) * length**2 * (2 * tau - 1) / 108
    form = (1 + y) / 4 * square(g) + LinearForm({data(sigma**2): noise})
    return Conclusion(
        (length * (tau - 1)) ** 2 * form - square(e),
        (Inequality(y, f"y = {y} > 0", strict=True), Inequality(2 - length, "eta L <= 2")),
    )


def _drift(_: AlgorithmRound, y: Any) -> Conclusion:
    y = sympify(y)
    later = (1 + 1 / y) * (eta * L) ** 2 * tau * (tau - 1) / 3
    form = LinearForm({mean_displacement: later, model_variance: later / 2, mean_drift: -1})
    return Conclusion(
        form + (1 + y) * (eta * (tau - 1)) ** 2 / 4 * square(g.mean),
        (Inequality(y, f"y = {y} > 0", strict=True),),
    )


_CONVEX: tuple[str, ...] = ("convex", "strongly-convex")
_CLIENTS = ("full-participation", "partial-participation", "unbiased-sampling")
_ALGORITHMS = ("fedavg", "fedavgm")

NOISY_THREE_POINTS = Lemma(
    "three points, noise apart",
    "<a, x - x*> >= F(x) - F* - (L/2) mean ||x - E y_{i,k}||^2 - (L/4) mean Var y_{i,k} + (p/(2 L)) ||a||^2 "
    "for 0 <= p <= 1, or with mean_i ||a_i - o_i||^2 for ||a||^2; for strongly convex losses with + ((1 - p) "
    "mu/2) ((1 - v) ||x - x*||^2 - ||x - mean E y_{i,k}||^2/v), 0 < v <= 1",
    "a convex $F_i$ is above its tangent of $y_{i,k}$ at $x*$, and above that of $x$ at $y_{i,k}$, by the "
    "squared differences of these gradients over $2 L$; the variance of the gradients occurs in both, and "
    "pays for their covariance with the models but for $L/4$ of the variance of these, and the squares of "
    "the means pay as without noise. Strong convexity: the same for $F_i - mu ||.||^2/2$ without "
    "$p$, and $mu <y - x*, x - x*> = mu ||x - x*||^2 + mu <y - x, x - x*>$; a part $1 - p$ of that",
    (
        "smooth",
        _CONVEX,
        "bounded-noise",
        ("equal-weights", "unbiased-sampling"),
        "common-local-steps",
        _CLIENTS,
    ),
    _three_points,
    algorithms=_ALGORITHMS,
    kinds=(ROUND, MOMENTUM),
)
CONVEX_MODEL_VARIANCE = Lemma(
    "variance of the local models, convex",
    "mean Var y_{i,k} <= eta^2 (tau - 1) sigma^2/2 for eta L <= 2",
    "one step is 1-Lipschitz for a convex loss, and adds $eta^2 sigma^2$: $Var y_{i,k} <= k eta^2 sigma^2$",
    ("smooth", _CONVEX, "bounded-noise", "common-local-steps"),
    _variance,
    algorithms=_ALGORITHMS,
    kinds=(ROUND, MOMENTUM),
)
CONVEX_MEAN_DISPLACEMENT = Lemma(
    "displacement of the mean local models, convex",
    "mean ||x - E y_{i,k}||^2 <= eta^2 (tau - 1) ((1 + y) (2 tau - 1)/6 mean_i ||g_i||^2 + (1 + 1/y) (eta "
    "L)^2 tau (tau - 1) sigma^2/36) for eta L <= 2, y > 0",
    "$w_k = ||E y_{i,k} - x||$ grows by at most $eta ||g_i|| + (eta L/2) (Var y_{i,k})^{1/2}$ in a step, as "
    "one step is 1-Lipschitz and $grad F_i - (L/2) y$ is $(L/2)$-Lipschitz: $w_k <= k eta ||g_i|| + eta^2 L "
    "k^{3/2} sigma/3$; the square of a sum, summed over $k$",
    ("smooth", _CONVEX, "bounded-noise", "common-local-steps"),
    _displacement,
    algorithms=_ALGORITHMS,
    kinds=(ROUND, MOMENTUM),
)
CONVEX_MEAN_BIAS = Lemma(
    "bias of convex local steps, noise apart",
    "mean_i ||e_i||^2 <= (eta L (tau - 1))^2 ((1 + y)/4 mean_i ||g_i||^2 + (1/(4 tau) + (1 + 1/y) (eta L)^2 "
    "(2 tau - 1)/108) sigma^2) for eta L <= 2, y > 0",
    "$E[grad F_i(x) - grad F_i(y_{i,k})]$ is at most $L (w_k^2 + Var y_{i,k}/2)^{1/2}$, as $grad F_i - (L/2) "
    "y$ is $(L/2)$-Lipschitz, with $w_k$ as in the displacement of the mean local models; Cauchy-Schwarz "
    "with weights $k$",
    ("smooth", _CONVEX, "bounded-noise", "common-local-steps"),
    _bias,
    algorithms=_ALGORITHMS,
    kinds=(ROUND, MOMENTUM),
)
MEAN_DRIFT = Lemma(
    "drift of the mean of all local models",
    "||x - mean E y_{i,k}||^2 <= (1 + y) (eta (tau - 1)/2)^2 ||g||^2 + (1 + 1/y) (eta L)^2 (tau (tau - 1)/3) "
    "(mean ||x - E y_{i,k}||^2 + mean Var y_{i,k}/2), y > 0",
    "$x - E y_{i,k}$ is $eta$ times the sum over $j < k$ of $g_i$ less $E[grad F_i(x) - grad F_i(y_{i,j})]$, "
    "of a norm of at most $L (w_j^2 + Var y_{i,j}/2)^{1/2}$; in the mean over $k$ step $j$ has the weight "
    "$(tau - 1 - j)/tau$, and the squares of these sum to at most $(tau - 1)/3$; Cauchy-Schwarz over $j$",
    ("smooth", _CONVEX, "bounded-noise", "common-local-steps"),
    _drift,
    algorithms=_ALGORITHMS,
    kinds=(ROUND, MOMENTUM),
)
