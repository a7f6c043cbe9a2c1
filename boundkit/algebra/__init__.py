"""What a theorem is made of: quantities, terms, claims, conditions, sources, reductions.

Each name imports its module when it is first used: errors, for one, need no sympy, which all others do.
"""

from __future__ import annotations

TYPE_CHECKING = False  # as in boundkit/__init__.py
if TYPE_CHECKING:
    from typing import Any

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

_HOMES = {
    "Assumption": "boundkit.algebra.claim",
    "Claim": "boundkit.algebra.claim",
    "Dimension": "boundkit.algebra.dimension",
    "dimension_of": "boundkit.algebra.dimension",
    "BoundkitError": "boundkit.algebra.errors",
    "DimensionError": "boundkit.algebra.errors",
    "Source": "boundkit.algebra.papers",
    "Quantity": "boundkit.algebra.quantity",
    "Leftover": "boundkit.algebra.reduction",
    "Limit": "boundkit.algebra.reduction",
    "Reduction": "boundkit.algebra.reduction",
    "CAUSES": "boundkit.algebra.term",
    "PROVENANCES": "boundkit.algebra.term",
    "Term": "boundkit.algebra.term",
    "Bound": "boundkit.algebra.theorem",
    "Theorem": "boundkit.algebra.theorem",
}
"""The module of each public name."""


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'boundkit.algebra' has no attribute {name!r}")
    from importlib import import_module

    value = globals()[name] = getattr(import_module(_HOMES[name]), name)
    return value
