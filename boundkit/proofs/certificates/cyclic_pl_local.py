"""By the steps of cyclic_pl, over all local steps of a cycle."""

from boundkit.algebra.notation import mu_pl, tau
from boundkit.proofs.authoring import *
from boundkit.proofs.certificates.cyclic_pl import PROOF as ONE_STEP
from boundkit.proofs.certificates.cyclic_pl import h, weight
from boundkit.theorems.cyclic_pl_local import THEOREM

s = round_of(THEOREM).length

PROOF = ONE_STEP.of(THEOREM, charts=(cycle_chart(h, tau),), contraction=mu_pl * s).changed(
    "gradient against its change", {"w": weight(s)}
)
