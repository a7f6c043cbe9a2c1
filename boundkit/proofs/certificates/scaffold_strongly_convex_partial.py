r"""SCAFFOLD on smooth strongly convex losses: the convex case's steps, with a contraction by 1 - mu s/2.

With other Young parameters the start-up costs half as much, or longer steps are allowed.
"""

from typing import Any

from sympy import Expr

from boundkit.algebra.notation import C, L, control_error_star, eta_s, mu
from boundkit.proofs.authoring import *
from boundkit.proofs.certificates.scaffold_convex_partial import s, share, steps_of_a_round
from boundkit.theorems.scaffold_strongly_convex_partial import THEOREM

renewed = Rational(5, 2) * share + 2 * s * L / eta_s**2
rho = mu * s / 2

PROOF = Certificate(
    THEOREM,
    charts=(large_server_chart(Rational(1, 81), least=15),),
    contraction=rho,
    potential={control_error_star: s**2 * renewed / C},
    steps=(
        step("distance", DISTANCE, removes=next_square_distance),
        step("three points", THREE_POINTS, weight=2 * s),
        step("controls", ERROR_AT_OPTIMUM, removes=next_error_at_optimum),
        *steps_of_a_round(23 * s**2, Rational(5, 2) * s * L),
        step(
            "controls improve",
            SQUARE,
            of=y - o,
            removes=inner(y, o),
            leaving=-2 * (1 - rho) * s**2 * renewed / C,
        ),
    ),
)

again = Rational(3, 2) * share + 2 * s * L / eta_s**2


def longer(chart: CoordinateChart, renewed: Expr, errors: Any, displaced: Any) -> Certificate:
    """Return the proof on a chart, with other weights of the potential, the errors and the displacement."""
    return (
        PROOF.of(THEOREM, charts=(chart,), potential={control_error_star: s**2 * renewed / C})
        .changed("weight of the errors", leaving=errors * s**2)
        .changed("weight of the displacement", leaving=displaced * s * L)
        .changed("controls improve", leaving=-2 * (1 - rho) * s**2 * renewed / C)
    )


VARIANTS = (
    longer(PROOF.charts[0], again, 40, Rational(5, 2)).changed(
        "controls in the direction", arguments={"y": 4}
    ),
    longer(
        large_server_chart(Rational(2, 81), least=15),
        Rational(5, 2) * (share + s * L / eta_s**2),
        23,
        Rational(11, 4),
    ),
    longer(
        large_server_chart(Rational(1, 81), least=Rational(3, 2)),
        Rational(7, 2) * (share + s * L / eta_s**2),
        30,
        3,
    ),
)
"""The first with half of the start-up; then longer steps of the server, also against the rate of controls."""
