"""By the proof of the sharper constants; and, with these larger ones, for client steps ten times as long.

There the displacements and errors cost nearly half of the loss gap, as nearly all that convexity says of the
gradients at the optimum pays for the rest.
"""

from sympy import Expr

from boundkit.algebra.notation import L
from boundkit.proofs.authoring import *
from boundkit.proofs.certificate import Certificate
from boundkit.proofs.certificates.fedavg_convex_partial_sharp import PROOF as SHARP
from boundkit.proofs.certificates.fedavg_convex_partial_sharp import VARIANTS as LONGER
from boundkit.proofs.certificates.fedavg_convex_partial_sharp import s
from boundkit.theorems.fedavg_convex_partial import THEOREM

_used = Rational(19, 20)
LONGEST = Rational(5, 4)


def for_long_local_steps(sharp: Certificate, weight: Expr) -> Certificate:
    """Return the steps of a proof for eta L tau <= 5/4, ``weight`` being that of the squared distance."""
    paid = weight * s * _used / (3 * L)
    return (
        sharp.changed("squared distance", weight=weight)
        .changed("three points", {"part": s * L + _used})
        .changed("dispersion of the directions", {"y": 1})
        .changed("variance of a client", {"h": LONGEST})
        .changed("error of a client", {"y": Rational(3, 100)})
        .changed("displacement of their means", {"y": Rational(3, 100)})
        .replaced(
            "errors of participants",
            step("gradient and direction", SUM_OF_TWO, u=a.mean, v=e.mean, y=2, weight=paid),
            step("errors beside the direction", JENSEN, of=e, weight=Rational(3, 2) * paid),
            sharp.step("errors of participants"),
        )
        .replaced(
            "gradient and loss",
            step("gradient and loss", GRADIENT_AND_LOSS, weight=weight * s / (2 * L)),
            step("gradient that is left", SQUARE, of=g.mean, removes=square(g.mean)),
        )
    )


PROOF = SHARP.of(THEOREM)
LONG_LOCAL_STEPS = for_long_local_steps(SHARP, 1 / s).of(
    THEOREM, charts=(partial_chart(LONGEST, Rational(1, 24)),)
)
VARIANTS = (*(each.of(THEOREM) for each in LONGER), LONG_LOCAL_STEPS)
