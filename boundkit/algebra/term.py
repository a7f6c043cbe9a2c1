"""One named part of a bound: what causes it, how large it is, and why its constant is what it is."""

from __future__ import annotations

import re
from dataclasses import dataclass

from sympy import Expr, SympifyError, nan, oo, sympify, zoo

from boundkit.algebra.errors import BoundkitError, unknown
from boundkit.algebra.printing import display, under_braced

CAUSES: dict[str, str] = {
    "initial gap": "the start is not the optimum, and every bound pays for the way",
    "stochastic noise": "gradients are drawn, not computed; the clients that take part share the noise",
    "noise drift": "noise moves each client away from the server's model between two averages",
    "client drift": "unlike losses pull the clients apart between two averages",
    "partial participation": "the clients that come are not all clients",
    "objective inconsistency": "the weighing of updates minimises another objective than the one meant",
    "selection bias": "clients are chosen by what they say, so the mean of those who come is another mean",
    "cyclic order": "groups come in turns, and the one that came last pulls the model to itself",
    "unavailability": "who is away keeps an old model, and comes back with it",
    "staleness": "gradients are applied to a model that has moved on since",
    "start-up": "memories and controls begin empty or wrong, and are paid for once",
    "clipping": "clipped updates do not average as gradients do",
}
"""Where an error comes from. Figures colour by these names, in this order."""

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
