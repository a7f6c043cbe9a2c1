r"""FedAvg on smooth non-convex losses, any unbiased sampling of clients with weights.

With c = s L and l = Lambda - nu the descent has the weight (63/50 + (12/25) c + (1/2) c l)/s, at least one
over the part of the squared gradient that the errors leave.
"""

from boundkit.algebra.notation import L, sampling_slack, sampling_spread
from boundkit.proofs.authoring import *
from boundkit.theorems.fedavg_nonconvex_sampling import THEOREM

s = round_of(THEOREM).length
h = Rational(1, 8)
c = s * L
excess = sampling_spread - sampling_slack
factor = Rational(63, 50) + Rational(12, 25) * c + c * excess / 2

PROOF = Certificate(
    THEOREM,
    charts=(sampling_chart(h, Rational(1, 24), 2),),
    steps=(
        step("descent", DESCENT, weight=factor / s),
        step("sampling", UNBIASED_SAMPLING, removes=direction),
        dispersion_of_directions(Rational(1, 55)),
        error_against_gradient(Rational(1, 5)),
        step("errors over clients", JENSEN, of=e, removes=square(e.mean)),
        step("variance of a client", SAMPLED_LOCAL_VARIANCE, h=h, removes=sampled_variance),
        error_of_a_client(h, Rational(1, 11), Rational(299, 1000), Rational(277, 500)),
        step("dissimilarity", WEIGHTED_DISSIMILARITY, removes=square(g)),
        step("telescoping", TELESCOPING_LOSS, removes=decrease),
    ),
)
