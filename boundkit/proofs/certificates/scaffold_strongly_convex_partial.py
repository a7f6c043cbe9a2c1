r"""SCAFFOLD on smooth strongly convex losses: the convex case's steps, with a contraction by 1 - mu s/2.

With other Young parameters the start-up costs half as much.
"""

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
VARIANTS = (
    PROOF.of(THEOREM, potential={control_error_star: s**2 * again / C})
    .changed("controls in the direction", arguments={"y": 4})
    .changed("weight of the errors", leaving=40 * s**2)
    .changed("controls improve", leaving=-2 * (1 - rho) * s**2 * again / C),
)
