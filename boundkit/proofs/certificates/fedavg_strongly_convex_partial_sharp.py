r"""FedAvg on strongly convex losses, partial participation: a round contracts by 1 - (7/5) mu s.

By the steps for convex losses, with strong convexity in place of the sum over rounds.
"""

from boundkit.algebra.notation import mu
from boundkit.proofs.authoring import *
from boundkit.proofs.certificates.fedavg_convex_partial_sharp import PROOF as CONVEX
from boundkit.proofs.certificates.fedavg_convex_partial_sharp import h, s, share
from boundkit.theorems.fedavg_strongly_convex_partial_sharp import THEOREM

PROOF = (
    CONVEX.of(
        THEOREM,
        charts=(partial_chart(h, Rational(1, 24), curved=True),),
        contraction=Rational(7, 5) * mu * s,
    )
    .changed("squared distance", weight=1)
    .changed("errors of participants", weight=6 * s**2 * share)
    .replaced("telescoping", step("strong convexity", STRONG_CONVEXITY, removes=loss_gap))
)
