"""By the proof of the sharper constants, of which the slower contraction uses a part."""

from boundkit.algebra.notation import mu
from boundkit.proofs.authoring import *
from boundkit.proofs.certificates.fedavg_convex_partial import LONGEST, for_long_local_steps
from boundkit.proofs.certificates.fedavg_convex_partial_sharp import h
from boundkit.proofs.certificates.fedavg_strongly_convex_partial_sharp import PROOF as SHARP
from boundkit.proofs.certificates.fedavg_strongly_convex_partial_sharp import VARIANTS as LONGER
from boundkit.theorems.fedavg_strongly_convex_partial import THEOREM

PROOF = SHARP.of(THEOREM, contraction=mu * round_of(THEOREM).length / 2)
LONG_LOCAL_STEPS = (
    for_long_local_steps(SHARP, Rational(1))
    .of(
        THEOREM,
        charts=(partial_chart(LONGEST, Rational(1, 24), curved=True),),
        contraction=PROOF.contraction,
    )
    .changed("three points", {"v": 1})
    .changed("drift of the mean model", {"y": Rational(1, 2)})
)
LONG_SERVER_STEPS = PROOF.of(THEOREM, charts=(partial_chart(h, Rational(5, 12), curved=True),))
VARIANTS = (
    LONG_SERVER_STEPS,
    *(each.of(THEOREM, contraction=PROOF.contraction) for each in LONGER),
    LONG_LOCAL_STEPS,
)
