"""Steps that fall: a local step of all clients contracts the distance of their mean from the optimum.

The mean of their gradients is compared with the gradient at the mean model, so that Gamma does not enter, and
half of the loss gap adds to the contraction.
"""

from dataclasses import replace
from typing import Any

from sympy import Symbol

from boundkit.algebra.notation import eta, mu, offset, tau
from boundkit.proofs.authoring import *
from boundkit.proofs.domain import CoordinateChart
from boundkit.theorems.fedavg_strongly_convex_decaying import THEOREM


def falling_chart(local: Any, times: int = 1) -> CoordinateChart:
    """Return the chart eta L <= local, n = tau - 1, k = times offset - n >= 0, offset >= 2/local."""
    chart = local_step_chart(local)
    n, k = Symbol("n"), Symbol("k")
    return replace(
        chart,
        coordinates=(*chart.coordinates, coordinate("k", times * offset - tau + 1)),
        values={**chart.values, offset: (n + k) / times},
        constraints=(n + k - 2 * times / local,),
    )


PROOF = Certificate(
    THEOREM,
    charts=(falling_chart(Rational(1, 4)),),
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


def changed_numbers(proof: Certificate, wider: Any, longer: Any) -> tuple[Certificate, ...]:
    """Return the proof on a chart with steps up to 1/(2 L), with more local steps than the offset, and with a
    faster contraction, by which noise and sampling cost less."""
    faster = proof.changed("mean gradient", {"y": Rational(1, 5)})
    twice = proof.of(proof.theorem, charts=(wider,)).changed("mean gradient", {"y": Rational(1, 4)})
    thrice = proof.of(proof.theorem, charts=(longer,)).changed("mean gradient", {"y": Rational(1, 2)})
    return (
        replace(twice, contraction=eta * mu),
        replace(thrice, contraction=Rational(13, 8) * eta * mu),
        replace(faster, contraction=Rational(17, 10) * eta * mu),
    )


VARIANTS = (
    *changed_numbers(PROOF, falling_chart(Rational(1, 2)), falling_chart(Rational(1, 4), 10)),
    replace(PROOF, charts=one_step_or_more(falling_chart(Rational(1, 4)))).changed(
        "squared distance", {"part": 1 - 1 / tau}, lemma=STEP_DISTANCE_BY_GRADIENTS
    ),
)
