"""Cyclic participation: the loss after a cycle, whose gradients change by the steps before them."""

from boundkit.algebra.notation import eta, mu_pl
from boundkit.proofs.authoring import *
from boundkit.theorems.cyclic_pl import THEOREM

s = round_of(THEOREM).length
h = Rational(1, 5)
rate = Rational(9, 10) * mu_pl

PROOF = Certificate(
    THEOREM,
    charts=(cycle_chart(h),),
    contraction=rate * s,
    steps=(
        step("loss after the cycle", LOSS_AFTER, removes=next_loss_gap),
        step("descent", CYCLE_DESCENT, h=h, s=Rational(7, 10), removes=decrease),
        step("direction of the cycle", SQUARE, of=(s / eta) * g.mean + D, removes=inner(g.mean, D)),
        step(
            "change of the gradients",
            CYCLE_DRIFT,
            h=h,
            gradient=Rational(1, 8),
            between=Rational(129, 200),
            removes=square(D),
        ),
        step("Polyak-Lojasiewicz", POLYAK_LOJASIEWICZ, removes=square(g.mean)),
    ),
)
