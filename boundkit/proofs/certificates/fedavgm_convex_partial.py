"""By the steps without momentum: the sequence z takes plain steps."""

from boundkit.algebra.notation import C, L, beta_s, m, nesterov
from boundkit.proofs.authoring import *
from boundkit.proofs.certificates.fedavg_convex_partial_sharp import DISPLACED as PLAIN
from boundkit.theorems.fedavgm_convex_partial import THEOREM
from boundkit.theorems.fedavgm_nonconvex_partial import gamma, length

s = round_of(THEOREM).length
share = (1 - C) / (C * (m - 1))
l = Rational(507, 1000) + Rational(79, 125) * s * L * (1 + gamma / (1 - beta_s) - nesterov * beta_s)

PROOF = (
    PLAIN.of(THEOREM, charts=(momentum_chart(Rational(1, 8), Rational(1, 24), length),))
    .replaced("squared distance", step("squared distance", MOMENTUM_DISTANCE, w=1, u=5, weight=l / s))
    .replaced(
        "dissimilarity",
        step("gradient ahead", SQUARE, of=g.mean, weight=l * s * nesterov * beta_s),
        PLAIN.step("dissimilarity"),
    )
    .changed("errors of participants", weight=(6 + beta_s) * l * s * share)
    .replaced("telescoping", step("telescoping", MOMENTUM_TELESCOPING_DISTANCE, removes=approach_of_sequence))
)
