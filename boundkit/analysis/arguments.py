"""Arguments of a question about a bound: tables, rules for steps, values of clients, numbers and lists."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import NamedTuple

from sympy import Expr

from boundkit.algebra import BoundkitError, Theorem
from boundkit.algebra.notation import ALPHABET
from boundkit.analysis.client_values import substitute_clients
from boundkit.analysis.labelled_values import read_arguments
from boundkit.analysis.parameters import Parameters, resolve
from boundkit.analysis.rate import STEPS, substitute_rules


class Query(NamedTuple):
    """A theorem with its clients and rules put in, and its parameters.

    ``unruled`` is the theorem with its clients alone; ``rules`` are the formulas that stand for steps.
    """

    theorem: Theorem
    parameters: Parameters
    unruled: Theorem
    rules: Mapping[str, Expr]


def read_query(
    theorem: Theorem, table: object, given: Mapping[str, object], free: Collection[str] = ()
) -> Query:
    """Read the arguments of a question: those of a table, rules, values of clients, numbers and lists.

    Raises BoundkitError as ``read_arguments``, ``substitute_clients``, ``substitute_rules`` and ``resolve``,
    for a rule for what is ``free``, and where the theorem does not have what is ``free``.
    """
    arguments = read_arguments(table, given)
    rules = {name: arguments.pop(name) for name in STEPS if _is_rule(arguments.get(name))}
    if conflict := next((name for name in rules if name in free), None):
        raise BoundkitError(f"{conflict} is what is looked for here, so it must not be given.")
    unruled, values = substitute_clients(theorem, arguments, {*free, *rules})
    own = {q.name for q in unruled.quantities}
    if missing := next((name for name in free if name not in own), None):
        raise BoundkitError(f"{theorem.name} has no {missing} ({ALPHABET[missing].meaning}) to tune.")
    ruled, written = substitute_rules(unruled, rules)
    return Query(ruled, resolve(ruled, values, free), unruled, written)


def _is_rule(value: object) -> bool:
    """Whether a value is a formula; a number that is written as text is a mistake, and left to be refused."""
    if not isinstance(value, str):
        return isinstance(value, Expr)
    try:
        float(value)
    except ValueError:
        return True
    return False
