"""Steps that fall: a local step of all clients contracts the distance of their mean from the optimum.

The mean of their gradients is compared with the gradient at the mean model, so that Gamma does not enter, and
half of the loss gap adds to the contraction.
"""

from dataclasses import replace
from typing import Any

from boundkit.algebra.notation import eta, mu, offset, tau
from boundkit.proofs.authoring import *
from boundkit.theorems.fedavg_strongly_convex_decaying import THEOREM

PROOF = Certificate(
    THEOREM,
    charts=(local_step_chart(Rational(1, 4), offset - tau + 1),),
    contraction=Rational(3, 2) * eta * mu,
    steps=(
        step("squared distance", STEP_DISTANCE_BY_MEAN, removes=next_square_distance),
        step("towards the optimum", STEP_APPROACH_AT_MEAN, removes=local_approach),
        step("mean gradient", STEP_MEAN_GRADIENT, y=1, removes=mean_gradient),
        step("excess loss of the clients", ALL_EXCESS, removes=mean_excess),
        step("strong convexity", STRONG_CONVEXITY, removes=loss_gap),
        step("deviation", STEP_DEVIATION, removes=deviation),
        step("walk", STEP_WALK, removes=walk),
    ),
)


def changed_numbers(proof: Certificate, wider: Any, longer: Any) -> tuple[Certificate, Certificate]:
    """Return the proof on a chart with steps up to 1/(2 L), and with a first step up to 3 times the last."""
    twice = proof.of(proof.theorem, charts=(wider,)).changed("mean gradient", {"y": Rational(1, 4)})
    thrice = proof.of(proof.theorem, charts=(longer,)).changed("mean gradient", {"y": Rational(1, 2)})
    for each in proof.steps:
        if each.lemma in (STEP_WALK, STEP_SAMPLING):
            thrice = thrice.changed(each.name, {"c": 3})
    return (
        replace(twice, contraction=eta * mu),
        replace(thrice, contraction=Rational(13, 8) * eta * mu),
    )


VARIANTS = changed_numbers(
    PROOF,
    local_step_chart(Rational(1, 2), offset - tau + 1),
    local_step_chart(Rational(1, 4), 2 * offset - tau + 1),
)
