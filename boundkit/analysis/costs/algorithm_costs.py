"""The costs of all algorithms of the house, by name."""

from __future__ import annotations

from boundkit.algebra.errors import unknown
from boundkit.analysis.costs import (
    averaging_methods,
    clipping_methods,
    correction_methods,
    data_centre_methods,
    selection_methods,
)
from boundkit.analysis.costs.cost import Cost

_FAMILIES = (data_centre_methods, averaging_methods, correction_methods, selection_methods, clipping_methods)

COSTS: dict[str, Cost] = {cost.name: cost for family in _FAMILIES for cost in family.COSTS}
"""Every cost by the name of its algorithm, with the variant in brackets where there are several."""


def algorithms() -> tuple[str, ...]:
    """The algorithms whose cost is known, in the order of the tables.

    >>> "fedvarp" in algorithms()
    True
    """
    return tuple(dict.fromkeys(cost.algorithm for cost in COSTS.values()))


def costs_of(name: str) -> tuple[Cost, ...]:
    """The costs of an algorithm: one for each of its variants, or the one whose name is given.

    Raises BoundkitError for an unknown name, with near ones.

    >>> [cost.variant for cost in costs_of("scaffold")]
    ['I', 'II']
    """
    if name in COSTS:
        return (COSTS[name],)
    found = tuple(cost for cost in COSTS.values() if cost.algorithm == name)
    if not found:
        raise unknown("algorithm", name, [*algorithms(), *COSTS])
    return found
