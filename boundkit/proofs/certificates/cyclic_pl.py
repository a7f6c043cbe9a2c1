"""Cyclic participation: the loss after a cycle, whose gradients change by the steps before them."""

from sympy import Expr

from boundkit.algebra.notation import L, eta, groups, mu_pl
from boundkit.proofs.authoring import *
from boundkit.theorems.cyclic_pl import THEOREM

s = round_of(THEOREM).length
h = Rational(1, 5)
few = Rational(7, 10) * (1 - Rational(7, 10) / groups)
"""Young's weight of the noise against its own effect on the gradients: one group has none."""


def weight(s: Expr) -> Expr:
    """Return Young's weight of the gradient against its change, in a cycle of the length s."""
    return (Rational(1, 2) - Rational(13, 40) * L * s) * s / eta


PROOF = Certificate(
    THEOREM,
    charts=(cycle_chart(h),),
    contraction=mu_pl * s,
    steps=(
        step("loss after the cycle", LOSS_AFTER, removes=next_loss_gap),
        step("descent", CYCLE_DESCENT, h=h, s=few, removes=decrease),
        step(
            "gradient against its change",
            YOUNG,
            u=g.mean,
            v=-D,
            w=weight(s),
            removes=inner(g.mean, D),
        ),
        step(
            "change of the gradients",
            CYCLE_DRIFT,
            h=h,
            k=Rational(6),
            removes=square(D),
        ),
        step("Polyak-Lojasiewicz", POLYAK_LOJASIEWICZ, removes=square(g.mean)),
    ),
)
