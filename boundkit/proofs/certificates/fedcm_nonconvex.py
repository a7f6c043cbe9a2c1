"""FedAvg's steps along the sequence z of the momentum; the averages of directions are charged to them."""

from boundkit.algebra.notation import fresh
from boundkit.proofs.authoring import *
from boundkit.theorems.fedcm_nonconvex import THEOREM

h = Rational(1, 8)
s = round_of(THEOREM).length
l = Rational(201, 100)

PROOF = Certificate(
    THEOREM,
    charts=local_momentum_charts(h, 3 - Rational(9, 5) * fresh, Rational(1, 2)),
    steps=(
        step("descent", MOMENTUM_DESCENT, w=Rational(5, 8), weight=l / s),
        step(
            "error of a client",
            LOCAL_BIAS,
            h=h,
            y=Rational(1, 11),
            p=Rational(149, 500),
            q=Rational(5, 9),
            weight=l / 2,
        ),
        step(
            "gradient along old directions",
            YOUNG,
            u=g.mean,
            v=old_directions,
            w=Rational(1, 2),
            removes=inner(g.mean, old_directions),
        ),
        step("old directions", AVERAGE_OF_DIRECTIONS, removes=square(old_directions)),
        step("dissimilarity", DISSIMILARITY_FROM_START, y=Rational(1, 2), removes=square(g)),
        step("participation", PARTICIPATION, removes=direction),
        step("variance of a client", LOCAL_VARIANCE, h=h, removes=client_variance),
        step("mean direction", SQUARE, of=a.mean, removes=inner(g.mean, e.mean)),
        step("errors over clients", JENSEN, of=e, removes=square(e.mean)),
        step("telescoping", MOMENTUM_TELESCOPING_LOSS, removes=decrease_of_sequence),
    ),
)
