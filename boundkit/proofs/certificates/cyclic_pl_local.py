"""By the steps of cyclic_pl, over all local steps of a cycle."""

from boundkit.algebra.notation import eta, mu_pl, tau
from boundkit.proofs.authoring import *
from boundkit.proofs.certificates.cyclic_pl import PROOF as ONE_STEP
from boundkit.proofs.certificates.cyclic_pl import h
from boundkit.theorems.cyclic_pl_local import THEOREM

s = round_of(THEOREM).length

PROOF = ONE_STEP.of(THEOREM, charts=(cycle_chart(h, tau),), contraction=Rational(4, 5) * mu_pl * s).changed(
    "direction of the cycle", {"of": (s / eta) * g.mean + D}
)
