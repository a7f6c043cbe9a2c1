"""Selection by the losses, of any kind, compared at the start of the round: the drift is large enough.

The steps prove smaller constants for a free offset, of which the published one is a value.
"""

from dataclasses import replace

from boundkit.algebra.authoring import at_least, at_most, more_than
from boundkit.algebra.decaying_steps import PUBLISHED_OFFSET
from boundkit.algebra.notation import C, Gamma, L, T, eta, m, mu, offset, rho_bar, rho_tilde, sigma, tau
from boundkit.algebra.notation import G as largest_gradient
from boundkit.proofs.authoring import *
from boundkit.proofs.certificates.biased_selection_strongly_convex_decaying_sharp import PROOF as AT_START
from boundkit.proofs.certificates.biased_selection_strongly_convex_decaying_sharp import share as most
from boundkit.proofs.corollaries import Corollary
from boundkit.theorems.biased_selection_strongly_convex_decaying import THEOREM

share, s = Rational(3, 8), Rational(1, 2)
B = 1 + share * rho_bar


def with_offset(c: int, noise: bool = True, heterogeneity: bool = True) -> Certificate:
    """Return the proof for a free offset, where a round's first step is at most c times its last.

    Without ``noise`` or ``heterogeneity`` they count as part of the squared gradients.
    """
    counted = {"stochastic noise": noise, "heterogeneity": heterogeneity}
    left_out = {label for label, kept in counted.items() if not kept}
    b = 1 + tau / (2 * offset)
    walked = 2 * b * (tau - 1) + b * (tau - 1) ** 2 / s
    factor = 4 * L / (3 * mu**2 * rho_bar * (tau * T + offset))
    sharper = {
        "stochastic noise": factor * sigma**2 / (C * m),
        "client drift": factor * (walked + len(left_out)) * largest_gradient**2,
        "heterogeneity": factor * 2 * rho_bar * L * Gamma,
        "selection bias": L * Gamma * (rho_tilde - rho_bar) / (mu * B),
    }
    theorem = replace(
        AT_START.theorem,
        name=f"{THEOREM.name}_free_offset",
        terms=tuple(
            replace(t, expr=sharper.get(t.label, t.expr))
            for t in AT_START.theorem.terms
            if t.label not in left_out
        ),
        requires=(at_most(mu, L), more_than(rho_bar, 0), at_least(rho_tilde, rho_bar)),
        step_size=(at_least(offset, 4 * L / mu), at_least((c - 1) * offset, tau - 1), at_least(offset, B)),
        definitions={},
        reductions=(),
        limits=(),
    )
    limits = ((c - 1) * offset - tau + 1, offset - 4, offset - B, 1 - eta * mu * offset)
    proof = AT_START.of(
        theorem,
        charts=(selection_chart(share, *limits, positive=True),),
        contraction=eta * mu * B,
    ).replaced(
        "strong convexity", step("strong convexity", START_CONVEXITY, s=s, weight=2 * most * rho_bar * eta)
    )
    if not heterogeneity:
        proof = proof.changed("gradients", lemma=STEP_LARGEST_GRADIENTS)
    return proof if noise else proof.changed("squared distance", lemma=STEP_DISTANCE_BY_GRADIENTS)


PROOF = Corollary(THEOREM, with_offset(2), {offset: PUBLISHED_OFFSET})
VARIANTS = tuple(
    Corollary(THEOREM, base, {offset: PUBLISHED_OFFSET})
    for base in (
        with_offset(11),
        with_offset(2, noise=False),
        with_offset(2, heterogeneity=False),
        with_offset(2, noise=False, heterogeneity=False),
    )
)
