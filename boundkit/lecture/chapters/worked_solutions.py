r"""How an exercise is written down: its numbers, a term with numbers put in, and the answer.

Everything that is shown comes from the theorem's own expressions, so that no formula is written twice.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from sympy import Expr, Rational, Symbol
from sympy import latex as printed
from sympy.core.relational import Relational

from boundkit.algebra import Theorem
from boundkit.algebra.notation import ALPHABET, VECTORS
from boundkit.algebra.printing import latex
from boundkit.analysis.evaluate import evaluate
from boundkit.report.formatting import join_names

Values = dict[str, Any]
"""What is drawn for an exercise, by keyword: numbers, or lists of one a client."""


def pick(rng: np.random.Generator, *choices: float) -> float:
    """One of some readable numbers."""
    return choices[int(rng.integers(len(choices)))]


def number(value: float, digits: int = 4) -> str:
    r"""A number as LaTeX, with so many digits; a count with all of them.

    >>> number(0.05), number(1234567.8), number(20000)
    ('0.05', '1.235 \\times 10^{6}', '20000')
    """
    if float(value).is_integer() and abs(value) < 10**7:
        return str(int(value))
    text = f"{float(value):.{digits}g}"
    mantissa, _, exponent = text.partition("e")
    return rf"{mantissa} \times 10^{{{int(exponent)}}}" if exponent else mantissa


def listed(values: Iterable[float], digits: int = 4) -> str:
    """Numbers in brackets.

    >>> listed([2, 5, 9])
    '(2, 5, 9)'
    """
    return f"({', '.join(number(v, digits) for v in values)})"


def fraction(exact: Rational) -> str:
    r"""An exact number, and as a decimal one where it is not whole.

    >>> fraction(Rational(7, 2)), fraction(Rational(3))
    ('\\frac{7}{2} = 3.5', '3')
    """
    return latex(exact) if exact.is_integer else f"{latex(exact)} = {number(float(exact))}"


def given(values: Values) -> str:
    r"""What is given, in the letters of the house; a list is one value a client.

    >>> given({"eta": 0.05, "tau_i": [2, 5]})
    '$\\eta = 0.05$ and $\\tau_i = (2, 5)$'
    """
    return join_names([f"${letter(name)} = {_value(value)}$" for name, value in values.items()])


def letter(name: str) -> str:
    """A quantity's LaTeX by its keyword."""
    return latex(VECTORS[name] if name in VECTORS else ALPHABET[name])


def answer(what: str, value: float) -> str:
    r"""The answer: what was asked for, and its number.

    >>> answer(r"\eta", 0.125)
    '$\\eta = 0.125$'
    """
    return f"${what} = {number(value)}$"


def term(theorem: Theorem, label: str, values: Values) -> str:
    """A term of a bound: its formula, the numbers put in, and what that is."""
    return worked(rf"\text{{{label}}}", theorem.bound.terms[label].expr, values)


def worked(what: str, expr: Expr, values: Values) -> str:
    """An expression as a step of a solution: the formula, below it the numbers put in, and what that is."""
    lines = (rf"{what} &= {latex(expr)}", rf"&= {put_in(expr, values)} = {number(value(expr, values))}")
    return "$$\\begin{aligned}\n" + " \\\\\n".join(lines) + "\n\\end{aligned}$$"


def put_in(expr: Expr, values: Values) -> str:
    """An expression with numbers for its letters, not worked out."""
    plain = {q: Symbol(q.name, positive=True) for q in expr.free_symbols}  # a Quantity prints as its letter
    names = {symbol: _factor(values[q.name]) for q, symbol in plain.items()}
    return str(printed(expr.xreplace(plain), symbol_names=names, mul_symbol="dot"))


def value(expr: Expr, values: Values) -> float:
    """An expression as a number."""
    return float(evaluate(expr, values))


def condition(relation: Relational) -> str:
    """A condition as a step of a solution."""
    return f"$${latex(relation)}$$"


def _value(given: Any) -> str:
    return listed(given) if np.ndim(given) else number(given)


def _factor(given: float) -> str:
    text = number(given)
    return rf"\left({text}\right)" if "times" in text else text
