"""What a bound is to come to, as a formula."""

from __future__ import annotations

from sympy import Expr

from boundkit.algebra import Claim, Quantity
from boundkit.algebra.dimension import GRADIENT, ONE
from boundkit.algebra.domain import POSITIVE
from boundkit.algebra.notation import target


def aim_of(claim: Claim) -> Expr:
    """target for a gradient and for rounds until one, target^2 for its square, eps for any other claim.

    >>> from boundkit.algebra.vocabulary import MEAN_LOSS_GAP, MEAN_SQUARED_GRADIENT
    >>> aim_of(MEAN_SQUARED_GRADIENT), aim_of(MEAN_LOSS_GAP)
    (target**2, eps)
    """
    if claim.dimension == GRADIENT**2:
        return target**2
    if claim.dimension in (GRADIENT, ONE):
        return target
    return Quantity("eps", r"\varepsilon", "what the bound is to come to", POSITIVE, claim.dimension, 0.1)
