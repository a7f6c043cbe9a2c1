r"""ClusterFedVARP on smooth non-convex losses: as for FedVARP, with one stored update a cluster.

The descent weighs (373/250)/s, E||v||^2 (891/1000) c, the variance of a client (211/100) c/(C m), and its
error 13/8.
"""

from boundkit.algebra.notation import C, m, missed
from boundkit.proofs.authoring import *
from boundkit.proofs.certificates.fedvarp_nonconvex import PROOF as FEDVARP
from boundkit.proofs.certificates.fedvarp_nonconvex import c, h, s
from boundkit.theorems.clusterfedvarp_nonconvex_sharp import THEOREM

share = (1 - C) / (C * (m - 1))

PROOF = (
    FEDVARP.of(THEOREM, charts=(clusters_chart(h, Rational(1, 3)),))
    .changed("descent", weight=Rational(373, 250) / s)
    .replaced(
        "stored updates",
        step(
            "stored updates",
            CLUSTER_STORED_ERROR,
            w=Rational(33, 250) * (1 - missed),
            weight=Rational(43, 40) * c * share / (1 - missed),
        ),
    )
    .changed("telescoping of stored updates", lemma=CLUSTER_TELESCOPING)
    .changed("weight of the direction", leaving=891 * c / 1000)
    .changed("participation", lemma=PARTICIPATION)
    .changed("dispersion of the directions", {"y": Rational(23, 500)})
    .replaced(
        "stored updates fall",
        step("clients of a cluster", SUM_OF_TWO, u=g - G, v=-e, y=Rational(13, 20), removes=inner(G, e)),
        step("dissimilarity in a cluster", CLUSTER_DISSIMILARITY, removes=square(g)),
        step("mean of a cluster", CLUSTER_MEAN, of=G, removes=inner(g, G)),
        step("mean of a cluster against its stored update", CLUSTER_MEAN, of=y, removes=inner(g, y)),
        step("stored updates fall", SQUARE, of=G - y, removes=inner(G, y)),
    )
    .changed("error against gradient", {"w": Rational(3, 10) - 27 * c / 100})
    .changed("weight of the variance", leaving=211 * c / (100 * C * m))
    .changed("weight of the errors", leaving=Rational(13, 8))
)
