r"""FedNova with any local solver that is linear in its gradients: by the largest walk of a client."""

from boundkit.proofs.authoring import *
from boundkit.theorems.fednova_nonconvex_surrogate_sharp import THEOREM

HALF = Rational(1, 2)
s = round_of(THEOREM).length

PROOF = Certificate(
    THEOREM,
    charts=(solvers_chart(),),
    steps=(
        step("descent", SURROGATE_DESCENT, weight=Rational(8, 3) / s),
        step("clients", INDEPENDENT_CLIENTS, removes=direction),
        step("noise of a client", SOLVER_NOISE, y=1, removes=weighted_noise),
        error_against_gradient(HALF),
        step("errors over clients", JENSEN, of=e, removes=square(e.mean)),
        step(
            "errors of a client",
            SOLVER_ERRORS,
            h=Rational(289, 1000),
            y=HALF,
            p=2 / (1 - 4 * walk_square),
            q=3,
            removes=square(e),
        ),
        step("dissimilarity", BETA_KAPPA, removes=square(g)),
        step("telescoping", TELESCOPING_LOSS, removes=decrease),
    ),
)
