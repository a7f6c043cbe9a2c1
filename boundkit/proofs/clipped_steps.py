r"""Lemmas on clipped gradient descent: x+ = x - e g with e = min(eta, clip/||g||), for relaxed-smooth losses.

Along a step of length r the curvature is at most L0 + L1 (||g|| + h) where the gradient has changed by h;
Gronwall's inequality gives F(x+) <= F(x) - e ||g||^2 + (L0 + L1 ||g||) (e^{L1 r} - 1 - L1 r)/L1^2.
"""

from __future__ import annotations

from typing import Any

from sympy import Rational, sympify

from boundkit.algebra import BoundkitError
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


def _short_steps(h: Rational, c: Rational) -> tuple[Inequality, ...]:
    """Return what (e^t - 1 - t)/t^2 <= c rests on for t <= L1 clip."""
    if not (h.is_Rational and c.is_Rational and 0 < h < 5):
        raise BoundkitError(f"h = {h} and c = {c} must be rational numbers, 0 < h < 5.")
    series = Rational(1, 2) + h / 6 + h**2 / 24 / (1 - h / 5)
    return (
        Inequality(h - clip * L1, f"L1 clip <= h = {h}"),
        Inequality(c - series, f"c = {c} is at least 1/2 + h/6 + (h^2/24)/(1 - h/5)"),
    )


def _descent(_: AlgorithmRound, h: Any, c: Any) -> Conclusion:
    h, c = sympify(h), sympify(c)
    form = LinearForm({decrease: 1, clipped_decrease: c * (eta * L0 + clip * L1) - 1})
    return Conclusion(form, _short_steps(h, c))


def _rounds(_: AlgorithmRound, h: Any, c: Any, a: Any, b: Any) -> Conclusion:
    h, c, a, b = (sympify(each) for each in (h, c, a, b))
    rounds = T * (a / (eta * target**2) + b / (clip * target))
    smooth, growth = eta * L0, clip * L1
    return Conclusion(
        LinearForm({decrease: rounds, rounds_above: -1}),
        (
            *_short_steps(h, c),
            Inequality(a * (1 - smooth / 2) - 1, f"a = {a}, a (1 - eta L0/2) >= 1"),
            Inequality(b * (1 - c * growth) - 1, f"b = {b}, b (1 - c clip L1) >= 1"),
            Inequality((a + b) * (1 - c * (smooth + growth)) - 1, "(a + b) (1 - c (eta L0 + clip L1)) >= 1"),
        ),
    )


_STEPS = ("relaxed-smooth-mean", "no-noise", "full-participation")

CLIPPED_DESCENT = Lemma(
    "descent by a clipped step",
    "F(x+) <= F(x) - (1 - c (eta L0 + clip L1)) min(eta ||g||^2, clip ||g||) for L1 clip <= h and c >= 1/2 + "
    "h/6 + (h^2/24)/(1 - h/5)",
    "the inequality above for $r = e ||g|| <= clip$: $e^t - 1 - t$ is at most c $t^2$ for $t <= h$, as the "
    "factorials of its series grow by 5 or more from $t^4$ on; $e L0 <= eta L0$, $e L1 ||g|| <= clip L1$",
    _STEPS,
    _descent,
    kinds=(CLIPPED,),
)
ROUNDS_ABOVE = Lemma(
    "rounds above the target",
    "R <= T (a/(eta target^2) + b/(clip target)) times the mean of F(x) - F(x+), T = R, for L1 clip <= h, "
    "c >= 1/2 + h/6 + (h^2/24)/(1 - h/5), a (1 - eta L0/2) >= 1, b (1 - c clip L1) >= 1 and (a + b) (1 - c "
    "(eta L0 + clip L1)) >= 1",
    "with $u = eta ||g||/clip$ the inequality above is a decrease by $eta ||g||^2 (1 - k (eta L0 + clip L1 "
    "u))$ for $u <= 1$, where $k = (1 - u)/2 + c u$ is at least the convex $(e^t - 1 - t)/t^2$, and by $clip "
    "||g|| (1 - c (eta L0/u + clip L1))$ beyond; times $a/(eta ||g||^2) + b/(clip ||g||)$ that is concave in "
    "u and in 1/u, and at least 1 where they are 0 and 1",
    _STEPS,
    _rounds,
    over_rounds=True,
    kinds=(CLIPPED,),
)
