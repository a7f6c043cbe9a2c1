"""By the comparison at the start of the round, with steps of twice the size."""

from boundkit.algebra.notation import offset, tau
from boundkit.proofs.authoring import *
from boundkit.proofs.certificates.biased_selection_strongly_convex_decaying_corrected import (
    compared_at_start,
    y,
)
from boundkit.theorems.biased_selection_strongly_convex_decaying_long_steps import THEOREM

share = Rational(7, 20)
charts = one_step_or_more(selection_chart(share, offset - tau + 1))
PROOF = compared_at_start(THEOREM, charts, share, Rational(1, 2), y)
