"""Selection by the losses, of any kind, compared at the start of the round: the drift is large enough.

The steps prove smaller constants for a free offset, of which the published one is a value.
"""

from dataclasses import replace

from boundkit.algebra.authoring import at_least
from boundkit.algebra.decaying_steps import PUBLISHED_OFFSET
from boundkit.algebra.notation import C, Gamma, L, T, m, mu, offset, rho_bar, rho_tilde, sigma, tau
from boundkit.algebra.notation import G as largest_gradient
from boundkit.proofs.authoring import *
from boundkit.proofs.certificates.biased_selection_strongly_convex_decaying_corrected import (
    compared_at_start,
)
from boundkit.proofs.corollaries import Corollary
from boundkit.theorems.biased_selection_strongly_convex_decaying import THEOREM
from boundkit.theorems.biased_selection_strongly_convex_decaying_corrected import THEOREM as AT_START

share = Rational(3, 8)
B = 1 + share * rho_bar


def with_offset(c: int, noise: bool = True) -> Certificate:
    """Return the proof for a free offset, where a round's first step is at most c times its last.

    Without ``noise`` it counts as part of the squared gradients.
    """
    walked = 2 * c * (tau - 1) + Rational(45, 16) * c**2 * (tau - 1) ** 2
    factor = 4 * L / (3 * mu**2 * rho_bar * (tau * T + offset))
    sharper = {
        "stochastic noise": factor * sigma**2 / (C * m),
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
    proof = compared_at_start(
        theorem,
        (selection_chart(share, (c - 1) * offset - tau + 1, positive=True),),
        share,
        Rational(9, 20),
        Rational(1, 4),
        c,
    )
    return proof if noise else proof.changed("squared distance", lemma=STEP_DISTANCE_BY_GRADIENTS)


PROOF = Corollary(THEOREM, with_offset(2), {offset: PUBLISHED_OFFSET})
VARIANTS = tuple(
    Corollary(THEOREM, base, {offset: PUBLISHED_OFFSET})
    for base in (with_offset(3), with_offset(2, noise=False))
)
