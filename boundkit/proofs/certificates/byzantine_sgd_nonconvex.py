"""SGD with a robust server: only the noise of the honest mean is parted from the error of the aggregate."""

from boundkit.algebra.notation import L
from boundkit.proofs.authoring import *
from boundkit.theorems.byzantine_sgd_nonconvex import THEOREM

s = round_of(THEOREM).length
c = s * L

PROOF = Certificate(
    THEOREM,
    charts=(one_step_chart(Rational(1, 3)),),
    steps=(
        step("descent", NOISY_ROBUST_DESCENT, w=Rational(18, 37), weight=Rational(37, 25) / s),
        step(
            "error against gradient",
            YOUNG,
            u=g.mean,
            v=-aggregate_error,
            w=(Rational(12, 37) - c / 2) / (1 - c),
            removes=inner(g.mean, aggregate_error),
        ),
        step("error of the aggregate", ROBUST_ERROR, removes=square(aggregate_error)),
        step("dissimilarity", DISSIMILARITY, removes=square(g)),
        step("telescoping", TELESCOPING_LOSS, removes=decrease),
    ),
)
