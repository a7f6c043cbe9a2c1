r"""ClusterFedVARP on smooth non-convex losses: as for FedVARP, with one stored update a cluster.

The descent weighs (3/2)/s, E||v||^2 (6/7) c, the variance of a client (30/7) c/(C m), its error 8/3.
"""

from boundkit.algebra.notation import C, m, missed
from boundkit.proofs.authoring import *
from boundkit.proofs.certificates.fedvarp_nonconvex_sharp import PROOF as FEDVARP
from boundkit.proofs.certificates.fedvarp_nonconvex_sharp import c, h, s, share
from boundkit.theorems.clusterfedvarp_nonconvex_sharp import THEOREM

PROOF = (
    FEDVARP.of(THEOREM, charts=(clusters_chart(h, Rational(1, 4)),))
    .changed("descent", weight=Rational(3, 2) / s)
    .replaced(
        "stored updates",
        step(
            "stored updates",
            CLUSTER_STORED_ERROR,
            w=(1 - missed) / 2,
            weight=Rational(16, 7) * c * share / (1 - missed),
        ),
    )
    .changed("telescoping of stored updates", lemma=CLUSTER_TELESCOPING)
    .changed("weight of the direction", leaving=6 * c / 7)
    .replaced(
        "stored updates fall",
        step("clients of a cluster", SUM_OF_TWO, u=g - G, v=-e, y=Rational(1, 3), removes=inner(G, e)),
        step("dissimilarity in a cluster", CLUSTER_DISSIMILARITY, removes=square(g)),
        step("mean of a cluster", CLUSTER_MEAN, of=G, removes=inner(g, G)),
        step("mean of a cluster against its stored update", CLUSTER_MEAN, of=y, removes=inner(g, y)),
        step("stored updates fall", SQUARE, of=G - y, removes=inner(G, y)),
    )
    .changed("weight of the variance", leaving=30 * c / (7 * C * m))
    .changed("weight of the errors", leaving=Rational(8, 3))
)
