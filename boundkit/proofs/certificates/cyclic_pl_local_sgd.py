"""By the steps of cyclic_pl, over all local steps of a cycle."""

from boundkit.algebra.notation import eta, mu_pl, tau
from boundkit.proofs.authoring import *
from boundkit.proofs.certificates.cyclic_pl import PROOF as ONE_STEP
from boundkit.theorems.cyclic_pl_local_sgd import THEOREM

h, s = Rational(1, 6), round_of(THEOREM).length

PROOF = (
    ONE_STEP.of(THEOREM, charts=(cycle_chart(h, tau),), contraction=mu_pl * s)
    .changed("descent", {"h": h, "s": Rational(7, 10)})
    .changed("gradient against its change", {"w": Rational(43, 100) * s / eta})
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
