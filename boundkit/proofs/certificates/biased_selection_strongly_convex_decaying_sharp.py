"""Selection by the losses, compared at the mean of the local models, with steps that fall."""

from boundkit.algebra.notation import eta, mu, offset, rho_bar, tau
from boundkit.proofs.authoring import *
from boundkit.theorems.biased_selection_strongly_convex_decaying_sharp import THEOREM

PROOF = Certificate(
    THEOREM,
    charts=(selection_chart(Rational(3, 8), offset - tau + 1, positive=True),),
    contraction=eta * mu * (1 + Rational(3, 8) * rho_bar),
    steps=(
        step("squared distance", STEP_DISTANCE, removes=next_square_distance),
        step("towards the optimum", STEP_APPROACH_AT_MEAN, removes=local_approach),
        step("gradients", STEP_GRADIENTS_AT_MEAN, y=Rational(1, 2), removes=local_gradients),
        step("excess loss of the clients", SELECTED_EXCESS, removes=mean_excess),
        step("strong convexity", STRONG_CONVEXITY, removes=loss_gap),
        step("deviation", STEP_DEVIATION, removes=deviation),
        step("walk", STEP_WALK, removes=walk),
    ),
)

limit = offset - tau + 1
VARIANTS = (
    PROOF.of(
        THEOREM, charts=(selection_chart(Rational(3, 8), limit, positive=True, local=Rational(1, 2)),)
    ).changed("gradients", {"y": Rational(1, 4)}),
    PROOF.of(THEOREM, charts=(selection_chart(Rational(3, 8), limit + offset, positive=True),)).changed(
        "walk", {"c": 3}
    ),
    PROOF.changed("gradients", {"y": Rational(1, 5)}),
)
