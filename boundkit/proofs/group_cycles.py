r"""Lemmas on cyclic participation: x+ = x - eta (b + E) over a cycle of K groups, from one to the next.

y are the models in the cycle, N its steps, and b = N g + D with D the sum over its steps of the mean change
of the group's gradients from x to y. E is a sum of K martingale differences, one a group, the square of each
at most v: sigma_w^2 (1 - C K)/(C (m - K)) + sigma^2/(C m) for one step, where C m of the m/K clients of a
group are sampled, and tau sigma^2 K/m for tau local steps of whole groups. The noise of a model in the cycle
is that of the groups before, and of the steps of its own client.

Both lemmas rest on one bound of the sum of the distances r_j of the models before step j from x, in root mean
square over the group's clients and the noise. By Minkowski r_j <= eta (p_j + L sum_(k<j) r_k), so that by
Gronwall sum_j r_j <= eta sum_k p_k (1 + eta L)^(N-1-k). The p_k are those of the gradient, k ||g||; of the
groups, whose differences from g add up to 0 over the cycle, so that their partial sums are at most min(k, N -
k) sigma_b; of the clients, t sigma_w at local step t; and of the noise. With h >= eta L N and (exp(h) - 1)/h
<= 2/(2 - h) and (1 + exp(h))/2 <= 2/(2 - h), each sum is at most q = 2/(2 - h) times that of its p_k: a
sequence that rises in the cycle or in every group meets weights that fall (Chebyshev), and in a symmetric one
the weights of k and N - k have at most the mean (1 + exp(h))/2, as their powers of 1 + eta L are convex.
"""

from __future__ import annotations

from typing import Any

from sympy import Expr, Integer, sympify

from boundkit.algebra.notation import C, L, eta, groups, m, sigma, sigma_between, sigma_within, tau
from boundkit.proofs.domain import Inequality
from boundkit.proofs.lemmas import Conclusion, Lemma
from boundkit.proofs.linear_form import LinearForm, common_vector, data, inner, square
from boundkit.proofs.rounds import CYCLE, AlgorithmRound, decrease, g

D = common_vector("D", "D", "sum over the steps of a cycle of the change of the gradients since its start")


def _steps(this: AlgorithmRound) -> Expr:
    return groups if this.assumes("one-local-step") else groups * tau


def _variance(this: AlgorithmRound) -> tuple[LinearForm, tuple[Inequality, ...]]:
    """Return the variance of a group's part of E given its start, and what that rests on."""
    if this.assumes("whole-groups"):
        if this.assumes("no-noise"):
            return LinearForm(), ()
        return LinearForm({data(sigma**2): _steps(this) / m}), ()
    form = LinearForm({data(sigma_within**2): (1 - C * groups) / (C * (m - groups))})
    conditions = (Inequality(1 - C * groups, "C groups <= 1"), Inequality(m - 2 * groups, "m >= 2 groups"))
    if not this.assumes("no-noise"):
        form = form + LinearForm({data(sigma**2): 1 / (C * m)})
    return form, conditions


def _noise_of_models(this: AlgorithmRound) -> LinearForm:
    """Return twice the mean over the cycle of the squared noise of a model, over eta^2."""
    variance, _ = _variance(this)
    form = (groups - 1) * variance
    if not this.assumes("no-noise") and not this.assumes("one-local-step"):
        form = form + LinearForm({data(sigma**2): tau - 1})
    return form


def _within(this: AlgorithmRound, h: Expr) -> Inequality:
    return Inequality(h - eta * L * _steps(this), f"eta L N <= h = {h}")


def _descent(this: AlgorithmRound, h: Any, s: Any = 1) -> Conclusion:
    h, s, steps = sympify(h), sympify(s), _steps(this)
    b = steps * g.mean + D
    variance, conditions = _variance(this)
    form = LinearForm({decrease: 1}) - eta * inner(g.mean, b)
    form = form + L * eta**2 / 2 * (square(b) + groups * variance)
    carried = s * groups * variance + 1 / (2 * s) * _noise_of_models(this)
    return Conclusion(
        form + L * eta**2 / 2 * (2 / (2 - h)) * eta * L * steps * carried,
        (*conditions, _within(this, h), Inequality(s, f"s = {s} > 0", strict=True)),
    )


def _drift(this: AlgorithmRound, h: Any, gradient: Any, between: Any, within: Any = 0) -> Conclusion:
    h, steps = sympify(h), _steps(this)
    gradient, between, within = (sympify(each) for each in (gradient, between, within))
    _, conditions = _variance(this)
    parts = [
        (gradient, (steps - 1) ** 2 * square(g.mean), "gradient"),
        (between, steps**2 / 4 * LinearForm({data(sigma_between**2): 1}), "between"),
    ]
    if not this.assumes("one-local-step"):
        parts.append((within, (tau - 1) ** 2 * LinearForm({data(sigma_within**2): 1}), "within"))
    noise = 2 * _noise_of_models(this)
    rest = Integer(1) - sum((share for share, _, _ in parts), Integer(0))
    if noise.coefficients:
        parts.append((rest, noise, "1 less the other shares"))
    walk = LinearForm()
    for share, form, _ in parts:
        walk = walk + (1 / share) * form
    return Conclusion(
        (eta * L * steps / (2 - h)) ** 2 * walk - square(D),
        (
            *conditions,
            *(Inequality(share, f"{name} = {share} > 0", strict=True) for share, _, name in parts),
            Inequality(rest, "the shares add up to at most 1"),
            Inequality(2 - h, f"h = {h} < 2", strict=True),
            _within(this, h),
        ),
    )


_CYCLE = ("smooth", "equal-weights", "cyclic-participation", "server-step-one", ("bounded-noise", "no-noise"))

CYCLE_DESCENT = Lemma(
    "descent in a cycle",
    "E F(x+) <= E F(x) - eta <g, b> + (L eta^2/2) (||b||^2 + K v + (2 eta L N/(2 - h)) (s K v + ((K - 1) v + "
    "(tau - 1) sigma^2)/(2 s))), b = N g + D, for eta L N <= h, s > 0",
    "the descent lemma for $x+ = x - eta (b + E)$. E has the mean 0 given x, as has its product with D in "
    "a cycle from $x$ without noise and sampling; the rest of D has a square of at most $(2 eta L N/(2 - "
    "h))^2$ ((K - 1) v + (tau - 1) sigma^2)/2, and Young",
    (*_CYCLE, "group-dissimilarity"),
    _descent,
    kinds=(CYCLE,),
)
CYCLE_DRIFT = Lemma(
    "drift in a cycle",
    "||D||^2 <= (eta L N/(2 - h))^2 ((N - 1)^2 ||g||^2/a_1 + N^2 sigma_b^2/(4 a_2) + (tau - 1)^2 "
    "sigma_w^2/a_3 + 2 ((K - 1) v + (tau - 1) sigma^2)/a_4) for eta L N <= h, with positive shares a, "
    "of sum 1 at most; one local step has no sigma_w and no tau",
    "$||D||$ is at most L times the sum of the distances of the models from x, at most 2 eta/(2 - h) times "
    "the sums of k $||g||$, of min(k, N - k) sigma_b, at most N^2 sigma_b/4, of t sigma_w, and of the noise, "
    "this one by Cauchy-Schwarz; Young",
    (*_CYCLE, "group-dissimilarity"),
    _drift,
    kinds=(CYCLE,),
)
