r"""FedAvg on strongly convex losses, partial participation: a round contracts by 1 - (7/5) mu s.

By the steps for convex losses, with strong convexity in place of the sum over rounds.
"""

from boundkit.algebra.notation import L, mu
from boundkit.proofs.authoring import *
from boundkit.proofs.certificates.fedavg_convex_partial_sharp import LONG_SERVER_STEPS as LONG_SERVER
from boundkit.proofs.certificates.fedavg_convex_partial_sharp import PROOF as CONVEX
from boundkit.proofs.certificates.fedavg_convex_partial_sharp import SMALLEST_GAP, h, s, share
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

LONG_SERVER_STEPS = (
    LONG_SERVER.of(
        THEOREM,
        charts=(partial_chart(h, Rational(1, 12), curved=True),),
        contraction=Rational(7, 5) * mu * s,
    )
    .changed("squared distance", weight=1)
    .changed("three points", {"v": Rational(1718, 3125)})
    .changed("dispersion of the directions", {"y": Rational(817, 6250)})
    .changed(
        "error of a client",
        {"y": Rational(8877, 125000), "p": Rational(1339, 5000), "q": Rational(29331, 50000)},
    )
    .changed(
        "displacement of a client",
        {"y": Rational(63183, 1000000), "p": Rational(4433, 12500), "q": Rational(7399, 12500)},
    )
    .replaced("telescoping", PROOF.step("strong convexity"))
)
_longer = Rational(1, 4)
_paid = Rational(973, 20_000) * s / L
LONG_LOCAL_STEPS = (
    SMALLEST_GAP.of(
        THEOREM,
        charts=(partial_chart(_longer, Rational(1, 24), curved=True),),
        contraction=PROOF.contraction,
    )
    .changed("squared distance", weight=1)
    .changed("three points", {"part": s * L + Rational(973, 10_000), "v": Rational(107, 200)})
    .changed("dispersion of the directions", {"y": Rational(137, 1000)})
    .changed("gradient and direction", weight=_paid)
    .changed("errors beside the direction", weight=2 * _paid)
    .changed("variance of a client", {"h": _longer})
    .changed(
        "error of a client",
        {
            "h": _longer,
            "whole": True,
            "y": Rational(57, 500),
            "p": Rational(279, 1000),
            "q": Rational(547, 1000),
        },
    )
    .changed(
        "displacement of a client",
        {
            "h": _longer,
            "whole": True,
            "y": Rational(121, 1000),
            "p": Rational(187, 500),
            "q": Rational(283, 500),
        },
    )
    .replaced("telescoping", PROOF.step("strong convexity"))
)
VARIANTS = (LONG_SERVER_STEPS, LONG_LOCAL_STEPS)
