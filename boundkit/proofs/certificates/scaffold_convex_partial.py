r"""SCAFFOLD on smooth convex losses: ||x - x*||^2 + s^2 w R falls, R the controls' error at the optimum.

C w is twice a bound of the variance of sampling, against the error of the controls in the server's direction,
and s L/eta_s^2, against that in the local steps. Other Young parameters charge the error of the controls less
and the loss gap more, of which little is used: the noise and the start-up then cost a quarter.
"""

from sympy import Expr

from boundkit.algebra.notation import C, L, eta_s, m
from boundkit.proofs.authoring import *
from boundkit.proofs.certificate import CertificateStep
from boundkit.theorems.scaffold_convex_partial import THEOREM

s = round_of(THEOREM).length
share = 2 * (1 - C) / (C * m)
renewed = 2 * share + s * L / eta_s**2


def steps_of_a_round(errors: Expr, displaced: Expr) -> tuple[CertificateStep, ...]:
    """Return the steps from the server's direction to the loss gap and the error of the controls.

    Errors and displacement of the clients come to have the weights ``errors`` and ``displaced``.
    """
    return (
        step("participation", PARTICIPATION_BOUND, removes=direction),
        step("mean of the sampled differences", SQUARE, of=(a - y).mean, removes=inner(e.mean, y.mean)),
        step("controls in the direction", SUM_OF_TWO, u=a - o, v=o - y, y=1, removes=inner(e, y)),
        step("error in the clients' directions", SUM_OF_TWO, u=g - o, v=-e, y=1, removes=inner(e, o)),
        step(
            "error in the mean direction", SUM_OF_TWO, u=g.mean, v=-e.mean, y=1, removes=inner(g.mean, e.mean)
        ),
        step("errors over clients", JENSEN, of=e, removes=square(e.mean)),
        step("weight of the errors", SQUARE, of=e, removes=square(e), leaving=errors),
        step("errors by displacement", ERROR_AND_DISPLACEMENT, removes=square(e)),
        step(
            "weight of the displacement",
            NONNEGATIVE,
            of=displacement,
            removes=displacement,
            leaving=displaced,
        ),
        step(
            "displacement of a client",
            CONVEX_LOCAL_DISPLACEMENT,
            h=Rational(1, 8),
            y=Rational(1, 8),
            p=Rational(3, 8),
            q=Rational(17, 32),
            removes=displacement,
        ),
        step("variance of a client", CONVEX_LOCAL_VARIANCE, h=Rational(1, 8), removes=client_variance),
        step("mean of the corrections", SQUARE, of=(g - y).mean, removes=inner(g.mean, y.mean)),
        step("corrections in the local steps", SUM_OF_TWO, u=g - o, v=o - y, y=1, removes=inner(g, y)),
        step("mean gradient and loss", GRADIENT_AND_LOSS, removes=square(g.mean)),
        step("gradients and loss", GRADIENTS_AT_OPTIMUM, removes=inner(g, o)),
    )


PROOF = Certificate(
    THEOREM,
    charts=(large_server_chart(Rational(1, 81)),),
    steps=(
        step("distance", DISTANCE, weight=1 / s),
        step("telescoping of the distance", TELESCOPING_DISTANCE, removes=next_square_distance),
        step("three points", THREE_POINTS, weight=2),
        step("controls", ERROR_AT_OPTIMUM, weight=s * renewed / C),
        step("telescoping of the controls", TELESCOPING_ERROR_AT_OPTIMUM, removes=next_error_at_optimum),
        *steps_of_a_round(19 * s, 5 * L / 4),
        step("controls improve", SQUARE, of=y - o, removes=inner(y, o)),
    ),
)

l, again = Rational(18, 25), Rational(3, 2) * share + Rational(5, 4) * s * L / eta_s**2
VARIANTS = (
    PROOF.changed("distance", weight=l / s)
    .changed("three points", weight=2 * l)
    .changed("controls", weight=l * s * again / C)
    .changed("controls in the direction", arguments={"y": 2})
    .changed("weight of the errors", leaving=30 * l * s)
    .changed("weight of the displacement", leaving=3 * l * L / 2),
)
