"""Linear forms in expectations: Gram atoms of vectors, scalars, and coefficients in a theorem's quantities.

A vector is a linear combination of base vectors, of which a client has one each (grad F_i(x)) or all have one
(x - x*). ``inner(u, v)`` multiplies E mean_i <u_i, v_i> out into Gram atoms, with mean_i <u_i, v> = <u, v>
where v is a mean. Identities between vectors (polarisation, variance as mean square less squared mean) are
therefore equalities of normal forms. The mean over clients is that of the objective's weights.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from sympy import Expr, S, sympify

from boundkit.algebra.printing import latex as expr_latex
from boundkit.algebra.printing import plain as expr_plain


@dataclass(frozen=True)
class Atom:
    """An expectation, as one indeterminate of linear forms.

    ``signed``: whether it may be negative. Atoms are equal where their names are.
    """

    name: str
    latex: str = field(compare=False)
    signed: bool = field(compare=False, default=False)
    meaning: str = field(compare=False, default="")

    def __str__(self) -> str:
        return self.name


class LinearForm:
    """A linear combination of atoms.

    >>> a, b = Atom("a", "a"), Atom("b", "b")
    >>> print(2 * (LinearForm({a: 1}) - LinearForm({b: 3})))
    2 a - 6 b
    """

    __slots__ = ("coefficients",)

    def __init__(self, coefficients: Mapping[Atom, Any] = {}) -> None:
        self.coefficients: dict[Atom, Expr] = {
            atom: value for atom, given in coefficients.items() if (value := sympify(given)) != 0
        }

    def __add__(self, other: LinearForm) -> LinearForm:
        result = dict(self.coefficients)
        for atom, value in other.coefficients.items():
            result[atom] = result.get(atom, S.Zero) + value
        return LinearForm(result)

    def __sub__(self, other: LinearForm) -> LinearForm:
        return self + (-1) * other

    def __rmul__(self, factor: Any) -> LinearForm:
        return LinearForm({atom: factor * value for atom, value in self.coefficients.items()})

    def __neg__(self) -> LinearForm:
        return (-1) * self

    def __getitem__(self, atom: Atom) -> Expr:
        return self.coefficients.get(atom, S.Zero)

    def __str__(self) -> str:
        return _sum([(expr_plain, str(atom), value) for atom, value in self.coefficients.items()], " ")

    def latex(self) -> str:
        """Return the form as LaTeX."""
        parts = [(expr_latex, atom.latex, value) for atom, value in self.coefficients.items()]
        return _sum(parts, r"\,", (r"\left(", r"\right)"))


def _sum(parts: Iterable[tuple[Any, str, Expr]], times: str, brackets: tuple[str, str] = ("(", ")")) -> str:
    result = ""
    for printer, atom, value in parts:
        minus = value.could_extract_minus_sign()
        size = -value if minus else value
        text = printer(size)
        factor = "" if size == 1 else (text.join(brackets) if size.is_Add else text) + times
        sign = ("-" if minus else "") if not result else (" - " if minus else " + ")
        result += f"{sign}{factor}{atom}"
    return result or "0"


def scalar(name: str, latex: str, meaning: str, signed: bool = False) -> Atom:
    """Return the atom of a scalar expectation."""
    return Atom(name, latex, signed, meaning)


def data(expr: Expr) -> Atom:
    """Return the atom of a product of constants of the assumptions, such as sigma^2.

    >>> from boundkit.algebra.notation import sigma
    >>> str(data(sigma**2))
    'sigma^2'
    """
    return Atom(expr_plain(expr), expr_latex(expr), False, "a constant of the assumptions")


@dataclass(frozen=True)
class BaseVector:
    """A vector of every client, ``name_i``, with mean ``name``; or, where ``common``, one vector of all."""

    name: str
    latex: str
    meaning: str = field(compare=False)
    common: bool = False


class Vector:
    """A linear combination of base vectors: a vector of every client, or of none in particular.

    >>> g = client_vector("g", "g", "gradients")
    >>> print(inner(g - g.mean, g - g.mean))
    mean E||g_i||^2 - E||g||^2
    """

    __slots__ = ("parts",)

    def __init__(self, parts: Mapping[tuple[BaseVector, bool], Any]) -> None:
        self.parts: dict[tuple[BaseVector, bool], Expr] = {
            key: value for key, given in parts.items() if (value := sympify(given)) != 0
        }

    def __add__(self, other: Vector) -> Vector:
        result = dict(self.parts)
        for key, value in other.parts.items():
            result[key] = result.get(key, S.Zero) + value
        return Vector(result)

    def __sub__(self, other: Vector) -> Vector:
        return self + (-1) * other

    def __rmul__(self, factor: Any) -> Vector:
        return Vector({key: factor * value for key, value in self.parts.items()})

    def __neg__(self) -> Vector:
        return (-1) * self

    @property
    def mean(self) -> Vector:
        """The mean over clients."""
        result = Vector({})
        for (base, _), value in self.parts.items():
            result = result + Vector({(base, True): value})
        return result

    @property
    def is_mean(self) -> bool:
        """Whether the vector is the same for all clients."""
        return all(mean for _, mean in self.parts)

    def __str__(self) -> str:
        return _sum(
            [(expr_plain, base.name if mean else f"{base.name}_i", v) for (base, mean), v in self._ordered()],
            " ",
        )

    def _ordered(self) -> list[tuple[tuple[BaseVector, bool], Expr]]:
        return sorted(self.parts.items(), key=lambda part: (part[0][0].name, part[0][1]))


def client_vector(name: str, latex: str, meaning: str) -> Vector:
    """Return a base vector of which every client has one."""
    return Vector({(BaseVector(name, latex, meaning), False): 1})


def common_vector(name: str, latex: str, meaning: str) -> Vector:
    """Return a base vector that is the same for all clients."""
    return Vector({(BaseVector(name, latex, meaning, True), True): 1})


def inner(u: Vector, v: Vector) -> LinearForm:
    """Return E mean_i <u_i, v_i> in Gram atoms."""
    result: dict[Atom, Expr] = {}
    for (first, first_mean), x in u.parts.items():
        for (second, second_mean), y in v.parts.items():
            atom = gram_atom(first, second, first_mean or second_mean)
            result[atom] = result.get(atom, S.Zero) + x * y
    return LinearForm(result)


def square(u: Vector) -> LinearForm:
    """Return E mean_i ||u_i||^2 in Gram atoms."""
    return inner(u, u)


def gram_atom(first: BaseVector, second: BaseVector, mean: bool) -> Atom:
    """Return the atom E<first, second> of the means, or E mean_i <first_i, second_i>."""
    if (second.name, second.common) < (first.name, first.common):
        first, second = second, first
    names = [base.name if mean else f"{base.name}_i" for base in (first, second)]
    signs = [base.latex if mean else f"{base.latex}_i" for base in (first, second)]
    over, over_latex = ("", "") if mean else ("mean ", r"{\textstyle\frac1m\sum_i}\,")
    if first == second:
        plain, latex = f"E||{names[0]}||^2", rf"\mathbb{{E}}\|{signs[0]}\|^2"
    else:
        plain, latex = f"E<{names[0]}, {names[1]}>", rf"\mathbb{{E}}\langle {signs[0]}, {signs[1]}\rangle"
    return Atom(over + plain, over_latex + latex, first != second, f"{first.meaning}; {second.meaning}")
