"""By the steps of cyclic_pl, over all local steps of a cycle."""

from boundkit.algebra.notation import eta, tau
from boundkit.proofs.authoring import *
from boundkit.proofs.certificates.cyclic_pl import PROOF as ONE_STEP
from boundkit.proofs.certificates.cyclic_pl import h, rate
from boundkit.theorems.cyclic_pl_local import THEOREM

s = round_of(THEOREM).length

PROOF = (
    ONE_STEP.of(THEOREM, charts=(cycle_chart(h, tau),), contraction=rate * s)
    .changed("direction of the cycle", {"of": (s / eta) * g.mean + D})
    .changed("change of the gradients", {"between": Rational(49, 100), "within": Rational(77, 200)})
)
