r"""Lemmas on clipped gradient descent: x+ = x - e g with e = min(eta, clip/||g||), for relaxed-smooth losses.

Let the gradient be g - d g/||g|| + p after a length t of the step, p orthogonal to g and q = ||p||. Its
norm is at most ||g|| - d + q while d <= ||g||, and so for a, b >= 0 and N the root of a^2 + b^2

    a d' + b q' <= N (L0 + L1 (||g|| - d + q)).

Backwards from an end t_1, in units s = L1 (t_1 - t) of the length, let da/ds = c - N and db/ds = N, so that
(a d + b q)' <= -c L1 d + N (L0 + L1 ||g||). With c = 0, from a = 1 and b = 0, a + b = 1 >= N: d(t_1) is at
most (L0 + L1 ||g||) t_1 for L1 t_1 <= 1. Over a length r = e ||g|| this is at most ||g|| (eta L0 + clip L1),
and d stays below ||g|| where eta L0 + clip L1 <= 1. With c = 1, from a = b = 0, the integral of d is at most
(L0 + L1 ||g||)/L1^2 times that of N over s <= L1 r. Here a + b = s, so that N <= s and b <= s^2/2; b grows
by N >= a = s - b, so that b >= s - 1 + e^(-s) >= s^2/2 - s^3/6; and N^2 = s^2 - 2 b (s - b) gives

    N <= s - b + b^2/s <= s - s^2/2 + 5 s^3/12 - s^4/6 + s^5/36,

whose integral is at most k(t) t^2 for t = L1 r <= 1 and k(t) = 1/2 - t/6 + 5 t^2/48. So

    F(x+) <= F(x) - e ||g||^2 (1 - k(t) (e L0 + t)).
"""

from __future__ import annotations

from typing import Any

from sympy import Expr, Rational, sympify

from boundkit.algebra.notation import L0, L1, T, clip, eta, target
from boundkit.proofs.domain import Inequality
from boundkit.proofs.lemmas import Conclusion, Lemma
from boundkit.proofs.linear_form import LinearForm, scalar
from boundkit.proofs.rounds import CLIPPED, AlgorithmRound, decrease

clipped_decrease = scalar(
    "min(eta ||g||^2, clip ||g||)",
    r"\min(\eta\|g\|^2, \gamma\|g\|)",
    "step size times squared gradient, with the clipped step size",
)
rounds_above = scalar(
    "rounds above", r"\min\{t : \|g_t\| \le \epsilon\}", "rounds before the gradient is small"
)


def _curvature(z: Expr) -> Expr:
    return Rational(1, 2) - z / 6 + Rational(5, 48) * z**2


_SHORT = Inequality(1 - eta * L0 - clip * L1, "eta L0 + clip L1 <= 1")


def _descent(_: AlgorithmRound) -> Conclusion:
    z = clip * L1
    form = LinearForm({decrease: 1, clipped_decrease: _curvature(z) * (eta * L0 + z) - 1})
    return Conclusion(form, (_SHORT,))


def _rounds(_: AlgorithmRound, a: Any, b: Any) -> Conclusion:
    a, b = sympify(a), sympify(b)
    rounds = T * (a / (eta * target**2) + b / (clip * target))
    x, z = eta * L0, clip * L1
    k = _curvature(z)
    less = Rational(1, 6) - Rational(5, 48) * z  # (1/2 - k)/z
    return Conclusion(
        LinearForm({decrease: rounds, rounds_above: -1}),
        (
            _SHORT,
            Inequality(a * (1 - x / 2) - 1, f"a = {a}, a (1 - eta L0/2) >= 1"),
            Inequality(b * (1 - k * z) - 1, f"b = {b}, b (1 - k clip L1) >= 1"),
            Inequality((a + b) * (1 - k * (x + z)) - 1, "(a + b) (1 - k (eta L0 + clip L1)) >= 1"),
            Inequality(b * (Rational(1, 2) - less * x) - (a + 3 * b) * less * z, "concave between"),
        ),
    )


_STEPS = ("relaxed-smooth-mean", "no-noise", "full-participation")

CLIPPED_DESCENT = Lemma(
    "descent by a clipped step",
    "F(x+) <= F(x) - (1 - k (eta L0 + z)) min(eta ||g||^2, clip ||g||), z = clip L1, k = 1/2 - z/6 + "
    "5 z^2/48, for eta L0 + z <= 1",
    "relaxed smoothness bounds the gradient along the step and aside, so that $F(x+) <= F(x) - e ||g||^2 (1 "
    "- k(t) (e L0 + t))$ with $t = e L1 ||g||$, $k(t) = 1/2 - t/6 + 5 t^2/48$; $e L0 <= eta L0$, and $k(t) "
    "(eta L0 + t)$ grows with $t <= z$, as $k >= 1/3$ and its slope is at least $-1/6$",
    _STEPS,
    _descent,
    kinds=(CLIPPED,),
)
ROUNDS_ABOVE = Lemma(
    "rounds above the target",
    "R <= T (a/(eta target^2) + b/(clip target)) times the mean of F(x) - F(x+), T = R, for x = eta L0, "
    "z = clip L1, x + z <= 1, k as for a clipped step, a (1 - x/2) >= 1, b (1 - k z) >= 1, (a + b) (1 - k (x "
    "+ z)) >= 1 and (a + 3 b) (1/6 - 5 z/48) z <= b (1/2 - (1/6 - 5 z/48) x)",
    "with $u = eta ||g||/clip$ the descent by a clipped step is one by $eta ||g||^2 (1 - l (x + z u))$ for "
    "$u <= 1$, where $l = (1 - u)/2 + k u$ is at least the convex $k(z u)$, and by $clip ||g|| (1 - k (x/u + "
    "z))$ beyond; times $a/(eta ||g||^2) + b/(clip ||g||)$ that is concave in u, by the last condition, and "
    "in 1/u, and at least 1 where they are 0 and 1",
    _STEPS,
    _rounds,
    over_rounds=True,
    kinds=(CLIPPED,),
)
