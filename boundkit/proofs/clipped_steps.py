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


def _descent(_: AlgorithmRound, h: Any, c: Any) -> Conclusion:
    h, c = sympify(h), sympify(c)
    if not (h.is_Rational and c.is_Rational and 0 < h < 5):
        raise BoundkitError(f"h = {h} and c = {c} must be rational numbers, 0 < h < 5.")
    series = Rational(1, 2) + h / 6 + h**2 / 24 / (1 - h / 5)
    form = LinearForm({decrease: 1, clipped_decrease: c * (eta * L0 + clip * L1) - 1})
    return Conclusion(
        form,
        (
            Inequality(h - clip * L1, f"L1 clip <= h = {h}"),
            Inequality(c - series, f"c = {c} is at least 1/2 + h/6 + (h^2/24)/(1 - h/5)"),
        ),
    )


def _rounds(_: AlgorithmRound) -> Conclusion:
    rounds = T * (1 / (eta * target**2) + 1 / (clip * target))
    return Conclusion(LinearForm({clipped_decrease: rounds, rounds_above: -1}))


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
    "R <= T (1/(eta target^2) + 1/(clip target)) times the mean of min(eta ||g||^2, clip ||g||), T = R",
    "the gradient is above the target in R rounds, and $1/min(a, b) <= 1/a + 1/b$",
    _STEPS,
    _rounds,
    over_rounds=True,
    kinds=(CLIPPED,),
)
