"""Lemmas on a server that aggregates robustly: x+ = x - s (d + r), d the mean of what honest clients send.

r is what the aggregate is wrong by: ||r||^2 is at most robustness times the mean squared deviation of the
d_i, which has the mean square of a_i - a and, with noise, at most its variance. Means are over the honest
clients.
"""

from __future__ import annotations

from typing import Any

from sympy import sympify

from boundkit.algebra.notation import L, m, robustness, sigma
from boundkit.proofs.domain import Inequality
from boundkit.proofs.lemmas import Conclusion, Lemma
from boundkit.proofs.linear_form import LinearForm, Vector, common_vector, data, inner, square
from boundkit.proofs.rounds import ROBUST, AlgorithmRound, a, decrease, g

aggregate_error = common_vector(
    "r", "r", "the server's aggregate less the mean of what the honest clients send"
)


def _sent(this: AlgorithmRound) -> Vector:
    """Return the mean of what a client sends: its gradient at x, or that of local steps."""
    return g if this.assumes("one-local-step") else a


def _descent(this: AlgorithmRound) -> Conclusion:
    s, moved = this.length, _sent(this).mean + aggregate_error
    form = LinearForm({decrease: 1}) - s * inner(g.mean, moved) + L * s**2 / 2 * square(moved)
    return Conclusion(form, (Inequality(s, "s > 0", strict=True),))


def _noisy_descent(this: AlgorithmRound, w: Any) -> Conclusion:
    s, w, moved = this.length, sympify(w), g.mean + aggregate_error
    noise = LinearForm({data(sigma**2): (1 + w) / m}) + 1 / w * square(aggregate_error)
    form = LinearForm({decrease: 1}) - s * inner(g.mean, moved)
    form = form + L * s**2 / 2 * (square(moved) + noise)
    return Conclusion(form, (Inequality(s, "s > 0", strict=True), Inequality(w, f"w = {w} > 0", strict=True)))


def _error(this: AlgorithmRound) -> Conclusion:
    sent = _sent(this)
    deviation = square(sent - sent.mean)
    if this.assumes("bounded-noise"):
        deviation = deviation + LinearForm({data(sigma**2): 1})
    return Conclusion(robustness * deviation - square(aggregate_error))


_ROBUST = ("smooth", "robust-aggregation", "equal-weights", "full-participation")

ROBUST_DESCENT = Lemma(
    "descent with a robust server",
    "F(x+) <= F(x) - s <g, a + r> + (L s^2/2) ||a + r||^2",
    "the descent lemma for $x+ = x - s (a + r)$, as full gradients have no noise; $a = g$ with one local "
    "step",
    (*_ROBUST, "no-noise"),
    _descent,
    kinds=(ROBUST,),
)
NOISY_ROBUST_DESCENT = Lemma(
    "descent with a robust server and noise",
    "E F(x+) <= E F(x) - s <g, g + r> + (L s^2/2) (||g + r||^2 + (1 + w) sigma^2/m + ||r||^2/w), w > 0",
    "the descent lemma for $x+ = x - s (d + r)$, where $d - g$ has the mean 0 given $x$ and, of $m$ honest "
    "clients, a variance of at most $sigma^2/m$; its product with $r$ is at most $(w ||d - g||^2 + "
    "||r||^2/w)/2$",
    (*_ROBUST, "bounded-noise", "one-local-step"),
    _noisy_descent,
    kinds=(ROBUST,),
)
ROBUST_ERROR = Lemma(
    "error of a robust aggregate",
    "||r||^2 <= robustness mean_i ||a_i - a||^2; with the noise of one step, robustness (mean_i ||g_i - "
    "g||^2 + sigma^2)",
    "the assumption on what the honest clients send; the squared deviation of independent $d_i$ has the mean "
    "$||a_i - a||^2$ and at most $sigma^2$ in the mean over $i$",
    ("robust-aggregation", "equal-weights", "full-participation", ("no-noise", "one-local-step")),
    _error,
    kinds=(ROBUST,),
)
