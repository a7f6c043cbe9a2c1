"""By the steps of cyclic_pl, without noise."""

from boundkit.proofs.authoring import *
from boundkit.proofs.certificates.cyclic_pl import PROOF as SHARPER
from boundkit.theorems.cyclic_pl_first import THEOREM

PROOF = SHARPER.of(THEOREM, charts=(cycle_chart(Rational(1, 6)),))
