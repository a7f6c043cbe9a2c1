"""Values of the quantities of costs: checked one by one, then together."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np
from sympy import Expr
from sympy.core.relational import Relational

from boundkit.algebra.condition import at_least, at_most
from boundkit.algebra.domain import is_whole
from boundkit.algebra.errors import BoundkitError, unknown
from boundkit.algebra.notation import ALPHABET, WHOLE, C, T, clusters, m, quantities_of
from boundkit.algebra.printing import plain
from boundkit.algebra.quantity import Quantity
from boundkit.analysis.costs.cost import Cost, candidates
from boundkit.analysis.evaluate import evaluate, satisfied
from boundkit.analysis.parameters import check_number
from boundkit.report.formatting import format_number, join_names

_REQUIRED: tuple[Relational, ...] = (
    at_least(candidates, C * m),
    at_most(candidates, m),
    at_most(clusters, m),
)
"""Relations that must hold wherever all their quantities occur."""


def quantities(costs: Iterable[Cost]) -> tuple[Quantity, ...]:
    """All quantities of the costs, and T, in the order of the notation."""
    ordered: tuple[Quantity, ...] = quantities_of([T, *(q for cost in costs for q in cost.quantities)])
    return ordered


def resolve(costs: Iterable[Cost], given: Mapping[str, object]) -> tuple[dict[str, float], tuple[str, ...]]:
    """A number for every quantity but T, which is optional; and the names of those assumed.

    Quantities of the notation that do not occur in these costs are ignored, so that the values of a theorem
    may be passed. Raises BoundkitError for an unknown name, a value outside its domain, and values
    that contradict each other.
    """
    known = {q.name: q for q in quantities(costs)}
    for name in given:
        if name not in known and name not in ALPHABET:
            raise unknown("quantity of these costs", name, known)
    values = {name: number(q, given[name]) for name, q in known.items() if name in given}
    assumed = tuple(name for name in known if name not in given and name != T.name)
    values |= {name: float(known[name].typical) for name in assumed}
    check(values, assumed)
    return {name: values[name] for name in known if name in values}, assumed


def number(quantity: Quantity, given: object) -> float:
    """A given value as a float. Raises BoundkitError for a list, and as ``check_number``."""
    if isinstance(given, (list, tuple, range, np.ndarray)):
        raise BoundkitError(
            f"{quantity.name} = {given!r} was given, but a cost takes one number for it ({quantity.meaning})."
        )
    return check_number(quantity, given)


def check(values: Mapping[str, float], assumed: tuple[str, ...] = ()) -> None:
    """Raise BoundkitError for values that contradict each other."""
    for product in (w for w in WHOLE if w != m / clusters and _all_in(w, values)):
        count = float(evaluate(product, values))
        if not is_whole(count) or count < 1:
            raise BoundkitError(
                f"{plain(product)} must be a whole number, at least 1, but it is {format_number(count)} at "
                f"{_point(product, values, assumed)}."
            )
    for relation in (r for r in _REQUIRED if _all_in(r, values)):
        if not satisfied(relation, values).all():
            point = _point(relation, values, assumed)
            raise BoundkitError(f"{plain(relation)} is needed, but it does not hold at {point}.")


def _all_in(expr: Expr | Relational, values: Mapping[str, float]) -> bool:
    return {s.name for s in expr.free_symbols} <= set(values)


def _point(expr: Expr | Relational, values: Mapping[str, float], assumed: tuple[str, ...]) -> str:
    names = [n for n in values if n in {s.name for s in expr.free_symbols}]
    return join_names(
        [f"{n} = {format_number(values[n])}" + (" (assumed)" if n in assumed else "") for n in names]
    )
