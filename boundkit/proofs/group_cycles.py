r"""Lemmas on cyclic participation: x+ = x - eta (b + E) over a cycle of K groups, from one to the next.

y are the models in the cycle, N its steps, and b = N g + D with D the sum over its steps of the mean change
of the group's gradients from x to y. E is a sum of K martingale differences, the square of each at most v =
sigma_w^2 (1 - C K)/(C (m - K)) + sigma^2/(C m): C m of the m/K clients of a group are sampled. The first part
is 0 for whole groups, the second without noise.
"""

from __future__ import annotations

from typing import Any

from sympy import sympify

from boundkit.algebra.notation import C, L, eta, groups, m, sigma, sigma_between, sigma_within, tau
from boundkit.proofs.domain import Inequality
from boundkit.proofs.lemmas import Conclusion, Lemma
from boundkit.proofs.linear_form import LinearForm, common_vector, data, inner, square
from boundkit.proofs.rounds import CYCLE, AlgorithmRound, decrease, g

D = common_vector("D", "D", "sum over the steps of a cycle of the change of the gradients since its start")


def _steps(this: AlgorithmRound) -> Any:
    return groups if this.assumes("one-local-step") else groups * tau


def _variance(this: AlgorithmRound) -> tuple[LinearForm, tuple[Inequality, ...]]:
    """Return the variance of a round given its start, and what that rests on."""
    form = LinearForm()
    conditions: tuple[Inequality, ...] = ()
    if not this.assumes("whole-groups"):
        form = LinearForm({data(sigma_within**2): (1 - C * groups) / (C * (m - groups))})
        conditions = (
            Inequality(1 - C * groups, "C groups <= 1"),
            Inequality(m - 2 * groups, "m >= 2 groups"),
        )
    if not this.assumes("no-noise"):
        form = form + LinearForm({data(sigma**2): 1 / (C * m)})
    return form, conditions


def _descent(this: AlgorithmRound) -> Conclusion:
    b = _steps(this) * g.mean + D
    variance, conditions = _variance(this)
    form = LinearForm({decrease: 1}) - eta * inner(g.mean, b)
    return Conclusion(form + L * eta**2 * (square(b) + groups * variance), conditions)


def _drift(this: AlgorithmRound, h: Any) -> Conclusion:
    h, steps = sympify(h), _steps(this)
    variance, conditions = _variance(this)
    walk = (steps - 1) ** 2 * (LinearForm({data(sigma_between**2): 1}) + square(g.mean))
    walk = walk + (groups - 1) * variance
    if not this.assumes("one-local-step"):
        walk = walk + (tau - 1) ** 2 * LinearForm({data(sigma_within**2): 1})
    factor = 3 * ((steps - 1) * eta * L / (1 - h)) ** 2
    return Conclusion(
        factor * walk - square(D),
        (
            *conditions,
            Inequality(1 - h, f"h = {h} < 1", strict=True),
            Inequality(h - eta * L * (steps - 1), f"eta L (N - 1) <= h = {h}"),
        ),
    )


_CYCLE = ("smooth", "equal-weights", "cyclic-participation", "server-step-one", ("bounded-noise", "no-noise"))

CYCLE_DESCENT = Lemma(
    "descent in a cycle",
    "E F(x+) <= E F(x) - eta <g, b> + L eta^2 (||b||^2 + K v), b = N g + D",
    "the descent lemma for $x+ = x - eta (b + E)$, with $||b + E||^2 <= 2 ||b||^2 + 2 ||E||^2$; $E$ has the "
    "mean 0 given $x$",
    (*_CYCLE, "group-dissimilarity"),
    _descent,
    kinds=(CYCLE,),
)
CYCLE_DRIFT = Lemma(
    "drift in a cycle",
    "||D||^2 <= 3 (N - 1)^2 (eta L)^2 ((N - 1)^2 (sigma_b^2 + ||g||^2) + (K - 1) v)/(1 - h)^2 for eta L "
    "(N - 1) <= h; with tau local steps of whole groups (tau - 1)^2 sigma_w^2 for (K - 1) v",
    "Minkowski: R, the largest root of the mean square of $y - x$ in the cycle, over the group's clients, is "
    "at most eta L (N - 1) R + eta (N - 1) (sigma_b + $||g||$) + eta sqrt((K - 1) v), and $||D|| <= (N - 1)$ "
    "L R; the square of a sum of three is at most three times that of the squares",
    (*_CYCLE, "group-dissimilarity"),
    _drift,
    kinds=(CYCLE,),
)
