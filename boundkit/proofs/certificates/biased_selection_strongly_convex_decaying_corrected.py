"""Selection by the losses, compared at the start of the round."""

from boundkit.algebra.notation import eta, mu, offset, rho_bar, tau
from boundkit.proofs.authoring import *
from boundkit.proofs.certificates.biased_selection_strongly_convex_decaying_sharp import PROOF as AT_MEAN
from boundkit.theorems.biased_selection_strongly_convex_decaying_corrected import THEOREM

PROOF = (
    AT_MEAN.of(
        THEOREM,
        charts=(selection_chart(Rational(3, 16), offset - tau + 1, positive=True),),
        contraction=eta * mu * (1 + Rational(3, 16) * rho_bar),
    )
    .changed("excess loss", lemma=STEP_EXCESS_AT_START)
    .changed("excess loss of the clients", lemma=SELECTED_EXCESS_AT_START, removes=start_excess)
    .replaced("strong convexity", step("strong convexity", START_CONVEXITY, removes=start_gap))
)
