"""Lemmas on clipped updates and noise at the server (DP-FedAvg): x+ = x - s (a + r) + eta_s (z clip/m) N.

a_i is the direction of client i, x - y_i over eta tau, and r what clipping takes off the mean a of all:
||r|| is at most the mean of (||x - y_i|| - clip)_+/(eta tau).
"""

from __future__ import annotations

from boundkit.algebra.notation import L, clip, clip_excess, d, eta_s, m, privacy_noise
from boundkit.proofs.domain import Inequality
from boundkit.proofs.lemmas import Conclusion, Lemma
from boundkit.proofs.linear_form import LinearForm, common_vector, data, inner, square
from boundkit.proofs.rounds import PRIVATE, AlgorithmRound, a, decrease, g

clipped_part = common_vector("r", "r", "the mean of the clipped directions less that of all directions")


def _descent(this: AlgorithmRound) -> Conclusion:
    s, moved = this.length, a.mean + clipped_part
    noise = LinearForm({data(privacy_noise**2): L * eta_s**2 * d * clip**2 / (2 * m**2)})
    form = LinearForm({decrease: 1}) - s * inner(g.mean, moved) + L * s**2 / 2 * square(moved)
    return Conclusion(form + noise, (Inequality(s, "s > 0", strict=True),))


def _excess(_: AlgorithmRound) -> Conclusion:
    return Conclusion(LinearForm({data(clip_excess**2): 1}) - square(clipped_part))


PRIVATE_DESCENT = Lemma(
    "descent with clipped updates and noise",
    "E F(x+) <= F(x) - s <g, a + r> + (L s^2/2) ||a + r||^2 + L eta_s^2 d clip^2 privacy_noise^2/(2 m^2)",
    "the descent lemma for $x+ = x - s (a + r)$ and independent noise of $d$ coordinates, whose mean is 0",
    ("smooth", "no-noise", "clipped-updates", "gaussian-mechanism", "equal-weights", "full-participation"),
    _descent,
    kinds=(PRIVATE,),
)
CLIPPED_PART = Lemma(
    "length that clipping takes off",
    "(1/T) sum_{t<T} ||r||^2 <= clip_excess^2",
    "a clipped direction is shorter by $(||x - y_i|| - clip)_+/(eta tau)$, and the norm of a mean is at most "
    "the mean norm",
    ("clipped-updates", "full-participation"),
    _excess,
    over_rounds=True,
    kinds=(PRIVATE,),
)
