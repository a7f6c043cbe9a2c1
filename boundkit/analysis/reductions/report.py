"""The graph of reductions as a table, for a reader and for a machine."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sympy import Expr

from boundkit.algebra import Theorem
from boundkit.algebra.printing import plain
from boundkit.analysis.reductions.chains import Chain, chains
from boundkit.analysis.reductions.graph import Edge, Graph, condition, reduction_graph
from boundkit.analysis.rendering import html_table, table

_HEADER = ["theorem", "becomes", "at", "times", "left over", "checked"]
_CHAIN_HEADER = ["chain", "at", "times", "left over"]


@dataclass(frozen=True, repr=False)
class Reductions:
    """The checked graph and its chains. True where every edge is as its theorem says."""

    graph: Graph
    chains: tuple[Chain, ...]

    def __bool__(self) -> bool:
        return all(edge.confirmed for edge in self.graph.edges)

    def to_dict(self) -> dict[str, Any]:
        """Nodes, edges and chains, clean for JSON."""
        return {
            "nodes": list(self.graph.nodes),
            "edges": [_edge(edge) for edge in self.graph.edges],
            "chains": [
                {
                    "nodes": list(c.nodes),
                    **_what(c.reduction.when, c.factors, c.reduction.leaves),
                    "agrees": c.agrees,
                }
                for c in self.chains
            ],
        }

    def rows(self) -> list[list[str]]:
        """One row an edge that holds."""
        return [
            [
                e.origin,
                e.to,
                condition(e.reduction.when),
                _times(e.factors),
                ", ".join(e.reduction.leaves),
                "yes" if e.confirmed else f"NO: {e.objection}",
            ]
            for e in self.graph.edges
            if e.holds
        ]

    def refusals(self) -> list[str]:
        """What looks right and is not, and why, a sentence each."""
        return [
            f"{e.origin} does not become {e.to} at {condition(e.reduction.when)}: {e.reduction.because}."
            + ("" if e.confirmed else f" But {e.objection}.")
            for e in self.graph.edges
            if not e.holds
        ]

    def chain_rows(self) -> list[list[str]]:
        """One row a chain."""
        return [
            [
                " -> ".join(c.nodes),
                condition(c.reduction.when),
                _times(c.factors),
                ", ".join(c.reduction.leaves),
            ]
            for c in self.chains
        ]

    def to_text(self) -> str:
        """Both tables, and why what looks right and is not, is not."""
        parts = [
            _table(_HEADER, self.rows()),
            _table(_CHAIN_HEADER, self.chain_rows()),
            "\n".join(self.refusals()),
        ]
        return "\n\n".join(part for part in parts if part)

    def __repr__(self) -> str:
        return self.to_text()

    def _repr_html_(self) -> str:
        return html_table(_HEADER, self.rows(), "which theorem becomes which")


def reductions(
    known: Mapping[str, Theorem], only: str | None = None, *, all_chains: bool = False
) -> Reductions:
    """The graph of all theorems, checked; or of what is joined to one, with the chains that pass it.

    ``all_chains`` gives the chains of the whole, which are many and take a while. Raises BoundkitError
    for an unknown theorem, or one that takes part in no reduction.
    """
    graph = reduction_graph(known, only)
    return Reductions(graph, chains(graph, known, only) if only or all_chains else ())


def _table(header: list[str], rows: list[list[str]]) -> str:
    return table(header, rows, left=len(header)) if rows else ""


def _edge(edge: Edge) -> dict[str, Any]:
    reduction = edge.reduction
    return {
        "from": edge.origin,
        "to": edge.to,
        **_what(reduction.when, edge.factors, reduction.leaves),
        "holds": edge.holds,
        "confirmed": edge.confirmed,
        "objection": edge.objection or None,
        "because": reduction.because,
    }


def _what(when: Any, factors: Mapping[str, Expr], leaves: tuple[str, ...]) -> dict[str, Any]:
    return {
        "when": {str(quantity): plain(value) for quantity, value in when.items()},
        "factors": {label: plain(factor) for label, factor in factors.items()},
        "leaves": list(leaves),
    }


def _times(factors: Mapping[str, Expr]) -> str:
    return ", ".join(f"{label} x {plain(factor)}" for label, factor in factors.items())
