"""By the steps of cyclic_pl_local_sgd, with the variance of sampled clients."""

from boundkit.algebra.notation import tau
from boundkit.proofs.authoring import *
from boundkit.proofs.certificates.cyclic_pl_local_sgd import PROOF as WHOLE
from boundkit.proofs.certificates.cyclic_pl_local_sgd import h
from boundkit.theorems.cyclic_pl_local_sgd_sampled import THEOREM

y = Rational(1, 8)

PROOF = (
    WHOLE.of(THEOREM, charts=(cycle_chart(h, tau, sampled=True),))
    .changed("descent", {"spread": y})
    .changed("change of the gradients", {"spread": y})
)
