"""The costs of a round in symbols, as tables for a page."""

from __future__ import annotations

from sympy import Expr

from boundkit.algebra import Theorem
from boundkit.algebra.notation import m
from boundkit.algebra.printing import latex
from boundkit.analysis.costs import Cost, costs_of_theorem

Table = tuple[list[str], list[list[str]], str]


def round_costs(theorem: Theorem) -> list[Table]:
    """For each variant of the method: a header, rows, and what they cannot say."""
    return [_table(cost) for cost in costs_of_theorem(theorem)]


def _table(cost: Cost) -> Table:
    together = cost.round()
    header = [f"`{cost.label}`", f"each of {_math(cost.clients)} clients", "all clients", "the server"]
    rows = [
        ["receives", _math(cost.down), _math(together["down"]), _math(together["up"])],
        ["sends", _math(cost.up), _math(together["up"]), _math(together["down"])],
        ["gradients", _math(cost.gradients), _math(together["gradients"]), "0"],
        ["keeps to the next round", _math(cost.client), _math(m * cost.client), _math(cost.server)],
    ]
    said = "; ".join(filter(None, (cost.state, cost.note)))
    return header, rows, f"{said[0].upper()}{said[1:]}." if said else ""


def _math(expr: Expr) -> str:
    return f"${latex(expr)}$"
