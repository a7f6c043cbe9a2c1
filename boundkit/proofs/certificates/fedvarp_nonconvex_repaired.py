r"""FedVARP on smooth non-convex losses, for any number of clients: the steps of the sharper constants.

With 1/(m - 1) <= 2/m, and larger constants throughout: the descent weighs 2/s, and E||v||^2 (4/3) c.
"""

from boundkit.algebra.notation import C, L, m
from boundkit.proofs.authoring import *
from boundkit.theorems.fedvarp_nonconvex_repaired import THEOREM

s = round_of(THEOREM).length
c = s * L
h = Rational(1, 10)
share = 2 * (1 - C) / (C * m)

PROOF = Certificate(
    THEOREM,
    charts=(any_clients_chart(h, Rational(1, 4), limits=((C * m) ** 3 - (8 * c * m) ** 2,)),),
    steps=(
        step("descent", DESCENT, weight=2 / s),
        step("stored updates", STORED_ERROR, w=C / 2, weight=4 * c * share / C),
        step("telescoping of stored updates", TELESCOPING_STORED_ERROR, removes=next_stored_error),
        step("weight of the direction", NONNEGATIVE, of=direction, removes=direction, leaving=4 * c / 3),
        step("participation", PARTICIPATION_BOUND, removes=direction),
        step("mean of the sampled vectors", SQUARE, of=(g - y - e).mean, removes=inner(y.mean, e.mean)),
        step("sampled vectors", SUM_OF_TWO, u=g - y, v=-e, y=Rational(1, 3), removes=inner(y, e)),
        step("stored updates fall", SQUARE, of=g - y, removes=inner(g, y)),
        step(
            "error against gradient",
            YOUNG,
            u=g.mean,
            v=e.mean,
            w=Rational(1, 4),
            removes=inner(g.mean, e.mean),
        ),
        step("errors over clients", JENSEN, of=e, removes=square(e.mean)),
        step(
            "weight of the variance",
            NONNEGATIVE,
            of=client_variance,
            removes=client_variance,
            leaving=12 * c / (C * m),
        ),
        step("variance of a client", LOCAL_VARIANCE, h=h, removes=client_variance),
        step("weight of the errors", SQUARE, of=e, removes=square(e), leaving=Rational(8)),
        step(
            "error of a client",
            LOCAL_BIAS,
            h=h,
            y=Rational(1, 20),
            p=Rational(3, 10),
            q=Rational(3, 5),
            removes=square(e),
        ),
        step("dissimilarity", DISSIMILARITY, removes=square(g)),
        step("telescoping", TELESCOPING_LOSS, removes=decrease),
    ),
)
