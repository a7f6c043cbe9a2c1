r"""FedAU with fixed weights: the descent on the surrogate, and the variance of the availability."""

from boundkit.algebra.notation import L, absence
from boundkit.proofs.authoring import *
from boundkit.theorems.fedau_nonconvex import THEOREM

s = round_of(THEOREM).length
h = Rational(1, 8)
k = Rational(11, 5)

PROOF = Certificate(
    THEOREM,
    charts=(available_chart(absence, absence),),
    steps=(
        step("descent", DESCENT, weight=k / s),
        step("available clients", UNBIASED_SAMPLING, removes=direction),
        step(
            "directions of the clients",
            SUM_OF_TWO,
            u=g,
            v=-e,
            y=Rational(1, 5),
            weight=k / 2 * s * L * absence,
        ),
        step("mean direction", SQUARE, of=g.mean - e.mean, removes=inner(g.mean, e.mean)),
        step("errors over clients", JENSEN, of=e, removes=square(e.mean)),
        step("variance of a client", SAMPLED_LOCAL_VARIANCE, h=h, removes=sampled_variance),
        error_of_a_client(h, Rational(2, 25), Rational(3, 10), Rational(14, 25)),
        step("dissimilarity", SURROGATE_DISSIMILARITY, removes=square(g)),
        step("telescoping", TELESCOPING_LOSS, removes=decrease),
    ),
)
