r"""FedNova with any local solver that is linear in its gradients: by the largest walk of a client.

What remains of the gradient, 49/80 less the part of the drift, does not depend on the length of a round.
"""

from boundkit.algebra.notation import L
from boundkit.proofs.authoring import *
from boundkit.theorems.fednova_nonconvex_surrogate_sharp import THEOREM

s = round_of(THEOREM).length
c = s * L
left = Rational(31, 40) - c

PROOF = Certificate(
    THEOREM,
    charts=(solvers_chart(),),
    steps=(
        step("descent", SURROGATE_DESCENT, weight=Rational(101, 50) / s),
        step("clients", INDEPENDENT_CLIENTS, removes=direction),
        step(
            "noise of a client",
            SOLVER_NOISE,
            y=c * left / ((1 - c) ** 2 + Rational(5, 22) * left),
            removes=weighted_noise,
        ),
        error_against_gradient(left / (2 - 2 * c)),
        step("errors over clients", JENSEN, of=e, removes=square(e.mean)),
        step(
            "errors of a client",
            SOLVER_ERRORS,
            h=Rational(2887, 10000),
            p=Rational(4, 3) / (1 - 4 * walk_square),
            removes=square(e),
        ),
        step(
            "rest of the path's noise",
            PATH_VARIANCE,
            h=Rational(2887, 10000),
            p=2,
            removes=path_variance,
        ),
        step("dissimilarity", BETA_KAPPA, removes=square(g)),
        step("telescoping", TELESCOPING_LOSS, removes=decrease),
    ),
)
