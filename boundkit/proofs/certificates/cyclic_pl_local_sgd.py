"""By the steps of cyclic_pl_local, with noise."""

from boundkit.algebra.notation import tau
from boundkit.proofs.authoring import *
from boundkit.proofs.certificates.cyclic_pl import rate
from boundkit.proofs.certificates.cyclic_pl_local import PROOF as EXACT
from boundkit.proofs.certificates.cyclic_pl_local import s
from boundkit.theorems.cyclic_pl_local_sgd import THEOREM

h = Rational(1, 6)

PROOF = (
    EXACT.of(THEOREM, charts=(cycle_chart(h, tau),), contraction=rate * s)
    .changed("descent", {"h": h})
    .changed(
        "change of the gradients",
        {"h": h, "gradient": Rational(1, 10), "between": Rational(1, 5), "within": Rational(1, 4)},
    )
)
