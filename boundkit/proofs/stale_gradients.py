"""Lemmas on gradients of earlier models: x+ = x - s v, where v is made of gradients up to d rounds old.

c_i is grad F_i(x) less the gradient of client i at the model of the age that is used in the round, so that
the mean of v is g - c: clients have one loss, or one of them is drawn uniformly, which adds at most sigma_g^2
to the variance of v. Atoms are means over the rounds t < T.
"""

from __future__ import annotations

from typing import Any

from boundkit.algebra.notation import L, sigma, sigma_g, staleness
from boundkit.proofs.domain import Inequality
from boundkit.proofs.lemmas import Conclusion, Lemma
from boundkit.proofs.linear_form import LinearForm, client_vector, data, inner, square
from boundkit.proofs.rounds import AlgorithmRound, decrease, g

change = client_vector("c", "c", "gradient at the server's model less the one that is used")
used_gradient = g - change
"""The gradients of the clients that are used."""


def _variance(this: AlgorithmRound, times: Any = 1) -> LinearForm:
    """Return a multiple of the variance of a gradient that is used."""
    drawn = {data(sigma_g**2): times} if this.assumes("one-client-drawn") else {}
    return LinearForm({data(sigma**2): times, **drawn})


def _descent(this: AlgorithmRound) -> Conclusion:
    s = this.length
    step = square(used_gradient.mean) + _variance(this)
    form = LinearForm({decrease: 1}) - s * inner(g.mean, used_gradient.mean) + L * s**2 / 2 * step
    return Conclusion(form, (Inequality(s, "s > 0", strict=True),))


def _stale(this: AlgorithmRound) -> Conclusion:
    walk = staleness**2 * square(used_gradient.mean) + _variance(this, staleness)
    return Conclusion(2 * (this.length * L) ** 2 * walk - square(change.mean))


_STALE = (
    "smooth",
    "bounded-noise",
    ("alike-clients", "one-client-drawn"),
    ("alike-clients", "bounded-dissimilarity"),
    ("alike-clients", "equal-weights"),
    "bounded-staleness",
)

STALE_DESCENT = Lemma(
    "descent along a stale gradient",
    "E F(x+) <= E F(x) - s <g, g - c> + (L s^2/2) (||g - c||^2 + sigma^2); sigma^2 + sigma_g^2 for a client "
    "that is drawn",
    "the descent lemma for the gradient of an earlier model, whose noise has the mean 0 given the models up "
    "to x",
    _STALE,
    _descent,
    algorithms=("async_sgd",),
)
STALENESS = Lemma(
    "change of a gradient since it was requested",
    "||c||^2 <= 2 (s L)^2 (d^2 ||g - c||^2 + d sigma^2), in the mean over the rounds; sigma^2 + sigma_g^2 "
    "for a client that is drawn",
    "at most d rounds move the model, by noise of at most $d sigma^2$ and by gradients whose square is at "
    "most d times the sum of theirs, each in at most d later rounds; twice each",
    _STALE,
    _stale,
    over_rounds=True,
    algorithms=("async_sgd",),
)
