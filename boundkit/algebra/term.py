"""Terms of a bound: cause, expression, and the provenance of the constant."""

from __future__ import annotations

import re
from dataclasses import dataclass

from sympy import Expr, SympifyError, nan, oo, sympify, zoo

from boundkit.algebra.errors import BoundkitError, unknown
from boundkit.algebra.printing import display, under_braced

CAUSES: dict[str, str] = {
    "initial gap": "the initial point is not optimal",
    "stochastic noise": "gradients are sampled; averaging over the participating clients reduces the noise",
    "noise drift": "noise moves each local model away from the server's model between two aggregations",
    "client drift": "heterogeneous losses move the local models apart between two aggregations",
    "partial participation": "only some of the clients participate in a round",
    "objective inconsistency": "the aggregation weights minimise another objective than the stated one",
    "selection bias": "clients are selected by their losses, so the mean over participants is biased",
    "cyclic order": "groups participate in turn, and the model is biased towards the last one",
    "unavailability": "unavailable clients return with outdated models",
    "staleness": "gradients are applied to a later iterate than the one they were computed at",
    "start-up": "stored updates and control variates are wrong in the first rounds",
    "clipping": "clipped updates do not average as gradients do",
    "message noise": "updates are compressed at random, or noise is added to them",
}
"""Causes of error. Figures colour by these names, in this order."""

PROVENANCES: dict[str, str] = {
    "stated": "in the main text of the source",
    "appendix": "in the appendix or supplement of the source",
    "derived": "proved beside the formula",
    "order": "the source gives O(.) only; the constant is a symbol",
    "recalled": "from memory or from a partial text; neither proved nor checked against the source",
}
"""Where a constant comes from, the most to the least trusted by a reader who has only the source."""

OPEN_CONSTANT = re.compile(r"c_\d+")
"""The names of constants that a source leaves open: c_1, c_2, ..."""


@dataclass(frozen=True)
class Term:
    """A cause and an expression, with the provenance of its constant and the reason for it.

    Two terms of one bound may share a cause; then each carries a ``label`` of its own.

    Raises BoundkitError for an unknown cause or provenance, a missing reason, or an expression that is
    text, infinite or undefined.
    """

    cause: str
    expr: Expr
    provenance: str
    because: str = ""
    label: str = ""

    def __post_init__(self) -> None:
        if self.cause not in CAUSES:
            raise unknown("cause", self.cause, CAUSES)
        if self.provenance not in PROVENANCES:
            raise unknown("provenance", self.provenance, PROVENANCES)
        if not self.because.strip():
            raise BoundkitError(f"the term {self.cause!r} needs a reason for its constant.")
        object.__setattr__(self, "expr", self._expression())
        object.__setattr__(self, "label", self.label or self.cause)

    @property
    def order_level(self) -> bool:
        """Whether the constant is not known, so that the term has no scale."""
        names = (symbol.name for symbol in self.expr.free_symbols)
        return self.provenance == "order" or any(map(OPEN_CONSTANT.fullmatch, names))

    def _repr_latex_(self) -> str:
        return display(under_braced(self))

    def _expression(self) -> Expr:
        try:
            expr = sympify(self.expr, strict=True)
        except SympifyError:
            expr = None
        if not isinstance(expr, Expr):
            raise BoundkitError(
                f"the term {self.cause!r} needs a sympy expression, but {self.expr!r} was given."
            )
        if expr.has(oo, -oo, zoo, nan):
            raise BoundkitError(f"the term {self.cause!r}, {expr}, is infinite or undefined.")
        return expr
