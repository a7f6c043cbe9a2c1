"""SGD with a robust server: Young's inequality parts gradient and noise from the error of the aggregate."""

from boundkit.proofs.authoring import *
from boundkit.theorems.byzantine_sgd_nonconvex import THEOREM

s = round_of(THEOREM).length

PROOF = Certificate(
    THEOREM,
    charts=(one_step_chart(Rational(1, 2)),),
    steps=(
        step("descent", NOISY_ROBUST_DESCENT, w=Rational(13, 20), weight=Rational(8, 5) / s),
        step(
            "error against gradient",
            YOUNG,
            u=g.mean,
            v=-aggregate_error,
            w=Rational(1, 4),
            removes=inner(g.mean, aggregate_error),
        ),
        step("error of the aggregate", ROBUST_ERROR, removes=square(aggregate_error)),
        step("dissimilarity", DISSIMILARITY, removes=square(g)),
        step("telescoping", TELESCOPING_LOSS, removes=decrease),
    ),
)
