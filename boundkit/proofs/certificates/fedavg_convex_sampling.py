r"""FedAvg on smooth convex losses, any unbiased sampling: the squared distance from the optimum decreases."""

from boundkit.algebra.notation import L, sampling_slack, sampling_spread
from boundkit.proofs.authoring import *
from boundkit.proofs.certificates.fedavg_convex_partial_sharp import PROOF as UNIFORM
from boundkit.proofs.certificates.fedavg_convex_partial_sharp import h, s
from boundkit.theorems.fedavg_convex_sampling import THEOREM

excess = sampling_spread - sampling_slack

PROOF = (
    UNIFORM.of(THEOREM, charts=(sampling_chart(h, Rational(1, 24), 1),))
    .changed("three points", {"part": s * L * (1 + excess)})
    .replaced("participation", step("sampling", UNBIASED_SAMPLING, removes=direction))
    .changed("dispersion of the directions", {"y": Rational(31, 200)})
    .replaced(
        "variance of a client",
        step("variance of a client", CONVEX_SAMPLED_LOCAL_VARIANCE, h=h, removes=sampled_variance),
    )
    .changed("dissimilarity", lemma=WEIGHTED_DISSIMILARITY)
)

LONG_SERVER_STEPS = PROOF.of(THEOREM, charts=(sampling_chart(h, Rational(5, 12), 1),))
VARIANTS = (LONG_SERVER_STEPS,)
