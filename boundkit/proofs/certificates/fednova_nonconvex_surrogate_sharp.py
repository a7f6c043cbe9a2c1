r"""FedNova with any local solver that is linear in its gradients: by the largest walk of a client.

What remains of the gradient, 61/100 less the part of the drift, does not depend on the length of a round.
"""

from boundkit.algebra.notation import L
from boundkit.proofs.authoring import *
from boundkit.theorems.fednova_nonconvex_surrogate_sharp import THEOREM

s = round_of(THEOREM).length
c = s * L

PROOF = Certificate(
    THEOREM,
    charts=(solvers_chart(),),
    steps=(
        step("descent", SURROGATE_DESCENT, weight=Rational(61, 30) / s),
        step("clients", INDEPENDENT_CLIENTS, removes=direction),
        step(
            "noise of a client",
            SOLVER_NOISE,
            y=c * (Rational(39, 50) - c) / (1 - c) ** 2,
            removes=weighted_noise,
        ),
        error_against_gradient((Rational(39, 100) - c / 2) / (1 - c)),
        step("errors over clients", JENSEN, of=e, removes=square(e.mean)),
        step(
            "errors of a client",
            SOLVER_ERRORS,
            h=Rational(2887, 10000),
            u=Rational(17, 10) * walk_length,
            p=Rational(23, 17) / (1 - 4 * walk_square),
            q=Rational(45, 17),
            removes=square(e),
        ),
        step("dissimilarity", BETA_KAPPA, removes=square(g)),
        step("telescoping", TELESCOPING_LOSS, removes=decrease),
    ),
)
