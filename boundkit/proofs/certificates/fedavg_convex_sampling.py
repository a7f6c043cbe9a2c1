r"""FedAvg on smooth convex losses, any unbiased sampling: the squared distance from the optimum decreases."""

from boundkit.algebra.notation import L, sampling_slack, sampling_spread
from boundkit.proofs.authoring import *
from boundkit.proofs.certificates.fedavg_convex_partial_sharp import LONG_SERVER_STEPS as LONG_SERVER
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

LONG_SERVER_STEPS = (
    LONG_SERVER.of(THEOREM, charts=(sampling_chart(h, Rational(5, 12), 1),))
    .changed("squared distance", weight=Rational(513, 1000) / s)
    .changed("three points", {"part": s * L * (1 + excess)})
    .replaced("participation", step("sampling", UNBIASED_SAMPLING, removes=direction))
    .changed("dispersion of the directions", {"y": Rational(31, 200)})
    .replaced("variance of a client", PROOF.step("variance of a client"))
    .changed("error of a client", {"y": Rational(67, 500), "p": Rational(57, 200), "q": Rational(133, 250)})
    .changed(
        "displacement of a client",
        {"y": Rational(29, 250), "p": Rational(187, 500), "q": Rational(67, 125)},
    )
    .changed("dissimilarity", lemma=WEIGHTED_DISSIMILARITY)
)
VARIANTS = (LONG_SERVER_STEPS,)
