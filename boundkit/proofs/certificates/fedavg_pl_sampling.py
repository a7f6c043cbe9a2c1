"""By the steps for non-convex losses: a round contracts by 1 - 2 mu_pl s times what they leave."""

from boundkit.algebra.notation import mu_pl
from boundkit.proofs.authoring import *
from boundkit.proofs.certificates.fedavg_nonconvex_sampling import PROOF as NONCONVEX
from boundkit.proofs.certificates.fedavg_nonconvex_sampling import c, excess, h, s
from boundkit.theorems.fedavg_pl_sampling import THEOREM

left = Rational(3969, 5000) - Rational(33, 100) * c - Rational(29, 50) * c * excess

PROOF = (
    NONCONVEX.of(
        THEOREM, charts=(sampling_chart(h, Rational(1, 24), 2, mu_pl),), contraction=2 * mu_pl * s * left
    )
    .replaced(
        "descent",
        step("loss after the round", LOSS_AFTER, removes=next_loss_gap),
        step("descent", DESCENT, removes=decrease),
    )
    .replaced("telescoping", step("Polyak-Lojasiewicz", POLYAK_LOJASIEWICZ, removes=square(g.mean)))
)
