"""Lemmas on compressed messages: with error feedback (EF21), and without bias (FedPAQ).

EF21: x+ = x - s v, v the mean of stored v_i. Client i sends Q(grad F_i(x) - v_i), by which server and client
renew v_i; Q leaves at most 1 - comp_keep of a squared norm. After that v_i = g_i + u_i; with full gradients,
where v_i is 0 at first.

FedPAQ: x+ = x - s v, v the mean of Q(d_i) over the participants, E Q(d) = d, E||Q(d) - d||^2 <= comp_noise
||d||^2.
"""

from __future__ import annotations

from typing import Any

from sympy import sympify

from boundkit.algebra.notation import C, L, T, comp_keep, comp_noise, control_error, m
from boundkit.proofs.domain import Inequality
from boundkit.proofs.lemmas import Conclusion, Lemma
from boundkit.proofs.linear_form import LinearForm, client_vector, data, inner, scalar, square
from boundkit.proofs.rounds import (
    COMPRESSED,
    QUANTISED,
    AlgorithmRound,
    a,
    client_variance,
    decrease,
    direction,
    g,
)

unsent = client_vector("u", "u", "stored update of the client, once it has sent, less its gradient at x")
stored = g + unsent
"""The stored updates, in whose mean the server steps."""
next_message_error = scalar(
    "mean E||u_i+||^2",
    r"{\textstyle\frac1m\sum_i}\,\mathbb{E}\|u_i^+\|^2",
    "error of the stored updates a round later",
)


def _descent(this: AlgorithmRound) -> Conclusion:
    s = this.length
    form = LinearForm({decrease: 1}) - s * inner(g.mean, stored.mean) + L * s**2 / 2 * square(stored.mean)
    return Conclusion(form, (Inequality(s, "s > 0", strict=True),))


def _message_error(this: AlgorithmRound, r: Any) -> Conclusion:
    r = sympify(r)
    moved = r**2 / (1 - r) * (L * this.length) ** 2 * square(stored.mean)
    return Conclusion(
        r * square(unsent) + moved - LinearForm({next_message_error: 1}),
        (
            Inequality(r**2 - 1 + comp_keep, f"r = {r}, r^2 >= 1 - comp_keep"),
            Inequality(r, f"r = {r} >= 0"),
            Inequality(1 - r, f"r = {r} < 1", strict=True),
        ),
    )


def _telescoping(_: AlgorithmRound) -> Conclusion:
    start = LinearForm({data(control_error**2): (1 - comp_keep) / T})
    return Conclusion(start - square(unsent) + LinearForm({next_message_error: 1}))


def _compressed_participation(_: AlgorithmRound) -> Conclusion:
    share = (1 - C) / (C * (m - 1))
    form = square(a.mean) + share * square(a - a.mean) + comp_noise / (C * m) * square(a)
    return Conclusion(
        form + LinearForm({client_variance: (1 + comp_noise) / (C * m), direction: -1}),
        (
            Inequality(C * m - 1, "C m >= 1"),
            Inequality(m - 2, "m >= 2"),
            Inequality(1 - C, "C <= 1"),
            Inequality(comp_noise, "comp_noise >= 0"),
        ),
    )


_FEEDBACK = ("smooth", "no-noise", "contractive-compression", "full-participation", "one-local-step")

FEEDBACK_DESCENT = Lemma(
    "descent along stored updates",
    "F(x+) <= F(x) - s <g, v> + (L s^2/2) ||v||^2, v = g + u",
    "the descent lemma for $x+ = x - s v$",
    _FEEDBACK,
    _descent,
    kinds=(COMPRESSED,),
)
MESSAGE_ERROR = Lemma(
    "error of compressed messages",
    "mean_i ||u_i+||^2 <= r mean_i ||u_i||^2 + r^2/(1 - r) (L s)^2 ||v||^2 for 1 - comp_keep <= r^2, 0 <= r "
    "< 1",
    "$||u_i+||^2 <= r^2 ||u_i + g_i - g_i+||^2$, where $||g_i+ - g_i|| <= L s ||v||$; the square of the sum "
    "is at most $||u_i||^2/r + ||g_i+ - g_i||^2/(1 - r)$, and both sides are 0 for $r = 0$",
    _FEEDBACK,
    _message_error,
    kinds=(COMPRESSED,),
)
TELESCOPING_MESSAGE_ERROR = Lemma(
    "telescoping of the error of messages",
    "(1/T) sum_{t<T} of mean_i ||u_i||^2 less its value a round later <= (1 - comp_keep) control_error^2/T",
    "it is >= 0 after T rounds; at the start a message leaves $1 - comp_keep$ of the squared error "
    "$control_error^2$ of the first $v_i$",
    _FEEDBACK,
    _telescoping,
    over_rounds=True,
    kinds=(COMPRESSED,),
)
COMPRESSED_PARTICIPATION = Lemma(
    "participation with compressed updates",
    "E||v||^2 <= ||a||^2 + (1 - C)/(C (m - 1)) mean_i ||a_i - a||^2 + (comp_noise mean_i ||a_i||^2 + (1 + "
    "comp_noise) mean_i Var d_i)/(C m)",
    "client participation for the mean of the $d_i$; given them and the participants, the compressions are "
    "independent without bias, and add $comp_noise mean_i E||d_i||^2/(C m)$ at most",
    ("bounded-noise", "unbiased-compression", "equal-weights", "partial-participation"),
    _compressed_participation,
    kinds=(QUANTISED,),
)
