r"""FedAvg on smooth convex losses, partial participation: the squared distance from the optimum decreases.

What convexity says of the gradients at the optimum, of which a part s L is used, is as large as the squared
mean direction of a server step. The noise of the local models costs half as much as their displacement would,
so that means and variances are bounded apart. The variants are the proof for longer steps of the server, and
of the clients. DISPLACED is the proof of larger constants without either, on which other theorems rest.
"""

from boundkit.algebra.notation import C, L, m
from boundkit.proofs.authoring import *
from boundkit.theorems.fedavg_convex_partial_sharp import THEOREM

s = round_of(THEOREM).length
h = Rational(1, 8)
share = (1 - C) / (C * (m - 1))

DISPLACED = Certificate(
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

PROOF = (
    DISPLACED.of(THEOREM)
    .changed("squared distance", weight=Rational(513, 1000) / s)
    .changed("three points", {"part": s * L}, lemma=NOISY_THREE_POINTS)
    .changed("dispersion of the directions", {"y": Rational(129, 1000)})
    .without("gradient against error")
    .without("errors over clients")
    .replaced(
        "errors of participants", step("errors of participants", SQUARE, of=e.mean, removes=square(e.mean))
    )
    .replaced(
        "error of a client", step("error of a client", CONVEX_MEAN_BIAS, y=Rational(1, 20), removes=square(e))
    )
    .replaced(
        "displacement of a client",
        step("variance of the local models", CONVEX_MODEL_VARIANCE, removes=model_variance),
        step(
            "displacement of their means",
            CONVEX_MEAN_DISPLACEMENT,
            y=Rational(1, 10),
            removes=mean_displacement,
        ),
    )
)

LONG_SERVER_STEPS = PROOF.of(THEOREM, charts=(partial_chart(h, Rational(5, 12)),))
_longer = Rational(1, 4)
LONG_LOCAL_STEPS = (
    PROOF.of(THEOREM, charts=(partial_chart(_longer, Rational(1, 24)),))
    .changed("squared distance", weight=Rational(257, 500) / s)
    .changed("dispersion of the directions", {"y": Rational(187, 1000)})
    .changed("variance of a client", {"h": _longer})
    .changed("error of a client", {"y": Rational(77, 1000)})
    .changed("displacement of their means", {"y": Rational(3, 40)})
)
_paid = Rational(1, 100) / L
"""The squared gradient of the displacements and errors is at most so often that of the mean direction."""
SMALLEST_GAP = (
    PROOF.of(THEOREM)
    .changed("squared distance", weight=1 / (2 * s))
    .changed("three points", {"part": s * L + 4 * L * _paid})
    .replaced(
        "errors of participants",
        step("gradient and direction", SUM_OF_TWO, u=a.mean, v=e.mean, y=1, weight=_paid),
        step("errors beside the direction", JENSEN, of=e, weight=2 * _paid),
        PROOF.step("errors of participants"),
    )
    .replaced("gradient and loss", step("gradient that is left", SQUARE, of=g.mean, removes=square(g.mean)))
)
VARIANTS = (LONG_SERVER_STEPS, LONG_LOCAL_STEPS, SMALLEST_GAP)
