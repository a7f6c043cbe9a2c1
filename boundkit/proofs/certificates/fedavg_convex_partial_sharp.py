r"""FedAvg on smooth convex losses, partial participation: the squared distance from the optimum decreases."""

from boundkit.algebra.notation import C, m
from boundkit.proofs.authoring import *
from boundkit.theorems.fedavg_convex_partial_sharp import THEOREM

s = round_of(THEOREM).length
h = Rational(1, 8)
share = (1 - C) / (C * (m - 1))

PROOF = Certificate(
    THEOREM,
    charts=(partial_chart(h, Rational(1, 24)),),
    steps=(
        step("squared distance", DISTANCE, weight=Rational(8, 15) / s),
        step("three points", THREE_POINTS, removes=inner(g.mean, X)),
        step("participation", PARTICIPATION, removes=direction),
        dispersion_of_directions(Rational(1, 9)),
        step(
            "gradient against error",
            YOUNG,
            u=g.mean,
            v=-e.mean,
            w=Rational(4, 25),
            removes=inner(g.mean, e.mean),
        ),
        step("errors of participants", SQUARE, of=e.mean, weight=Rational(8, 15) * 6 * s * share),
        step("errors over clients", JENSEN, of=e, removes=square(e.mean)),
        step("variance of a client", CONVEX_LOCAL_VARIANCE, h=h, removes=client_variance),
        step(
            "error of a client",
            CONVEX_LOCAL_BIAS,
            h=h,
            y=Rational(1, 10),
            p=Rational(11, 40),
            q=Rational(27, 50),
            removes=square(e),
        ),
        step(
            "displacement of a client",
            CONVEX_LOCAL_DISPLACEMENT,
            h=h,
            y=Rational(1, 11),
            p=Rational(4, 11),
            q=Rational(6, 11),
            removes=displacement,
        ),
        step("dissimilarity", DISSIMILARITY, removes=square(g)),
        step("gradient and loss", GRADIENT_AND_LOSS, removes=square(g.mean)),
        step("telescoping", TELESCOPING_DISTANCE, removes=square_distance),
    ),
)
