r"""FedNova with plain local steps: what remains of the gradient does not depend on the length of a round."""

from boundkit.algebra.notation import L
from boundkit.proofs.authoring import *
from boundkit.theorems.fednova_nonconvex_surrogate_plain_steps import THEOREM

s = round_of(THEOREM).length
c = s * L
h = Rational(7, 24)

PROOF = Certificate(
    THEOREM,
    charts=(solvers_chart(pulled=False),),
    steps=(
        step("descent", SURROGATE_DESCENT, weight=Rational(160, 91) / s),
        step("clients", INDEPENDENT_CLIENTS, removes=direction),
        step("noise of a client", PLAIN_NOISE, h=h, removes=weighted_noise),
        error_against_gradient((Rational(2, 5) - c / 2) / (1 - c)),
        step("errors over clients", JENSEN, of=e, removes=square(e.mean)),
        step(
            "errors of a client",
            PLAIN_ERRORS,
            h=h,
            y=Rational(1, 5),
            p=Rational(3, 8),
            q=Rational(5, 7),
            order=2,
            removes=square(e),
        ),
        step("dissimilarity", BETA_KAPPA, removes=square(g)),
        step("telescoping", TELESCOPING_LOSS, removes=decrease),
    ),
)
