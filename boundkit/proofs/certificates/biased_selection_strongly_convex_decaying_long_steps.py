"""By the comparison at the start of the round, with steps of twice the size."""

from boundkit.algebra.notation import eta, mu, offset, tau
from boundkit.proofs.authoring import *
from boundkit.proofs.certificates.biased_selection_strongly_convex_decaying_corrected import PROOF as SINGLE
from boundkit.proofs.certificates.biased_selection_strongly_convex_decaying_corrected import share
from boundkit.theorems.biased_selection_strongly_convex_decaying_long_steps import THEOREM

PROOF = SINGLE.of(
    THEOREM,
    charts=(selection_chart(share, offset - tau + 1, offset - 4, 2 - eta * mu * offset),),
)
