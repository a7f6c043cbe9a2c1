"""By the proof of the sharper constants, of which the slower contraction uses a part."""

from boundkit.algebra.notation import mu
from boundkit.proofs.authoring import round_of
from boundkit.proofs.certificates.fedavg_strongly_convex_partial_sharp import PROOF as SHARP
from boundkit.proofs.certificates.fedavg_strongly_convex_partial_sharp import VARIANTS as LONGER
from boundkit.theorems.fedavg_strongly_convex_partial import THEOREM

PROOF = SHARP.of(THEOREM, contraction=mu * round_of(THEOREM).length / 2)
VARIANTS = tuple(each.of(THEOREM, contraction=PROOF.contraction) for each in LONGER)
