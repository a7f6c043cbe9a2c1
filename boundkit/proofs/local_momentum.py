"""Lemmas on momentum in the local steps (FedCM): y <- y - eta (f grad F_i(y) + (1 - f) G), f = fresh.

The server moves by x+ = x - s G+ along G+ = (1 - f) G + f v, G = 0 at the start, with v the mean of the
clients' directions d_i. So b = G+/f has the momentum of a heavy ball, b = (1 - f) b_{t-1} + v, and z = x - s
(1 - f)/f G takes the plain steps z+ = z - s v. Atoms are means over the rounds t < T.
"""

from __future__ import annotations

from typing import Any

from sympy import sympify

from boundkit.algebra.notation import L, T, fresh, gradients_start
from boundkit.proofs.domain import Inequality
from boundkit.proofs.lemmas import Conclusion, Lemma
from boundkit.proofs.linear_form import LinearForm, data, square
from boundkit.proofs.rounds import LOCAL_MOMENTUM, AlgorithmRound, a, direction, g, old_directions

_AVERAGE = (1 - fresh) * square(a.mean) + LinearForm({direction: fresh})


def _old_directions(_: AlgorithmRound) -> Conclusion:
    return Conclusion(_AVERAGE - square(old_directions))


def _dissimilarity(this: AlgorithmRound, y: Any) -> Conclusion:
    y = sympify(y)
    moved = (this.length * T) ** 2 / 2 * _AVERAGE
    start = LinearForm({data(gradients_start**2): 1 + y})
    form = start + (1 + 1 / y) * L**2 * moved - square(g - g.mean)
    return Conclusion(form, (Inequality(y, f"y = {y} > 0", strict=True),))


AVERAGE_OF_DIRECTIONS = Lemma(
    "average of earlier directions",
    "mean over rounds of E||G||^2 <= (1 - f) ||a||^2 + f E||v||^2",
    "$E||G+||^2 <= (1 - f) E||G||^2 + f ||a||^2 + f^2 E||v - a||^2$ by convexity, and $G$ is 0 at the start",
    ("bounded-noise", "full-participation"),
    _old_directions,
    over_rounds=True,
    kinds=(LOCAL_MOMENTUM,),
)
DISSIMILARITY_FROM_START = Lemma(
    "dissimilarity from that at the start",
    "mean over rounds of mean_i ||g_i - g||^2 <= (1 + y) G_0^2 + (1 + 1/y) (L s T)^2/2 ((1 - f) ||a||^2 + f "
    "E||v||^2), y > 0",
    "$||grad F_i(x) - grad F_i(x_0)|| <= L ||x - x_0||$ for every client, and $x_t - x_0$ is $-s$ times the "
    "sum of $t$ directions $G+$, whose squares are bounded as those of $G$; the sum of $t$ over the rounds "
    "is at most $T^2/2$",
    ("smooth", "bounded-noise", "equal-weights", "full-participation"),
    _dissimilarity,
    over_rounds=True,
    kinds=(LOCAL_MOMENTUM,),
)
