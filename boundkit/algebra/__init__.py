"""What a theorem is made of: quantities, terms, claims, conditions, sources, reductions."""

from boundkit.algebra.claim import Assumption, Claim
from boundkit.algebra.dimension import Dimension, dimension_of
from boundkit.algebra.errors import BoundkitError, DimensionError
from boundkit.algebra.papers import Source
from boundkit.algebra.quantity import Quantity
from boundkit.algebra.reduction import Leftover, Limit, Reduction
from boundkit.algebra.term import CAUSES, PROVENANCES, Term
from boundkit.algebra.theorem import Bound, Theorem

__all__ = [
    "CAUSES",
    "PROVENANCES",
    "Assumption",
    "Bound",
    "BoundkitError",
    "Claim",
    "Dimension",
    "DimensionError",
    "Leftover",
    "Limit",
    "Quantity",
    "Reduction",
    "Source",
    "Term",
    "Theorem",
    "dimension_of",
]
