r"""Worked examples: the text of an exercise with numbers put in, several draws of each.

Formulas and numbers of a solution come from the expressions of the theorem. In the text of an exercise
``{{ name }}`` is a value of its numbers: a number, a list or an expression is set as LaTeX.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from typing import Any

import numpy as np
from jinja2 import Environment, StrictUndefined
from sympy import Basic, Expr, Rational, Symbol
from sympy import latex as sympy_latex

from boundkit.algebra import Theorem
from boundkit.algebra.notation import ALPHABET, VECTORS
from boundkit.algebra.printing import latex
from boundkit.analysis.evaluate import evaluate as evaluate_expression
from boundkit.lecture.parts import Exercise, WorkedExample
from boundkit.report.formatting import join_names

Values = dict[str, Any]
"""Numbers of an exercise by name: numbers, lists of one a client, expressions, theorems."""
DRAWS = 4
"""The number of draws of each exercise on a page."""


def draw_examples(exercise: Exercise, seed: int = 0) -> tuple[WorkedExample, ...]:
    """Draw worked examples of an exercise, the same for the same seed; equal ones are kept once."""
    streams = np.random.SeedSequence([seed, *exercise.title.encode()]).spawn(DRAWS)
    return tuple(dict.fromkeys(exercise.make(np.random.default_rng(stream)) for stream in streams))


def choose(rng: np.random.Generator, *choices: float) -> float:
    """Draw one of several numbers that are easy to read."""
    return choices[int(rng.integers(len(choices)))]


def fill(template: str, values: Values) -> str:
    r"""Put values into the text of an exercise.

    >>> fill("$x = {{ x }}$ with {{ given|given }}", {"x": [1, 0.5], "given": {"eta": 0.05}})
    '$x = (1, 0.5)$ with $\\eta = 0.05$'
    """
    return _environment().from_string(template).render(values)


def number(value: float, digits: int = 4) -> str:
    r"""A number as LaTeX with so many significant digits; a whole one with all of them.

    >>> number(0.05), number(1234567.8), number(20000)
    ('0.05', '1.235 \\times 10^{6}', '20000')
    """
    if float(value).is_integer() and abs(value) < 10**7:
        return str(int(value))
    text = f"{float(value):.{digits}g}"
    mantissa, _, exponent = text.partition("e")
    return rf"{mantissa} \times 10^{{{int(exponent)}}}" if exponent else mantissa


def decimal(exact: Rational) -> str:
    r"""An exact number, followed by its decimal form where it is not whole.

    >>> decimal(Rational(7, 2)), decimal(Rational(3))
    ('\\frac{7}{2} = 3.5', '3')
    """
    return latex(exact) if exact.is_integer else f"{latex(exact)} = {number(float(exact))}"


def given(values: Values) -> str:
    r"""Given values by the symbols of the notation; a list is one value a client.

    >>> given({"eta": 0.05, "tau_i": [2, 5]})
    '$\\eta = 0.05$ and $\\tau_i = (2, 5)$'
    """
    return join_names([f"${latex({**ALPHABET, **VECTORS}[name])} = {_set(v)}$" for name, v in values.items()])


def evaluate(expr: Expr, values: Values) -> float:
    """An expression as a number."""
    return float(evaluate_expression(expr, values))


def substitute(expr: Expr, values: Values) -> str:
    """The LaTeX of an expression with numbers in the place of its quantities, not simplified."""
    plain = {q: Symbol(q.name, positive=True) for q in expr.free_symbols}  # a Quantity prints as its symbol
    names = {symbol: _factor(values[q.name]) for q, symbol in plain.items()}
    return str(sympy_latex(expr.xreplace(plain), symbol_names=names, mul_symbol="dot"))


def evaluation(left: str, expr: Expr, values: Values) -> str:
    """A step of a solution: an expression, the same with numbers substituted, and its value."""
    result = number(evaluate(expr, values))
    lines = (rf"{left} &= {latex(expr)}", rf"&= {substitute(expr, values)} = {result}")
    return r"$$\begin{aligned} " + r" \\ ".join(lines) + r" \end{aligned}$$"


def term(theorem: Theorem, label: str, values: Values) -> str:
    """The evaluation of one term of a bound."""
    return evaluation(rf"\text{{{label}}}", theorem.bound.terms[label].expr, values)


@cache
def _environment() -> Environment:
    environment = Environment(
        undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True, finalize=_set, autoescape=False
    )  # the text is Markdown, and the renderer of Markdown escapes it
    filters = (number, decimal, given, substitute, evaluate)
    environment.filters |= {filter_.__name__: filter_ for filter_ in filters} | {"commas": _commas}
    environment.globals |= {"term": term, "evaluation": evaluation}
    return environment


def _set(value: Any) -> Any:
    """A value as LaTeX; text stays as it is."""
    if isinstance(value, (int, float, np.number)):
        return number(float(value))
    if isinstance(value, (list, tuple)):
        return f"({_commas(value)})"
    return latex(value) if isinstance(value, Basic) else value


def _commas(values: Iterable[Any]) -> str:
    return ", ".join(map(_set, values))


def _factor(value: float) -> str:
    text = number(value)
    return rf"\left({text}\right)" if "times" in text else text
