"""By the steps at the start of the round, of twice the size."""

from boundkit.algebra.notation import offset, tau
from boundkit.proofs.authoring import *
from boundkit.proofs.certificates.biased_selection_strongly_convex_decaying_corrected import PROOF as SINGLE
from boundkit.theorems.biased_selection_strongly_convex_decaying_long_steps import THEOREM

PROOF = SINGLE.of(THEOREM, charts=(selection_chart(Rational(3, 16), offset - tau + 1),))
