"""Selection by the losses, of any kind, compared at the start of the round: the drift is large enough."""

from boundkit.algebra.notation import eta, mu, rho_bar
from boundkit.proofs.authoring import *
from boundkit.proofs.certificate import CertificateStep
from boundkit.proofs.certificates.biased_selection_strongly_convex_decaying_sharp import PROOF as AT_START
from boundkit.theorems.biased_selection_strongly_convex_fixed import THEOREM

share = Rational(3, 8)


def convexity(s: Rational) -> CertificateStep:
    """Return the step by strong convexity for the contraction 1 + share rho_bar."""
    return step("strong convexity", START_CONVEXITY, s=s, weight=2 * share * rho_bar * eta / (1 - s))


PROOF = (
    AT_START.of(
        THEOREM, charts=(selection_chart(share, part=2),), contraction=eta * mu * (1 + share * rho_bar)
    )
    .replaced("strong convexity", convexity(Rational(1, 2)))
    .changed("walk", lemma=STEP_WALK)
)

WITHOUT_HETEROGENEITY = PROOF.changed("gradients", lemma=STEP_LARGEST_GRADIENTS)
VARIANTS = (
    PROOF.changed("squared distance", lemma=STEP_DISTANCE_BY_GRADIENTS),
    WITHOUT_HETEROGENEITY,
    WITHOUT_HETEROGENEITY.changed("squared distance", lemma=STEP_DISTANCE_BY_GRADIENTS),
    *(
        PROOF.of(THEOREM, charts=(chart,)).replaced("strong convexity", convexity(Rational(1, 4)))
        for chart in (selection_chart(share, part=2, local=Rational(1, 2)), selection_chart(share))
    ),
)
