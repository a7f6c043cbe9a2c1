"""Parser of step-size rules: sqrt(m/(tau*T))/L.

Read from Python's own syntax tree with a short list of what is allowed, so that nothing is executed.
Fractions stay fractions: 0.5 is read as 1/2.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from fractions import Fraction

from sympy import Expr, Pow, Rational

from boundkit.algebra import BoundkitError
from boundkit.algebra.errors import unknown
from boundkit.algebra.notation import ALPHABET

LONGEST_TEXT, LARGEST_POWER, MOST_BITS = 500, 12, 1024
"""Limits on the size of a rule, so that it cannot exhaust memory."""

_ALLOWED = "numbers, + - * / **, sqrt, parentheses and the keywords of quantities"

_OPERATIONS: dict[type[ast.operator], Callable[[Expr, Expr], Expr]] = {
    ast.Add: lambda a, b: a + b,
    ast.Sub: lambda a, b: a - b,
    ast.Mult: lambda a, b: a * b,
    ast.Div: lambda a, b: a / b,
}


def parse(text: str) -> Expr:
    """The expression that the text writes, in the quantities of the notation.

    Raises BoundkitError for anything but numbers, + - * / **, unary minus, sqrt, parentheses and
    keywords of quantities; for a division by zero; and for powers that are no small fixed fraction.

    >>> parse("0.5*sqrt(m/(tau*T))/L")
    sqrt(m)/(2*L*sqrt(T)*sqrt(tau))
    """
    if not isinstance(text, str) or not text.strip():
        raise BoundkitError(f"a step-size rule is a formula such as '1/(L*tau)', but {text!r} was given.")
    if len(text) > LONGEST_TEXT:
        raise BoundkitError(
            f"a step-size rule has at most {LONGEST_TEXT} characters, but {len(text)} were given."
        )
    try:
        written = text.strip().replace("^", "**")  # ^ is how show prints a power
        return _Reader(text.strip()).read(ast.parse(written, mode="eval").body)
    except BoundkitError:
        raise
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise BoundkitError(
            f"{_quoted(text)} could not be read as a formula; write it as in 'sqrt(m/T)/L'."
        ) from None


class _Reader:
    """Reads one syntax tree; stores the text, for exact decimals."""

    def __init__(self, text: str) -> None:
        self.text = text

    def read(self, node: ast.expr) -> Expr:
        """The expression of a node and all below it; BoundkitError where it is no known formula."""
        if isinstance(node, ast.Constant):
            return self._number(node)
        if isinstance(node, ast.Name):
            if node.id not in ALPHABET:
                raise unknown("keyword", node.id, [*ALPHABET, "sqrt"])
            return ALPHABET[node.id]
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, (ast.USub, ast.UAdd)):
            value = self.read(node.operand)
            return -value if isinstance(node.op, ast.USub) else value
        if isinstance(node, ast.BinOp):
            return self._operation(node)
        if isinstance(node, ast.Call):
            return self._square_root(node)
        raise self._refused(node)

    def _operation(self, node: ast.BinOp) -> Expr:
        if not isinstance(node.op, (*_OPERATIONS, ast.Pow)):
            raise self._refused(node)
        left, right = self.read(node.left), self.read(node.right)
        if isinstance(node.op, ast.Pow):
            return self._power(left, right)
        if isinstance(node.op, ast.Div) and right == 0:
            raise BoundkitError(f"{_quoted(self.text)} divides by zero.")
        return self._small(_OPERATIONS[type(node.op)](left, right))

    def _power(self, base: Expr, exponent: Expr) -> Expr:
        if not exponent.is_Rational or abs(exponent) > LARGEST_POWER or exponent.q > LARGEST_POWER:
            raise BoundkitError(
                f"{_quoted(self.text)} has the power {exponent}, but powers are fixed fractions "
                f"no larger than {LARGEST_POWER}."
            )
        if base == 0 and exponent <= 0:
            raise BoundkitError(f"{_quoted(self.text)} divides by zero.")
        if base.is_number and base.is_negative and not exponent.is_Integer:
            raise BoundkitError(f"{_quoted(self.text)} takes a root of a negative number.")
        return self._small(base**exponent)

    def _square_root(self, node: ast.Call) -> Expr:
        if not isinstance(node.func, ast.Name) or node.func.id != "sqrt":
            name = node.func.id if isinstance(node.func, ast.Name) else "that"
            raise BoundkitError(f"{_quoted(self.text)} calls {name}, but the only function is sqrt.")
        if len(node.args) != 1 or node.keywords or isinstance(node.args[0], ast.Starred):
            raise BoundkitError(f"{_quoted(self.text)} must give sqrt one argument.")
        return self._power(self.read(node.args[0]), Rational(1, 2))

    def _number(self, node: ast.Constant) -> Expr:
        if isinstance(node.value, bool) or not isinstance(node.value, (int, float)):
            raise self._refused(node)
        written = (ast.get_source_segment(self.text, node) or repr(node.value)).replace("_", "")
        if isinstance(node.value, int):
            return self._small(Rational(node.value))
        zero = not any(digit in written.lower().partition("e")[0] for digit in "123456789")
        if not 1e-100 < node.value < 1e100 and not zero:
            raise BoundkitError(f"the number {written} in {_quoted(self.text)} is too large or too small.")
        exact = Fraction(0) if zero else Fraction(written)
        return Rational(exact.numerator, exact.denominator)

    def _small(self, expr: Expr) -> Expr:
        """The expression itself, unless it holds a huge number or a tower of powers."""
        for part in expr.atoms(Rational):
            if max(int(part.p).bit_length(), int(part.q).bit_length()) > MOST_BITS:
                raise BoundkitError(f"{_quoted(self.text)} holds a number with too many digits.")
        if any(abs(part.exp) > LARGEST_POWER for part in expr.atoms(Pow) if part.exp.is_Rational):
            raise BoundkitError(f"{_quoted(self.text)} holds a power above {LARGEST_POWER}.")
        return expr

    def _refused(self, node: ast.expr) -> BoundkitError:
        part = ast.get_source_segment(self.text, node) or type(node).__name__
        return BoundkitError(f"{_quoted(part)} is not allowed in a step-size rule; use {_ALLOWED}.")


def _quoted(text: str) -> str:
    line = " ".join(text.split())
    return repr(line if len(line) <= 60 else line[:57] + "...")
