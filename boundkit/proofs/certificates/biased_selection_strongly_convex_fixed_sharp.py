"""By the steps for falling step sizes, of a constant size."""

from boundkit.proofs.authoring import *
from boundkit.proofs.certificates.biased_selection_strongly_convex_decaying_sharp import PROOF as FALLING
from boundkit.proofs.certificates.biased_selection_strongly_convex_decaying_sharp import share
from boundkit.theorems.biased_selection_strongly_convex_fixed_sharp import THEOREM

PROOF = FALLING.of(THEOREM, charts=(selection_chart(share),))
