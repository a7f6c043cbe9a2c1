"""Quantities: sympy symbols with a meaning, a domain and a dimension, as scalars or one value a client."""

from __future__ import annotations

from typing import Any

from sympy import Expr, Symbol
from sympy.printing.printer import Printer

from boundkit.algebra.dimension import Dimension
from boundkit.algebra.domain import Domain
from boundkit.report import Report, Sentences, sentence


class Quantity(Symbol):  # type: ignore[misc]  # sympy carries no types
    r"""A symbol with a LaTeX form, a sentence of meaning, a domain, a dimension and a typical value.

    It enters expressions as any symbol does. Its name is the
    keyword that Python and the command line take. Two quantities are equal when their keywords,
    domains and dimensions are, so a pickled theorem has equal symbols in another process,
    and a symbol of the same name and another dimension is different.

    >>> from boundkit.algebra.dimension import STEP
    >>> from boundkit.algebra.domain import POSITIVE
    >>> eta = Quantity("eta", r"\eta", "client step size", POSITIVE, STEP, 0.01)
    >>> (2 * eta**2).diff(eta)
    4*eta
    >>> print(eta.dimension)
    [x]^2/[F]
    """

    __slots__ = ("_identity", "dimension", "domain", "latex", "meaning", "typical")

    latex: str
    meaning: str
    domain: Domain
    dimension: Dimension
    typical: float
    _identity: str

    def __new__(
        cls, name: str, latex: str, meaning: str, domain: Domain, dimension: Dimension, typical: float
    ) -> Quantity:
        self: Quantity = Symbol.__xnew__(cls, name, **domain.assumptions)
        self.latex, self.meaning, self.domain = latex, meaning, domain
        self.dimension, self.typical = dimension, typical
        self._identity = f"{domain}; {dimension}"
        return self

    def __getnewargs_ex__(self) -> tuple[tuple[Any, ...], dict[str, Any]]:
        return (self.name, self.latex, self.meaning, self.domain, self.dimension, self.typical), {}

    def __getstate__(self) -> None:
        return None

    def _hashable_content(self) -> tuple[Any, ...]:
        # sympy caches by equality: without the dimension, a symbol of the same name would replace this one
        return (*super()._hashable_content(), self._identity)

    def _eval_subs(self, old: Any, new: Any) -> Any:
        # a name, which sympy reads as a symbol without assumptions, means the quantity: subs({"tau": 3})
        return new if old == Symbol(self.name) else None

    def _latex(self, printer: Printer) -> str:
        return self.latex

    def _repr_html_(self) -> str:
        description = (
            f": {self.meaning}; {self.domain}, of dimension {self.dimension}, typically {self.typical:g}"
        )
        return Report((Sentences([sentence(self, description)]),)).to_html()

    # sympy's printers choose a method by the name of the class, and theirs for "Quantity" are of physics

    def _sympystr(self, printer: Printer) -> Any:
        return printer._print_Symbol(self)

    def _pretty(self, printer: Printer) -> Any:
        return printer._print_Symbol(self)


class Vector(Quantity):
    r"""One value a client. Inside ``ClientSum`` and ``ClientMax`` it is the value of client i.

    ``alike`` is its value for homogeneous clients, in scalar quantities (tau for tau_i, 1/m for
    p_i); ``sums_to_one``: its values are weights. A vector may have one row a round.

    >>> from boundkit.algebra.notation import tau_i
    >>> tau_i.alike
    tau
    """

    __slots__ = ("alike", "sums_to_one")

    alike: Expr
    sums_to_one: bool

    def __new__(
        cls,
        name: str,
        latex: str,
        meaning: str,
        domain: Domain,
        dimension: Dimension,
        alike: Expr,
        sums_to_one: bool = False,
    ) -> Vector:
        self: Vector = Symbol.__xnew__(cls, name, **domain.assumptions)
        self.latex, self.meaning, self.domain = latex, meaning, domain
        self.dimension, self.typical = dimension, float("nan")
        self.alike, self.sums_to_one = alike, sums_to_one
        self._identity = f"{domain}; {dimension}; one a client"
        return self

    def __getnewargs_ex__(self) -> tuple[tuple[Any, ...], dict[str, Any]]:
        arguments = (self.name, self.latex, self.meaning, self.domain, self.dimension)
        return (*arguments, self.alike, self.sums_to_one), {}
