r"""SCAFFOLD on smooth strongly convex losses: the convex case's steps, with a contraction by up to mu s.

The loss gap that the convex case bounds is at least mu/2 ||x - x*||^2 here. The published contraction, by
mu s/2, is half of it, so that the noise costs a tenth of what is published.
"""

from typing import Any

from sympy import Expr, Rational

from boundkit.algebra import Theorem
from boundkit.algebra.notation import C, control_error_star, mu
from boundkit.proofs.authoring import *
from boundkit.proofs.certificates.scaffold_convex_partial import renewed, s, steps_of_a_round
from boundkit.theorems.scaffold_strongly_convex_partial import THEOREM


def proof_of(theorem: Theorem, chart: CoordinateChart, young: Any, rho: Expr, times: Any) -> Certificate:
    """Return the proof on a chart, with ``times`` the weight of the controls' errors without contraction."""
    weight = times * renewed(young)
    return Certificate(
        theorem,
        charts=(chart,),
        contraction=rho,
        potential={control_error_star: s**2 * weight / C},
        steps=(
            step("distance", DISTANCE, removes=next_square_distance),
            step("controls", ERROR_AT_OPTIMUM, removes=next_error_at_optimum),
            *steps_of_a_round(s, young),
            step("strong convexity", STRONG_CONVEXITY, removes=loss_gap),
            step(
                "controls improve",
                SQUARE,
                of=y - o,
                removes=inner(y, o),
                leaving=-2 * (1 - rho) * s**2 * weight / C,
            ),
        ),
    )


PROOF = proof_of(THEOREM, large_server_chart(Rational(1, 81), least=15), 20, mu * s, Rational(15, 14))
VARIANTS = (
    proof_of(THEOREM, large_server_chart(Rational(10, 81), least=15), 2, mu * s / 2, Rational(30, 29)),
    proof_of(
        THEOREM, large_server_chart(Rational(1, 81), least=Rational(3, 2)), 20, mu * s / 2, Rational(3, 2)
    ),
)
"""Longer steps, also against the rate at which the controls are renewed."""
