r"""SCAFFOLD on smooth convex losses: ||x - x*||^2 + s^2 w R falls, R the controls' error at the optimum.

Each client is above the tangents of its local models by the squared error of its gradients there at the
optimum. That pays for the sampling and for the local steps, so that neither charges the loss gap: half of
the published initial gap suffices, and steps ten times as long are allowed.
"""

from typing import Any

from sympy import Expr, sympify

from boundkit.algebra import Theorem
from boundkit.algebra.notation import C, L, eta, eta_s, m, tau
from boundkit.proofs.authoring import *
from boundkit.proofs.certificate import CertificateStep
from boundkit.theorems.scaffold_convex_partial import THEOREM

s = round_of(THEOREM).length
c = s * L
share, local = 1 / (C * m), c / eta_s**2
"""What bounds the variance of sampling, and the order of the local steps' part."""


def steps_of_a_round(l: Expr, young: Any) -> tuple[CertificateStep, ...]:
    """Return the steps from the distance to the errors of the controls, for the weight l/s of the distance.

    The Young parameter ``young`` charges 1 + 1/young to the controls, and 1 + young to the clients.
    """
    paid = Rational(10, 3) * l * s * local
    moved = Rational(3, 4) * (l + paid * L) * L * eta**2 * tau * (tau - 1)
    part = c + moved * L / l
    return (
        step("three points", COCOERCIVE_THREE_POINTS, part=1, weight=2 * l * part),
        step(
            "three points of each client",
            COCOERCIVE_THREE_POINTS,
            part=1,
            of=a - o,
            weight=2 * l * (1 - part),
        ),
        step("participation", PARTICIPATION_BOUND, share=share, removes=direction),
        step("mean of the sampled differences", SQUARE, of=(a - y).mean, removes=inner(e.mean, y.mean)),
        step("controls in the direction", SUM_OF_TWO, u=a - o, v=o - y, y=young, removes=inner(e, y)),
        step("errors by displacement", ERROR_AND_DISPLACEMENT, weight=paid),
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
        step("mean gradient by direction", SUM_OF_TWO, u=a.mean, v=e.mean, y=1, weight=moved / 2),
        step("errors over clients", JENSEN, of=e, removes=square(e.mean)),
        step("mean of the corrections", SQUARE, of=(g - y).mean, removes=inner(g.mean, y.mean)),
        step("corrections in the local steps", SUM_OF_TWO, u=g - o, v=o - y, y=1, removes=inner(g, y)),
        step("gradients by directions", SUM_OF_TWO, u=a - o, v=e, y=1, weight=moved),
        step("weight of the directions", SQUARE, of=a - o, removes=inner(g, o)),
        step("weight of the errors", SQUARE, of=e, removes=square(e)),
    )


def renewed(young: Any) -> Expr:
    """Return the weight of the controls' errors that a round renews, over that of the distance and s^2."""
    return (1 + 1 / sympify(young)) * share + Rational(6, 5) * local


def proof_of(theorem: Theorem, chart: CoordinateChart, young: Any) -> Certificate:
    """Return the proof on a chart, with the Young parameter of ``steps_of_a_round``."""
    l = Rational(1, 2)
    return Certificate(
        theorem,
        charts=(chart,),
        steps=(
            step("distance", DISTANCE, weight=l / s),
            step("telescoping of the distance", TELESCOPING_DISTANCE, removes=next_square_distance),
            step("controls", ERROR_AT_OPTIMUM, weight=l * s * renewed(young) / C),
            step("telescoping of the controls", TELESCOPING_ERROR_AT_OPTIMUM, removes=next_error_at_optimum),
            *steps_of_a_round(l, young),
            step("controls improve", SQUARE, of=y - o, removes=inner(y, o)),
        ),
    )


PROOF = proof_of(THEOREM, large_server_chart(Rational(1, 81)), 20)
VARIANTS = (proof_of(THEOREM, large_server_chart(Rational(10, 81)), 2),)
"""Longer steps."""
