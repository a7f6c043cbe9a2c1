r"""ClusterFedVARP on smooth non-convex losses: as for FedVARP, with one stored update a cluster.

The descent weighs (3/2)/s, E||v||^2 (6/7) c, the variance of a client (30/7) c/(C m), its error 8/3.
"""

from boundkit.algebra.notation import C, L, m, missed
from boundkit.proofs.authoring import *
from boundkit.theorems.clusterfedvarp_nonconvex_sharper import THEOREM

s = round_of(THEOREM).length
c = s * L
h = Rational(1, 10)
share = (1 - C) / (C * (m - 1))

PROOF = Certificate(
    THEOREM,
    charts=(clusters_chart(h, Rational(1, 4)),),
    steps=(
        step("descent", DESCENT, weight=Rational(3, 2) / s),
        step(
            "stored updates",
            CLUSTER_STORED_ERROR,
            w=(1 - missed) / 2,
            weight=Rational(16, 7) * c * share / (1 - missed),
        ),
        step("telescoping of stored updates", CLUSTER_TELESCOPING, removes=next_stored_error),
        step("weight of the direction", NONNEGATIVE, of=direction, removes=direction, leaving=6 * c / 7),
        step("participation", PARTICIPATION, removes=direction),
        step(
            "dispersion of the directions",
            SUM_OF_TWO,
            u=(g - y) - (g - y).mean,
            v=e.mean - e,
            y=Rational(1, 3),
            removes=inner(y, e),
        ),
        step("mean of the stored updates", SQUARE, of=(g - y).mean, removes=inner(g.mean, y.mean)),
        step("clients of a cluster", SUM_OF_TWO, u=g - G, v=-e, y=Rational(1, 3), removes=inner(G, e)),
        step("dissimilarity in a cluster", CLUSTER_DISSIMILARITY, removes=square(g)),
        step("mean of a cluster", CLUSTER_MEAN, of=G, removes=inner(g, G)),
        step("mean of a cluster against its stored update", CLUSTER_MEAN, of=y, removes=inner(g, y)),
        step("stored updates fall", SQUARE, of=G - y, removes=inner(G, y)),
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
            leaving=30 * c / (7 * C * m),
        ),
        step("variance of a client", LOCAL_VARIANCE, h=h, removes=client_variance),
        step("weight of the errors", SQUARE, of=e, removes=square(e), leaving=Rational(8, 3)),
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
