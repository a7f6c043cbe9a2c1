"""From the gradient of the objective to that of the surrogate, and then by its sharper constants."""

from boundkit.algebra.notation import C_drift, beta, chi2
from boundkit.proofs.authoring import *
from boundkit.proofs.certificates.fednova_nonconvex_surrogate_sharp import PROOF as SURROGATE
from boundkit.theorems.fednova_nonconvex import THEOREM

s = round_of(THEOREM).length
inflation = 2 * (chi2 * (beta**2 - 1) + 1)

_, *rest = SURROGATE.steps
PROOF = Certificate(
    THEOREM,
    charts=(solvers_chart(C_drift),),
    steps=(
        step("two gradients", SUM_OF_TWO, u=g.mean, v=P - g.mean, y=1, weight=1),
        step("objective inconsistency", TWO_WEIGHTINGS, weight=2),
        step("descent", SURROGATE_DESCENT, weight=inflation * Rational(101, 50) / s),
        *rest,
    ),
)
