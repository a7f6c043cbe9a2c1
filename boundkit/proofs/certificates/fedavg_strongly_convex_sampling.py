r"""FedAvg on strongly convex losses, any unbiased sampling: a round contracts by 1 - (7/5) mu s."""

from boundkit.algebra.notation import mu, sampling_slack
from boundkit.proofs.authoring import *
from boundkit.proofs.certificates.fedavg_convex_partial_sharp import h, s
from boundkit.proofs.certificates.fedavg_convex_sampling import PROOF as CONVEX
from boundkit.proofs.certificates.fedavg_convex_sampling import excess
from boundkit.theorems.fedavg_strongly_convex_sampling import THEOREM

PROOF = (
    CONVEX.of(
        THEOREM,
        charts=(sampling_chart(h, Rational(1, 24), 1, mu),),
        contraction=Rational(7, 5) * mu * s,
    )
    .changed("squared distance", weight=1)
    .changed("spread of the directions", weight=s**2 * excess)
    .changed("errors of participants", weight=6 * s**2 * sampling_slack)
    .replaced("telescoping", step("strong convexity", STRONG_CONVEXITY, removes=loss_gap))
)
