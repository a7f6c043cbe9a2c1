"""Selection by the losses, of any kind, compared at the start of the round."""

from collections.abc import Sequence
from typing import Any

from boundkit.algebra import Theorem
from boundkit.algebra.notation import eta, mu, offset, rho_bar, tau
from boundkit.proofs.authoring import *
from boundkit.proofs.domain import CoordinateChart
from boundkit.theorems.biased_selection_strongly_convex_decaying_corrected import THEOREM


def compared_at_start(
    theorem: Theorem, charts: Sequence[CoordinateChart], share: Any, s: Any, y: Any, c: int = 2
) -> Certificate:
    """Return the proof that a step contracts by 1 + share rho_bar, if a round's first is c times its last."""
    return Certificate(
        theorem,
        charts=tuple(charts),
        contraction=eta * mu * (1 + share * rho_bar),
        steps=(
            step("squared distance", STEP_DISTANCE, removes=next_square_distance),
            step("towards the optimum", STEP_APPROACH_AT_START, c=c, removes=local_approach),
            step("gradients", STEP_GRADIENTS_AT_START, y=y, removes=local_gradients),
            step("excess loss of the clients", SELECTED_EXCESS_AT_START, removes=start_excess),
            step("strong convexity", START_CONVEXITY, s=s, weight=2 * share * rho_bar * eta / (1 - s)),
            step("walk", STEP_WALK, c=c, removes=walk),
        ),
    )


share, y = Rational(13, 25), Rational(1, 5)
PROOF = compared_at_start(
    THEOREM,
    one_step_or_more(selection_chart(share, offset - tau + 1, positive=True)),
    share,
    Rational(9, 35),
    y,
)
