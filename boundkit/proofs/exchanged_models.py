"""Lemmas on Scaffnew: a local step of all clients, and after it an exchange with probability p, else none.

Client i moves to u_i = x_i - eta (g_i(x_i) - y_i) with its control y_i. With an exchange all take the mean u
of these, and y_i becomes y_i + (p/eta) (u - u_i); without one x_i = u_i. The controls sum to 0, as do the
gradients o_i at the optimum. n_i = x_i - eta g_i(x_i) - (x* - eta o_i) is the distance after the step without
the control.
"""

from __future__ import annotations

from boundkit.algebra.notation import L, eta, exchange, mu, sigma
from boundkit.proofs.domain import Inequality
from boundkit.proofs.lemmas import Conclusion, Lemma
from boundkit.proofs.linear_form import LinearForm, client_vector, data, scalar, square
from boundkit.proofs.rounds import EXCHANGE, AlgorithmRound, next_error_at_optimum, o, y

uncontrolled = client_vector(
    "n", "n", "distance from the optimum after the client's gradient step, both without control"
)
square_distances = scalar(
    "mean E||x_i - x*||^2",
    r"{\textstyle\frac1m\sum_i}\,\mathbb{E}\|x_i-x^*\|^2",
    "squared distance of the clients' models from the optimum",
)
next_square_distances = scalar(
    "mean E||x_i+ - x*||^2",
    r"{\textstyle\frac1m\sum_i}\,\mathbb{E}\|x_i^+-x^*\|^2",
    "squared distance of the clients' models from the optimum after the step",
)


def _exchange(_: AlgorithmRound) -> Conclusion:
    weight = (eta / exchange) ** 2
    after = LinearForm({next_square_distances: 1, next_error_at_optimum: weight})
    form = square(uncontrolled) + weight * (1 - exchange**2) * square(y - o) - after
    return Conclusion(form, equality=True)


def _shrinking(_: AlgorithmRound) -> Conclusion:
    bound = LinearForm({square_distances: (1 - eta * mu) ** 2, data(sigma**2): eta**2})
    return Conclusion(bound - square(uncontrolled), (Inequality(2 - eta * (L + mu), "eta <= 2/(L + mu)"),))


_EXCHANGED = ("smooth", "strongly-convex", "bounded-noise", "equal-weights", "common-exchange")

EXCHANGED_MODELS = Lemma(
    "exchange by a coin",
    "mean_i ||x_i+ - x*||^2 + (eta/p)^2 mean_i ||y_i+ - o_i||^2 = mean_i ||n_i||^2 + (1 - p^2) (eta/p)^2 "
    "mean_i ||y_i - o_i||^2",
    "with $r_i = u_i - x*$ and $v_i = (eta/p) (y_i - o_i)$, whose mean is 0, the left is $||r||^2 + "
    "||r_i - r - v_i||^2$ with an exchange and $||r_i||^2 + ||v_i||^2$ without, in the mean $||r_i||^2 - 2 p "
    "<r_i, v_i> + ||v_i||^2$; and $r_i = n_i + p v_i$",
    _EXCHANGED,
    _exchange,
    kinds=(EXCHANGE,),
)
SHRINKING_STEP = Lemma(
    "shrinking gradient step",
    "mean_i ||n_i||^2 <= (1 - eta mu)^2 mean_i ||x_i - x*||^2 + eta^2 sigma^2 for eta <= 2/(L + mu)",
    "a gradient step on a strongly convex loss is $(1 - eta mu)$-Lipschitz; unbiased noise adds its variance",
    _EXCHANGED,
    _shrinking,
    kinds=(EXCHANGE,),
)
