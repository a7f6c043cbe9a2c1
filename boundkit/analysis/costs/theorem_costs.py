"""What a round costs the method of a theorem: its row, with what the theorem assumes put in."""

from __future__ import annotations

from sympy import Expr, S

from boundkit.algebra import Quantity, Theorem
from boundkit.algebra.notation import C, groups, tau
from boundkit.algebra.printing import plain
from boundkit.algebra.vocabulary import FULL_PARTICIPATION, ONE_LOCAL_STEP, WHOLE_GROUPS
from boundkit.analysis.costs.algorithm_costs import COSTS, algorithms, costs_of
from boundkit.analysis.costs.cost import Cost

_FIXED: tuple[tuple[str, Quantity, Expr], ...] = (
    (FULL_PARTICIPATION.name, C, S.One),
    (WHOLE_GROUPS.name, C, 1 / groups),
    (ONE_LOCAL_STEP.name, tau, S.One),
)
"""Assumptions that leave a letter of costs no choice."""


def costs_of_theorem(theorem: Theorem) -> tuple[Cost, ...]:
    """The costs of a round: one for each variant of the method; none for an algorithm without a row.

    Raises BoundkitError where the theorem itself names a row that is not there.

    >>> from boundkit.theorems import theorem
    >>> [cost.label for cost in costs_of_theorem(theorem("fedavg_nonconvex"))]
    ['fedavg at C = 1']
    """
    if not theorem.costs and theorem.algorithm not in (*algorithms(), *COSTS):
        return ()
    values = {q: value for name, q, value in _FIXED if theorem.assumes(name)}
    return tuple(cost.at(values) for cost in costs_of(theorem.cost_row))


def costs_lines(theorem: Theorem) -> list[str]:
    """The same in words, a line for each variant."""
    return [_line(cost) for cost in costs_of_theorem(theorem)]


def _line(cost: Cost) -> str:
    together = cost.round()
    all_down, all_up, all_gradients = (plain(together[key]) for key in ("down", "up", "gradients"))
    kept = f"the server keeps {plain(cost.server)} numbers and a client {plain(cost.client)}"
    text = (
        f"{cost.label}: {plain(cost.clients)} clients take part; each receives {plain(cost.down)} numbers, "
        f"sends {plain(cost.up)} and computes {plain(cost.gradients)} gradients; together {all_down} down, "
        f"{all_up} up and {all_gradients} gradients; from round to round {kept}, beside the model."
    )
    more = "; ".join(filter(None, (cost.state, cost.note)))
    return f"{text} {more[0].upper()}{more[1:]}." if more else text
