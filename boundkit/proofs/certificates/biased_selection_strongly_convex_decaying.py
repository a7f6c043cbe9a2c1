"""Selection by the losses, of any kind, compared at the start of the round: the drift is large enough.

The steps prove smaller constants for a free offset, of which the published one is a value.
"""

from dataclasses import replace

from boundkit.algebra.authoring import at_least
from boundkit.algebra.decaying_steps import PUBLISHED_OFFSET
from boundkit.algebra.notation import G as largest_gradient
from boundkit.algebra.notation import Gamma, L, T, eta, mu, offset, rho_bar, rho_tilde, tau
from boundkit.proofs.authoring import *
from boundkit.proofs.corollaries import Corollary
from boundkit.theorems.biased_selection_strongly_convex_decaying import THEOREM
from boundkit.theorems.biased_selection_strongly_convex_decaying_corrected import THEOREM as AT_START

s = Rational(9, 20)
B = 1 + Rational(3, 8) * rho_bar


def with_offset(c: int, noise: bool = True) -> Certificate:
    """Return the proof for a free offset, where a round's first step is at most c times its last.

    Without ``noise`` it counts as part of the squared gradients.
    """
    walked = 2 * c * (tau - 1) + Rational(45, 16) * c**2 * (tau - 1) ** 2
    factor = 4 * L / (3 * mu**2 * rho_bar * (tau * T + offset))
    sharper = {
        "stochastic noise": AT_START.bound.terms["stochastic noise"].expr / 2,
        "client drift": factor * (walked + int(not noise)) * largest_gradient**2,
        "heterogeneity": factor * Rational(5, 2) * rho_bar * L * Gamma,
        "selection bias": L * Gamma * (rho_tilde - rho_bar) / (mu * B),
    }
    theorem = replace(
        AT_START,
        name=f"{THEOREM.name}_free_offset",
        terms=tuple(
            replace(t, expr=sharper.get(t.label, t.expr))
            for t in AT_START.terms
            if noise or t.label != "stochastic noise"
        ),
        step_size=(at_least(offset, 4 * L / mu), at_least((c - 1) * offset, tau - 1), at_least(offset, B)),
        definitions={},
        reductions=(),
        limits=(),
    )
    return Certificate(
        theorem,
        charts=(selection_chart(Rational(3, 8), (c - 1) * offset - tau + 1, positive=True),),
        contraction=eta * mu * B,
        steps=(
            step(
                "squared distance",
                STEP_DISTANCE if noise else STEP_DISTANCE_BY_GRADIENTS,
                removes=next_square_distance,
            ),
            step("towards the optimum", STEP_APPROACH_AT_START, c=c, removes=local_approach),
            step("gradients", STEP_GRADIENTS_AT_START, y=Rational(1, 4), removes=local_gradients),
            step("excess loss of the clients", SELECTED_EXCESS_AT_START, removes=start_excess),
            step("strong convexity", START_CONVEXITY, s=s, weight=3 * rho_bar * eta / (4 * (1 - s))),
            step("walk", STEP_WALK, c=c, removes=walk),
        ),
    )


PROOF = Corollary(THEOREM, with_offset(2), {offset: PUBLISHED_OFFSET})
VARIANTS = tuple(
    Corollary(THEOREM, base, {offset: PUBLISHED_OFFSET})
    for base in (with_offset(3), with_offset(2, noise=False))
)
