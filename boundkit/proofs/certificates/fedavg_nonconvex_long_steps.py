"""By the steps of fedavg_nonconvex, under a condition on eta L (tau - 1)."""

from boundkit.proofs.authoring import *
from boundkit.proofs.certificates.fedavg_nonconvex import LITTLE_NOISE_DRIFT, LONGER
from boundkit.theorems.fedavg_nonconvex_long_steps import THEOREM

s = round_of(THEOREM).length

PROOF = LONGER.of(THEOREM, charts=one_or_more_steps(Rational(1, 2), Rational(1, 12), square=True)).changed(
    "descent", weight=2 / s
)
VARIANTS = (LITTLE_NOISE_DRIFT.of(THEOREM, charts=PROOF.charts),)
