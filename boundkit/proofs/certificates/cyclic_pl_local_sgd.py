"""By the steps of cyclic_pl, over all local steps of a cycle."""

from boundkit.algebra.notation import L, eta, mu_pl, tau
from boundkit.proofs.authoring import *
from boundkit.proofs.certificates.cyclic_pl import PROOF as ONE_STEP
from boundkit.theorems.cyclic_pl_local_sgd import THEOREM

h, s = Rational(1, 6), round_of(THEOREM).length
weight = Rational(213, 500) - Rational(143, 500) * L * s
"""Young's weight of the gradient against its change."""

PROOF = (
    ONE_STEP.of(THEOREM, charts=(cycle_chart(h, tau),), contraction=Rational(9, 8) * mu_pl * s)
    .changed("descent", {"h": h, "s": Rational(7, 10)})
    .changed("gradient against its change", {"w": weight * s / eta})
    .changed("change of the gradients", {"h": h})
)
