r"""FedAvg on strongly convex losses, any unbiased sampling: a round contracts by 1 - (7/5) mu s."""

from boundkit.algebra.notation import mu
from boundkit.proofs.authoring import *
from boundkit.proofs.certificates.fedavg_convex_partial_sharp import h, s
from boundkit.proofs.certificates.fedavg_convex_sampling import PROOF as CONVEX
from boundkit.proofs.certificates.fedavg_strongly_convex_partial_sharp import curved
from boundkit.theorems.fedavg_strongly_convex_sampling import THEOREM

PROOF = curved(CONVEX).of(
    THEOREM,
    charts=(sampling_chart(h, Rational(1, 12), 1, mu),),
    contraction=Rational(7, 5) * mu * s,
)
LONG_SERVER_STEPS = PROOF.of(THEOREM, charts=(sampling_chart(h, Rational(1, 6), 1, mu),))
VARIANTS = (LONG_SERVER_STEPS,)
