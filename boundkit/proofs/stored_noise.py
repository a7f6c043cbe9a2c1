r"""Lemmas on MIFA with noise and local steps: x+ = x - s y, y the mean of the updates stored for the clients.

y_i = a_i + n_i is the direction of client i's last round r, from the server's model x_r at that time: a_i is
its mean given x_r, and n_i its noise, of a squared mean of at most V = sigma^2/tau times the growth of the
variance in local steps. Here z_i = x - x_r, and e_i = g_i - a_i for g_i = grad F_i(x). Atoms are means over
the rounds t < T.

Three moments of the availability occur. R_1 is the mean number of rounds in which the update of a client in
a round is used, R_2 bounds the mean squares of its age and of the number of later rounds that use it, and R_3
sums the ages with which one round is in use. They are 1 + d, d (2 d + 1)/6 and d (d + 1)/2 for ages of at
most d; and (2 - q)/q, (1 - q) (2 - q)/q^2 and (r/(1 - r))^2 with r = sqrt(1 - q) for clients that participate
independently of everything, each time with a probability of at least q; there r may be larger.
"""

from __future__ import annotations

from typing import Any

from sympy import Expr, sympify

from boundkit.algebra import BoundkitError
from boundkit.algebra.notation import L, availability, eta, m, sigma, staleness, tau
from boundkit.proofs import local_steps
from boundkit.proofs.domain import Inequality
from boundkit.proofs.lemmas import Conclusion, Lemma
from boundkit.proofs.linear_form import LinearForm, client_vector, data, inner, square
from boundkit.proofs.rounds import STORED, AlgorithmRound, a, decrease, e, g

age = client_vector(
    "z", "z", "the server's model less the one from which the client's stored update was computed"
)


def _uses_and_squares(this: AlgorithmRound) -> tuple[Expr, Expr]:
    """Return R_1 and R_2 of the theorem's availability."""
    if this.assumes("bounded-absence"):
        return 1 + staleness, staleness * (2 * staleness + 1) / 6
    q = availability
    return (2 - q) / q, (1 - q) * (2 - q) / q**2


def _ages(this: AlgorithmRound, r: Any) -> tuple[Expr, tuple[Inequality, ...]]:
    """Return R_3, and what it rests on; r is at least the root of 1 - q."""
    if this.assumes("bounded-absence"):
        return staleness * (staleness + 1) / 2, ()
    if r is None:
        raise BoundkitError("an r with r^2 >= 1 - availability is needed.")
    r = sympify(r)
    return (r / (1 - r)) ** 2, (
        Inequality(r, f"r = {r} >= 0"),
        Inequality(1 - r, f"r = {r} < 1", strict=True),
        Inequality(r**2 - 1 + availability, f"r = {r}, r^2 >= 1 - availability"),
    )


def _noise(h: Any) -> tuple[LinearForm, tuple[Inequality, ...]]:
    """Return V/m, and what it rests on."""
    growth, hypotheses = local_steps.variance(h)
    return LinearForm({data(sigma**2): growth / (tau * m)}), hypotheses


def _descent(this: AlgorithmRound, h: Any, w: Any) -> Conclusion:
    w, s = sympify(w), this.length
    uses, squares = _uses_and_squares(this)
    noise, hypotheses = _noise(h)
    form = LinearForm({decrease: 1}) - s * inner(g.mean, a.mean) + (s * w + L * s**2 / 2) * square(a.mean)
    form = form + (L * s**2 / 2 * uses + s**3 * L**2 / (4 * w) * squares) * noise
    return Conclusion(
        form,
        (
            *hypotheses,
            Inequality(s, "s > 0", strict=True),
            Inequality(w, f"w = {w} > 0", strict=True),
        ),
    )


def _age(this: AlgorithmRound, h: Any, w: Any, r: Any = None) -> Conclusion:
    w = sympify(w)
    _, squares = _uses_and_squares(this)
    ages, condition = _ages(this, r)
    noise, hypotheses = _noise(h)
    moved = this.length**2 * ((1 + w) * ages * square(a.mean) + (1 + 1 / w) * squares * noise)
    positive = Inequality(w, f"w = {w} > 0", strict=True)
    return Conclusion(moved - square(age), (*hypotheses, *condition, positive))


def _error(_: AlgorithmRound, h: Any, y: Any, p: Any, q: Any, k: Any, u: Any, **more: Any) -> Conclusion:
    p, q, k, u = (sympify(value) for value in (p, q, k, u))
    old = (1 + u) * square(g) + (1 + 1 / u) * L**2 * square(age)
    own = p * old + LinearForm({data(sigma**2): q / tau})
    form = (1 + k) * L**2 * square(age) + (1 + 1 / k) * (eta * L * (tau - 1)) ** 2 * own - square(e)
    return Conclusion(
        form,
        (
            *local_steps.bias(h, y, p, q, **more),
            Inequality(k, f"k = {k} > 0", strict=True),
            Inequality(u, f"u = {u} > 0", strict=True),
        ),
    )


_NEEDS = (
    "smooth", "bounded-noise", "equal-weights", "common-local-steps",
    ("bounded-absence", "changing-availability"), ("bounded-absence", "initial-updates"),
)  # fmt: skip

STORED_NOISE_DESCENT = Lemma(
    "descent along noise that is stored",
    "mean over rounds of F(x) - F(x+) >= s <g, a> - (s w + L s^2/2) ||a||^2 - (L s^2 R_1/2 + s^3 L^2 "
    "R_2/(4 w)) V/m, w > 0",
    "each noise is charged when it is new, times the rounds that use it: the model less the noise of later "
    "rounds starts and ends at the server's, moves by $-s a$ and by uncorrelated noises, whose squares "
    "sum to $R_1$ of $s^2 V/m$ a round, and is at $s^2 R_2 V/m$ from $x$ in the mean square; smoothness "
    "there, and Young's inequality",
    _NEEDS,
    _descent,
    over_rounds=True,
    kinds=(STORED,),
)
STORED_AGE = Lemma(
    "age of stored noisy updates",
    "mean over rounds of mean_i ||z_i||^2 <= s^2 ((1 + w) R_3 ||a||^2 + (1 + 1/w) R_2 V/m), w > 0",
    "$z_i$ is $-s$ times the sum of the directions since the client's last round, of means and of noise: "
    "Young; a noise is in as many of them as the age at most; Cauchy-Schwarz for the means, with weights "
    "that fall as r^k for ages k of clients available at random",
    _NEEDS,
    _age,
    over_rounds=True,
    kinds=(STORED,),
)
STORED_ERROR_BY_AGE = Lemma(
    "error of stored updates of local steps",
    "mean_i ||e_i||^2 <= (1 + k) L^2 mean_i ||z_i||^2 + (1 + 1/k) (eta L (tau - 1))^2 (p ((1 + u) mean_i "
    "||g_i||^2 + (1 + 1/u) L^2 mean_i ||z_i||^2) + q sigma^2/tau), k, u > 0, for eta L (tau - 1) <= h",
    "$grad F_i(x) - grad F_i(x_r)$ is at most $L ||z_i||$, and $grad F_i(x_r) - a_i$ is the bias of the "
    "local steps of that round, with $||grad F_i(x_r)|| <= ||g_i|| + L ||z_i||$; Young twice",
    _NEEDS,
    _error,
    kinds=(STORED,),
)
