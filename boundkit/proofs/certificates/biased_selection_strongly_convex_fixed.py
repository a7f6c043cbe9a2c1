"""Selection by the losses, of any kind, compared at the start of the round: the drift is large enough."""

from boundkit.algebra.notation import eta, mu, rho_bar
from boundkit.proofs.authoring import *
from boundkit.theorems.biased_selection_strongly_convex_fixed import THEOREM

s = Rational(9, 20)

PROOF = Certificate(
    THEOREM,
    charts=(selection_chart(Rational(3, 8), part=2),),
    contraction=eta * mu * (1 + Rational(3, 8) * rho_bar),
    steps=(
        step("squared distance", STEP_DISTANCE, removes=next_square_distance),
        step("towards the optimum", STEP_APPROACH_AT_START, removes=local_approach),
        step("gradients", STEP_GRADIENTS_AT_START, y=Rational(1, 4), removes=local_gradients),
        step("excess loss of the clients", SELECTED_EXCESS_AT_START, removes=start_excess),
        step("strong convexity", START_CONVEXITY, s=s, weight=3 * rho_bar * eta / (4 * (1 - s))),
        step("walk", STEP_WALK, removes=walk),
    ),
)

wide = Rational(1, 5)
VARIANTS = (
    PROOF.changed("squared distance", lemma=STEP_DISTANCE_BY_GRADIENTS),
    *(
        PROOF.of(THEOREM, charts=(chart,))
        .changed("gradients", {"y": Rational(1, 16)})
        .changed("strong convexity", {"s": wide}, weight=3 * rho_bar * eta / (4 * (1 - wide)))
        for chart in (
            selection_chart(Rational(3, 8), part=2, local=Rational(1, 2)),
            selection_chart(Rational(3, 8)),
        )
    ),
)
