"""Lemmas on stored updates and control variates y_i by their age, and at the optimum.

Server and participants as in ``stored_updates``; SCAFFOLD's clients also correct their steps by y - y_i. With
x_i the server's model at client i's last participation (x_0 before it), z_i = x - x_i is its age, and q_i =
grad F_i(x_i) - y_i what its update was wrong by. By smoothness ||g_i - y_i|| <= L ||z_i|| + ||q_i||.

The correction of a client, less its mean, is y - y_i: with all clients only these differences matter.
"""

from __future__ import annotations

from typing import Any

from sympy import Expr, sympify

from boundkit.algebra.notation import (
    C,
    L,
    T,
    control_error,
    control_error_star,
    correction_error,
    gradients_start,
    m,
    staleness,
)
from boundkit.proofs.domain import Inequality
from boundkit.proofs.lemmas import Conclusion, Lemma
from boundkit.proofs.linear_form import LinearForm, Vector, client_vector, data, inner, scalar, square
from boundkit.proofs.rounds import (
    AlgorithmRound,
    a,
    client_variance,
    decrease,
    direction,
    displacement,
    e,
    g,
    loss_gap,
    next_error_at_optimum,
    o,
    y,
)

z = client_vector("z", "z", "the server's model less that at the client's last participation")
q = client_vector(
    "q", "q", "gradient at the server's model of the last participation, less the stored update"
)

next_age = scalar(
    "mean E||z_i+||^2",
    r"{\textstyle\frac1m\sum_i}\,\mathbb{E}\|z_i^+\|^2",
    "squared distance of the server's model from those of the last participations, after the round",
)
next_own_error = scalar(
    "mean E||q_i+||^2",
    r"{\textstyle\frac1m\sum_i}\,\mathbb{E}\|q_i^+\|^2",
    "error of the stored updates at the models of the last participations, after the round",
)
next_mean_own_error = scalar(
    "E||q+||^2",
    r"\mathbb{E}\|q^+\|^2",
    "squared mean of the errors of the stored updates at those models, after the round",
)
next_correction_error = scalar(
    "mean E||q_i+ - q+||^2",
    r"{\textstyle\frac1m\sum_i}\,\mathbb{E}\|q_i^+-q^+\|^2",
    "error of the corrections at the models of the last participations, after the round",
)


def _one(atom: Any, factor: Any = 1) -> LinearForm:
    return LinearForm({atom: factor})


def _share(this: AlgorithmRound) -> tuple[Expr, tuple[Inequality, ...]]:
    """Return the probability of a client to participate, and what it rests on."""
    if this.assumes("full-participation"):
        return sympify(1), ()
    return C, (Inequality(1 - C, "C <= 1"),)


def _age(this: AlgorithmRound) -> Conclusion:
    share, hypotheses = _share(this)
    s, f = this.length, this.sampled
    moved = _one(direction, s**2) - _one(next_age)
    if share == 1:
        return Conclusion(moved, equality=True)
    without = a.mean + 1 / (m - 1) * (f.mean - f)
    hypotheses += (Inequality(C * m - 1, "C m >= 1"), Inequality(m - 2, "m >= 2"))
    return Conclusion(moved + (1 - C) * (square(z) - 2 * s * inner(without, z)), hypotheses, equality=True)


def _own_error(this: AlgorithmRound) -> Conclusion:
    share, hypotheses = _share(this)
    form = (1 - share) * square(q) + share * (square(e) + _one(client_variance)) - _one(next_own_error)
    return Conclusion(form, hypotheses, equality=True)


def _mean_own_error(_: AlgorithmRound) -> Conclusion:
    new = e - q
    form = square((1 - C) * q.mean + C * e.mean) + C * (1 - C) / (m - 1) * square(new - new.mean)
    return Conclusion(
        form + _one(client_variance, C / m) - _one(next_mean_own_error),
        (
            Inequality(C * m - 1, "C m >= 1"),
            Inequality(m - 2, "m >= 2"),
            Inequality(1 - C, "C <= 1"),
        ),
        equality=True,
    )


def _correction_error(_: AlgorithmRound) -> Conclusion:
    return Conclusion(square(e) + _one(client_variance) - _one(next_correction_error))


def _error_and_age(_: AlgorithmRound, w: Any) -> Conclusion:
    return _by_age(g - y, q, w)


def _correction_and_age(_: AlgorithmRound, w: Any) -> Conclusion:
    return _by_age(g - y - (g - y).mean, q - q.mean, w)


def _by_age(of: Vector, own: Vector, w: Any) -> Conclusion:
    w = sympify(w)
    form = (1 + w) * L**2 * square(z) + (1 + 1 / w) * square(own) - square(of)
    return Conclusion(form, (Inequality(w, f"w = {w} > 0", strict=True),))


def _telescoping_age(_: AlgorithmRound) -> Conclusion:
    return Conclusion(_one(next_age) - square(z))


def _telescoping_own_error(this: AlgorithmRound, k: Any = 0) -> Conclusion:
    k = sympify(k)
    start = control_error if this.theorem.algorithm == "scaffold" else gradients_start
    form = _one(data(start**2), 1 / T) - square(q) + _one(next_own_error)
    if k == 0:
        return Conclusion(form)
    return Conclusion(
        form + k * (square(q.mean) - _one(next_mean_own_error)),
        (Inequality(k, f"k = {k} >= 0"), Inequality(1 - k, f"k = {k} <= 1")),
    )


def _telescoping_correction_error(_: AlgorithmRound) -> Conclusion:
    start = _one(data(correction_error**2), 1 / T)
    return Conclusion(start - square(q - q.mean) + _one(next_correction_error))


def _gradients_at_optimum(_: AlgorithmRound) -> Conclusion:
    return Conclusion(_one(loss_gap, 2 * L) - square(g - o))


def _error_and_displacement(_: AlgorithmRound) -> Conclusion:
    return Conclusion(_one(displacement, L**2) - square(e))


def _error_at_optimum(this: AlgorithmRound) -> Conclusion:
    share, hypotheses = _share(this)
    fresh = square(a - o) + _one(client_variance)
    form = (1 - share) * square(y - o) + share * fresh - _one(next_error_at_optimum)
    return Conclusion(form, hypotheses, equality=True)


def _telescoping_error_at_optimum(_: AlgorithmRound) -> Conclusion:
    start = _one(data(control_error_star**2), 1 / T)
    return Conclusion(start - square(y - o) + _one(next_error_at_optimum))


def _stored_descent(this: AlgorithmRound) -> Conclusion:
    s = this.length
    form = _one(decrease) - s * inner(g.mean, a.mean) + L * s**2 / 2 * square(a.mean)
    return Conclusion(form, (Inequality(s, "s > 0", strict=True),))


def _bounded_age(this: AlgorithmRound) -> Conclusion:
    ages = staleness * (staleness + 1) / 2
    return Conclusion((L * this.length) ** 2 * ages * square(a.mean) - square(e))


_STORED = ("fedvarp", "scaffold")
STORED_UPDATES = (*_STORED, "vrlsgd")
"""Algorithms whose server stores an update or a control of every client."""
_CONVEX: tuple[str, ...] = ("convex", "strongly-convex")
_STEPS = ("common-local-steps", "one-local-step")
_NOISY = ("bounded-noise", "equal-weights", _STEPS)
_CLIENTS = ("full-participation", "partial-participation")

AGE = Lemma(
    "age of stored updates",
    "mean_i E||z_i+||^2 = s^2 E||v||^2 + (1 - C) (mean_i ||z_i||^2 - 2 s mean_i <a + (f - f_i)/(m - "
    "1), z_i>), "
    "f_i = a_i - y_i; s^2 E||v||^2 with all clients",
    "z_i+ is -s v for a participant, else z_i - s v; given that client i does not participate, which has the "
    "probability 1 - C, the others are sampled uniformly from all others, and the mean of v is "
    "$y + (m f - f_i)/(m - 1) = a + (f - f_i)/(m - 1)$",
    (*_NOISY, _CLIENTS),
    _age,
    algorithms=STORED_UPDATES,
)
OWN_ERROR = Lemma(
    "error of stored updates at their own models",
    "mean_i E||q_i+||^2 = (1 - C) mean_i ||q_i||^2 + C mean_i (||e_i||^2 + Var d_i)",
    "q_i+ is g_i - d_i with probability C, independent of d_i, and else q_i",
    (*_NOISY, _CLIENTS),
    _own_error,
    algorithms=_STORED,
)
MEAN_OWN_ERROR = Lemma(
    "mean error of stored updates at their own models",
    "E||q+||^2 = ||(1 - C) q + C e||^2 + C (1 - C)/(m - 1) mean_i ||e_i - q_i - (e - q)||^2 + (C/m) mean_i "
    "Var d_i",
    "$q+ = q + (1/m) sum (g_i - d_i - q_i)$ over the participants: $C m$ of $m$ clients uniformly without "
    "replacement, independent of the $d_i$, which are independent given $x$",
    (*_NOISY, "partial-participation"),
    _mean_own_error,
    algorithms=_STORED,
)
CORRECTION_ERROR = Lemma(
    "error of corrections at their own models",
    "mean_i E||q_i+ - q+||^2 <= mean_i (||e_i||^2 + Var d_i) with all clients",
    "q_i+ = g_i - d_i for every client; a variance is at most the mean square",
    (*_NOISY, "full-participation"),
    _correction_error,
    algorithms=STORED_UPDATES,
)
ERROR_AND_AGE = Lemma(
    "stored updates by error and age",
    "mean_i ||g_i - y_i||^2 <= (1 + w) L^2 mean_i ||z_i||^2 + (1 + 1/w) mean_i ||q_i||^2, w > 0",
    "$g_i - y_i - q_i = grad F_i(x) - grad F_i(x_i)$, of norm at most $L ||z_i||$",
    ("smooth",),
    _error_and_age,
    algorithms=_STORED,
)
CORRECTION_AND_AGE = Lemma(
    "corrections by error and age",
    "mean_i ||g_i - y_i - (g - y)||^2 <= (1 + w) L^2 mean_i ||z_i||^2 + (1 + 1/w) mean_i ||q_i - "
    "q||^2, w > 0",
    "as for stored updates, with the means taken off; a variance is at most the mean square",
    ("smooth",),
    _correction_and_age,
    algorithms=STORED_UPDATES,
)
TELESCOPING_AGE = Lemma(
    "telescoping of the age",
    "(1/T) sum_{t<T} of mean_i ||z_i||^2 less its value a round later <= 0",
    "it is 0 at the start, and >= 0 after T rounds",
    (),
    _telescoping_age,
    over_rounds=True,
    algorithms=STORED_UPDATES,
)
TELESCOPING_OWN_ERROR = Lemma(
    "telescoping of the error at their own models",
    "(1/T) sum_{t<T} of mean_i ||q_i||^2 - k ||q||^2 less its value a round later <= mean_i ||q_i||^2 at the "
    "start over T, 0 <= k <= 1",
    "it is >= 0 after T rounds, as $||q||^2 <= mean_i ||q_i||^2$, and at most mean_i ||grad F_i(x_0) - "
    "y_i||^2 at the start, where FedVARP's y_i are 0",
    (),
    _telescoping_own_error,
    over_rounds=True,
    algorithms=_STORED,
)
TELESCOPING_CORRECTION_ERROR = Lemma(
    "telescoping of the error of corrections",
    "(1/T) sum_{t<T} of mean_i ||q_i - q||^2 less its value a round later <= its value at the start over T",
    "it is >= 0 after T rounds",
    (),
    _telescoping_correction_error,
    over_rounds=True,
    algorithms=("scaffold", "vrlsgd"),
)
GRADIENTS_AT_OPTIMUM = Lemma(
    "gradients and those at the optimum",
    "mean_i ||grad F_i(x) - grad F_i(x*)||^2 <= 2 L (F(x) - F*)",
    "$||grad F_i(x) - grad F_i(x*)||^2 <= 2 L (F_i(x) - F_i(x*) - <grad F_i(x*), x - x*>)$ for convex "
    "losses; "
    "in the mean the last summand vanishes",
    ("smooth", _CONVEX, "equal-weights"),
    _gradients_at_optimum,
)
ERROR_AND_DISPLACEMENT = Lemma(
    "error by displacement",
    "mean_i ||e_i||^2 <= L^2 mean ||x - y_{i,k}||^2",
    "$e_i$ is a mean over steps of $E[grad F_i(x) - grad F_i(y_{i,k})]$: Jensen, and smoothness",
    ("smooth", "bounded-noise", _STEPS),
    _error_and_displacement,
)
ERROR_AT_OPTIMUM = Lemma(
    "error of stored updates at the optimum",
    "mean_i E||y_i+ - o_i||^2 = (1 - C) mean_i ||y_i - o_i||^2 + C mean_i (||a_i - o_i||^2 + Var d_i)",
    "y_i+ is d_i with probability C, independent of d_i, and else y_i",
    (*_NOISY, _CLIENTS, _CONVEX),
    _error_at_optimum,
    algorithms=_STORED,
)
TELESCOPING_ERROR_AT_OPTIMUM = Lemma(
    "telescoping of the error at the optimum",
    "(1/T) sum_{t<T} of mean_i ||y_i - o_i||^2 less its value a round later <= its value at the start over T",
    "it is >= 0 after T rounds",
    (_CONVEX,),
    _telescoping_error_at_optimum,
    over_rounds=True,
    algorithms=("scaffold",),
)
STORED_DESCENT = Lemma(
    "descent along stored gradients",
    "F(x+) <= F(x) - s <grad F(x), a> + (L s^2/2) ||a||^2",
    "the mean loss has an $L$-Lipschitz gradient, and $x+ = x - s a$ without noise",
    ("smooth", "no-noise", "equal-weights", "bounded-absence"),
    _stored_descent,
    algorithms=("mifa",),
)
BOUNDED_AGE = Lemma(
    "stored gradients of bounded age",
    "the mean over the rounds t < T of mean_i ||e_i||^2 is at most L^2 s^2 d (d + 1)/2 times that of "
    "||a||^2, "
    "d = staleness",
    "$e_i = grad F_i(x_t) - grad F_i(x_r)$ with an age $k = t - r <= d$, so that $||e_i||^2 <= L^2 "
    "s^2 k$ times "
    "the sum of the last $k$ of $||a_t||^2$; each of these occurs at most once with every age from 1 to d",
    ("smooth", "no-noise", "one-local-step", "bounded-absence", "equal-weights"),
    _bounded_age,
    over_rounds=True,
    algorithms=("mifa",),
)
