r"""FedAvg on strongly convex losses, any unbiased sampling: a round contracts by 1 - (7/5) mu s."""

from boundkit.algebra.notation import mu, sampling_slack
from boundkit.proofs.authoring import *
from boundkit.proofs.certificates.fedavg_convex_partial_sharp import h, s
from boundkit.proofs.certificates.fedavg_convex_sampling import LONG_SERVER_STEPS as LONG_SERVER
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

LONG_SERVER_STEPS = (
    LONG_SERVER.of(
        THEOREM,
        charts=(sampling_chart(h, Rational(1, 12), 1, mu),),
        contraction=Rational(7, 5) * mu * s,
    )
    .changed("squared distance", weight=1)
    .changed("three points", {"v": Rational(273, 500)})
    .changed("dispersion of the directions", {"y": Rational(113, 1000)})
    .changed(
        "error of a client", {"y": Rational(53, 500), "p": Rational(279, 1000), "q": Rational(553, 1000)}
    )
    .changed(
        "displacement of a client",
        {"y": Rational(16, 125), "p": Rational(191, 500), "q": Rational(72, 125)},
    )
    .replaced("telescoping", PROOF.step("strong convexity"))
)
VARIANTS = (LONG_SERVER_STEPS,)
