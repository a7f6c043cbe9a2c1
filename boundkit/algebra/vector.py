"""A quantity with one value for each client, such as the local steps tau_i."""

from __future__ import annotations

from typing import Any

from sympy import Expr, Symbol

from boundkit.algebra.dimension import Dimension
from boundkit.algebra.domain import Domain
from boundkit.algebra.quantity import Quantity


class Vector(Quantity):
    r"""One value a client. Inside ``ClientSum`` and ``ClientMax`` it stands for the value of client i.

    ``alike`` is its value where all clients are alike, in scalar quantities (tau for tau_i, 1/m for
    p_i); ``sums_to_one`` says that its values are weights. A vector may have one row a round.

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
        given = (self.name, self.latex, self.meaning, self.domain, self.dimension)
        return (*given, self.alike, self.sums_to_one), {}
