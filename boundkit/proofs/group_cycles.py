r"""Lemmas on cyclic participation: x+ = x - eta (b + E) over a cycle of K groups, from one to the next.

y are the models in the cycle, N its steps, and b = N g + D with D the sum over its steps of the mean change
of the group's gradients from x to y, given the model x' before the group's steps. E is a sum of K martingale
differences, one a group, the square of each at most v: sigma_w^2 (1 - C K)/(C (m - K)) + sigma^2/(C m) for
one step, where C m of the m/K clients of a group are sampled, and tau (1 + beta b) sigma^2 K/m for tau local
steps of whole groups, b = eta L (tau - 1): the variance of a client's steps given x' is that of local steps.
The noise of a model in the cycle is that of the groups before, and of the steps of its own client, of which D
has the mean.

Where C m clients of a group take tau local steps, v = tau (1 + beta b) sigma^2/(C m) + f W^2, f = (1 - C
K)/(C (m - K)), and W is the root mean square over all clients of the group, sampled or not, of the difference
of their mean steps from the group's. With z_i the mean model of client i before its local step t, z that of
the z_i and w_t the part of W by step t, w_t <= sigma_w (at z) + L ||z_i - z|| + L sqrt(Var y_i), where ||z_i
- z|| <= eta sum_(s<t) w_s and Var y_i <= eta^2 t (1 + beta b) sigma^2. By Gronwall and Chebyshev W <= tau (1
+ exp(b))/2 (sigma_w + eta L sigma sqrt((1 + beta b) (tau - 1)/2)), as the sum of sqrt(t) is at most tau
sqrt((tau - 1)/2); and (1 + exp(b))/2 <= 2/(2 - b), of which the square is convex, so at most 1 + (4 - h)/(2 -
h)^2 b for b <= h. Young's inequality with ``spread`` parts W^2.
"""

from __future__ import annotations

from typing import Any

from sympy import Expr, Rational, sympify

from boundkit.algebra.notation import C, L, eta, groups, m, sigma, sigma_between, sigma_within, tau
from boundkit.proofs import local_steps
from boundkit.proofs.domain import Inequality
from boundkit.proofs.lemmas import Conclusion, Lemma
from boundkit.proofs.linear_form import LinearForm, common_vector, data, inner, square
from boundkit.proofs.rounds import CYCLE, AlgorithmRound, decrease, g

D = common_vector("D", "D", "sum over the steps of a cycle of the change of the gradients since its start")


def _steps(this: AlgorithmRound) -> Expr:
    return groups if this.assumes("one-local-step") else groups * tau


def _variance(this: AlgorithmRound, h: Expr, spread: Any) -> tuple[LinearForm, tuple[Inequality, ...]]:
    """Return the variance of a group's part of E given its start, and what that rests on."""
    if this.assumes("whole-groups"):
        if this.assumes("no-noise"):
            return LinearForm(), ()
        growth, rest = local_steps.variance(h)
        return LinearForm({data(sigma**2): growth * _steps(this) / m}), rest
    share = (1 - C * groups) / (C * (m - groups))
    conditions: tuple[Inequality, ...] = (
        Inequality(1 - C * groups, "C groups <= 1"),
        Inequality(m - groups, "m > groups", strict=True),
    )
    if this.assumes("one-local-step"):
        form = LinearForm({data(sigma_within**2): share})
        if not this.assumes("no-noise"):
            form = form + LinearForm({data(sigma**2): 1 / (C * m)})
        return form, conditions
    spread, b = sympify(spread), eta * L * (tau - 1)
    share = share * tau**2 * (1 + (4 - h) / (2 - h) ** 2 * b)
    form = LinearForm({data(sigma_within**2): (1 + spread) * share})
    conditions += (Inequality(spread, f"spread = {spread} > 0", strict=True), Inequality(h - b, f"b <= {h}"))
    if not this.assumes("no-noise"):
        growth, rest = local_steps.variance(h)
        own = tau / (C * m) + (1 + 1 / spread) * share * eta * L * b / 2
        form, conditions = form + LinearForm({data(sigma**2): growth * own}), conditions + rest
    return form, conditions


def _within(this: AlgorithmRound, h: Expr) -> Inequality:
    return Inequality(h - eta * L * _steps(this), f"eta L N <= h = {h}")


def _descent(this: AlgorithmRound, h: Any, s: Any = 1, spread: Any = 1) -> Conclusion:
    h, s, steps = sympify(h), sympify(s), _steps(this)
    b = steps * g.mean + D
    variance, conditions = _variance(this, h, spread)
    form = LinearForm({decrease: 1}) - eta * inner(g.mean, b)
    form = form + L * eta**2 / 2 * (square(b) + groups * variance)
    carried = s * groups * variance + 1 / (2 * s) * (groups - 1) * variance
    return Conclusion(
        form + L * eta**2 / 2 * (2 / (2 - h)) * eta * L * steps * carried,
        (*conditions, _within(this, h), Inequality(s, f"s = {s} > 0", strict=True)),
    )


def _drift(this: AlgorithmRound, h: Any, k: Any, spread: Any = 1) -> Conclusion:
    h, k, steps, third = sympify(h), sympify(k), _steps(this), Rational(4, 3)
    variance, conditions = _variance(this, h, spread)
    walk = (third + k) * (steps - 1) ** 2 * square(g.mean) + 2 * (groups - 1) * variance
    walk = walk + (third + 1 / k) * steps**2 / 4 * LinearForm({data(sigma_between**2): 1})
    if not this.assumes("one-local-step"):
        walk = walk + 2 * (tau - 1) ** 2 * LinearForm({data(sigma_within**2): 1})
        if not this.assumes("no-noise"):
            walk = walk + LinearForm({data(sigma**2): 2 * (tau - 1)})
    return Conclusion(
        (eta * L * steps / (2 - h)) ** 2 * walk - square(D),
        (
            *conditions,
            Inequality(k, f"k = {k} > 0", strict=True),
            Inequality(2 - h, f"h = {h} < 2", strict=True),
            _within(this, h),
        ),
    )


_CYCLE = ("smooth", "equal-weights", "cyclic-participation", "server-step-one", ("bounded-noise", "no-noise"))

CYCLE_DESCENT = Lemma(
    "descent in a cycle",
    "E F(x+) <= E F(x) - eta <g, b> + (L eta^2/2) (||b||^2 + K v + (2 eta L N/(2 - h)) (s K v + (K - 1) v/(2 "
    "s))), b = N g + D, for eta L N <= h, s > 0",
    "the descent lemma for $x+ = x - eta (b + E)$. E has the mean 0 given x, as has its product with D in "
    "a cycle from $x$ without E; the rest of D, by equal noise of the clients' own steps, has a square of at "
    "most $(2 eta L N/(2 - h))^2 (K - 1) v/2$, and Young",
    (*_CYCLE, "group-dissimilarity"),
    _descent,
    kinds=(CYCLE,),
)
CYCLE_DRIFT = Lemma(
    "drift in a cycle",
    "||D||^2 <= (eta L N/(2 - h))^2 ((4/3 + k) (N - 1)^2 ||g||^2 + (4/3 + 1/k) N^2 sigma_b^2/4 + 2 (tau - "
    "1)^2 sigma_w^2 + 2 (tau - 1) sigma^2 + 2 (K - 1) v) for eta L N <= h, k > 0; one local step has no "
    "sigma_w and no tau",
    "$||D||$ is at most L times the sum of the distances of the models y from x, in the root mean square "
    "over clients and noise. Without the changes of the gradients, y is at -eta (n g + B) after n steps, "
    "with ||B|| <= min(n, N - n) sigma_b, less what t own steps add by the client's difference from its "
    "group and by noise, and less the noise of the groups before. These three have the mean 0, each given "
    "the others, so that the squares add up: sigma_w^2 t^2, at most sigma^2 t, and v for each group. By "
    "Gronwall and Chebyshev the changes make the sum of the distances larger by 2/(2 - h) at most, and "
    "Cauchy-Schwarz is used for the N - 1 steps after the first, Young for g and B. The sum of n^2 is at "
    "most N^2 (N - 1)/3, (N - 1) times that of min(n, N - n)^2 at most N^4/12, that of n min(n, N - n) at "
    "most N^3/8, and 2 tau - 1 <= 3 (tau - 1) for tau >= 2",
    (*_CYCLE, "group-dissimilarity"),
    _drift,
    kinds=(CYCLE,),
)
