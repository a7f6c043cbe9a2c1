"""SGD with a robust server: Young's inequality parts the honest mean from the error of the aggregate."""

from boundkit.proofs.authoring import *
from boundkit.theorems.byzantine_sgd_nonconvex import THEOREM

s = round_of(THEOREM).length

PROOF = Certificate(
    THEOREM,
    charts=(one_step_chart(Rational(1, 4)),),
    steps=(
        step("descent", NOISY_ROBUST_DESCENT, w=Rational(8, 25), weight=Rational(5, 3) / s),
        step(
            "error against gradient",
            YOUNG,
            u=g.mean,
            v=-aggregate_error,
            w=Rational(47, 200),
            removes=inner(g.mean, aggregate_error),
        ),
        step("error of the aggregate", ROBUST_ERROR, removes=square(aggregate_error)),
        step("dissimilarity", DISSIMILARITY, removes=square(g)),
        step("telescoping", TELESCOPING_LOSS, removes=decrease),
    ),
)
