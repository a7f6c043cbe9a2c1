"""By the steps without momentum: the sequence z takes plain steps, with larger squares of them."""

from boundkit.algebra.notation import C, m
from boundkit.proofs.authoring import *
from boundkit.proofs.certificates.fedavg_convex_partial_sharp import PROOF as PLAIN
from boundkit.theorems.fedavgm_convex_partial import THEOREM

s = round_of(THEOREM).length
share = (1 - C) / (C * (m - 1))

PROOF = (
    PLAIN.of(THEOREM, charts=(momentum_chart(Rational(1, 8), Rational(1, 24)),))
    .replaced("squared distance", step("squared distance", MOMENTUM_DISTANCE, weight=Rational(8, 15) / s))
    .changed("errors of participants", weight=Rational(8, 15) * 6 * s * share * noise_factor)
    .replaced("telescoping", step("telescoping", MOMENTUM_TELESCOPING_DISTANCE, removes=approach_of_sequence))
)
