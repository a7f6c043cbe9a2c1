r"""ClusterFedVARP on smooth non-convex losses: as for FedVARP, with one stored update a cluster.

The numbers are those of FedVARP.
"""

from boundkit.algebra.notation import missed
from boundkit.proofs.authoring import *
from boundkit.proofs.certificates.fedvarp_nonconvex_sharp import PROOF as FEDVARP
from boundkit.proofs.certificates.fedvarp_nonconvex_sharp import c, h, share
from boundkit.theorems.clusterfedvarp_nonconvex_sharp import THEOREM

PROOF = (
    FEDVARP.of(THEOREM, charts=(clusters_chart(h, Rational(1, 4)),))
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
    .replaced(
        "stored updates fall",
        step("clients of a cluster", SUM_OF_TWO, u=g - G, v=-e, y=Rational(13, 20), removes=inner(G, e)),
        step("dissimilarity in a cluster", CLUSTER_DISSIMILARITY, removes=square(g)),
        step("mean of a cluster", CLUSTER_MEAN, of=G, removes=inner(g, G)),
        step("mean of a cluster against its stored update", CLUSTER_MEAN, of=y, removes=inner(g, y)),
        step("stored updates fall", SQUARE, of=G - y, removes=inner(G, y)),
    )
)
