r"""FedAvg on smooth convex losses, any unbiased sampling: the squared distance from the optimum decreases."""

from boundkit.algebra.notation import sampling_slack, sampling_spread
from boundkit.proofs.authoring import *
from boundkit.proofs.certificates.fedavg_convex_partial_sharp import PROOF as UNIFORM
from boundkit.proofs.certificates.fedavg_convex_partial_sharp import h, s
from boundkit.theorems.fedavg_convex_sampling import THEOREM

excess = sampling_spread - sampling_slack
factor = Rational(8, 15)

PROOF = (
    UNIFORM.of(THEOREM, charts=(sampling_chart(h, Rational(1, 24), 1),))
    .replaced(
        "participation",
        step("sampling", UNBIASED_SAMPLING, removes=direction),
        step(
            "spread of the directions",
            SUM_OF_TWO,
            u=g,
            v=-e,
            y=Rational(1, 9),
            weight=factor * s * excess,
        ),
    )
    .changed("errors of participants", weight=6 * factor * s * sampling_slack)
    .replaced(
        "variance of a client",
        step("variance of a client", CONVEX_SAMPLED_LOCAL_VARIANCE, h=h, removes=sampled_variance),
    )
    .changed("dissimilarity", lemma=WEIGHTED_DISSIMILARITY)
)
