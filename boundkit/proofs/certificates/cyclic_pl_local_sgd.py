"""By the steps of cyclic_pl_local, with noise, and with less of the gradient against its change."""

from boundkit.algebra.notation import eta, mu_pl, tau
from boundkit.proofs.authoring import *
from boundkit.proofs.certificates.cyclic_pl_local import PROOF as EXACT
from boundkit.proofs.certificates.cyclic_pl_local import s
from boundkit.theorems.cyclic_pl_local_sgd import THEOREM

h = Rational(1, 6)

PROOF = (
    EXACT.of(THEOREM, charts=(cycle_chart(h, tau),), contraction=mu_pl * s)
    .changed("descent", {"h": h})
    .replaced(
        "direction of the cycle",
        step(
            "gradient against its change",
            YOUNG,
            u=g.mean,
            v=-D,
            w=Rational(43, 100) * s / eta,
            removes=inner(g.mean, D),
        ),
    )
    .changed(
        "change of the gradients",
        {
            "h": h,
            "gradient": Rational(41, 500),
            "between": Rational(347, 1000),
            "within": Rational(361, 1000),
        },
    )
)
