r"""FedAvg on strongly convex losses, partial participation: a round contracts by 1 - (7/5) mu s.

By the steps for convex losses, with strong convexity in place of the sum over rounds. What the drift of the
local models takes from the contraction depends on the drift of their mean only, which the loss gap pays for.
"""

from boundkit.algebra.notation import mu
from boundkit.proofs.authoring import *
from boundkit.proofs.certificate import Certificate
from boundkit.proofs.certificates.fedavg_convex_partial_sharp import PROOF as CONVEX
from boundkit.proofs.certificates.fedavg_convex_partial_sharp import h, s
from boundkit.theorems.fedavg_strongly_convex_partial_sharp import THEOREM


def curved(convex: Certificate) -> Certificate:
    """Return the steps of a proof for convex losses, with the contraction of strongly convex ones."""
    convex = (
        convex.changed("squared distance", weight=1)
        .changed("three points", {"v": Rational(476, 1000)})
        .changed("dispersion of the directions", {"y": Rational(11, 125)})
        .changed("error of a client", {"y": Rational(7, 250)})
        .changed("displacement of their means", {"y": Rational(7, 500)})
    )
    return convex.replaced(
        "three points",
        convex.step("three points"),
        step("drift of the mean model", MEAN_DRIFT, y=Rational(58, 25), removes=mean_drift),
    ).replaced("telescoping", step("strong convexity", STRONG_CONVEXITY, removes=loss_gap))


PROOF = curved(CONVEX).of(
    THEOREM,
    charts=(partial_chart(h, Rational(1, 12), curved=True),),
    contraction=Rational(7, 5) * mu * s,
)
LONG_SERVER_STEPS = PROOF.of(THEOREM, charts=(partial_chart(h, Rational(1, 6), curved=True),))
VARIANTS = (LONG_SERVER_STEPS,)
