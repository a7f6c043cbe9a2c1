"""Reductions between theorems: conditions and constants, checked symbolically, and their compositions."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sympy import Expr

from boundkit.algebra import Reduction, Theorem
from boundkit.algebra.printing import plain
from boundkit.analysis.reductions.graph import (
    Chain,
    Edge,
    ReductionGraph,
    as_code,
    chains,
    condition,
    reduction_graph,
    suggest,
)
from boundkit.report import Heading, Report, Sentences, Table

__all__ = [
    "Chain",
    "Edge",
    "ReductionGraph",
    "Reductions",
    "as_code",
    "chains",
    "condition",
    "reduction_graph",
    "reductions",
    "suggest",
]


_HEADER = ["theorem", "becomes", "at", "times", "left over", "checked"]
_WIDTH = 110


@dataclass(frozen=True, repr=False)
class Reductions:
    """The checked graph and its chains. True where every edge is confirmed."""

    graph: ReductionGraph
    chains: tuple[Chain, ...]

    def __bool__(self) -> bool:
        return all(edge.confirmed for edge in self.graph.edges)

    def to_dict(self) -> dict[str, Any]:
        """Nodes, edges and chains as JSON values."""
        return {
            "nodes": list(self.graph.nodes),
            "edges": [_edge(edge) for edge in self.graph.edges],
            "chains": [
                {
                    "nodes": list(c.nodes),
                    **_to_json(c.reduction.when, c.factors, c.reduction.leaves),
                    "agrees": c.agrees,
                }
                for c in self.chains
            ],
        }

    def rows(self) -> list[list[str]]:
        """One row for each edge that is stated as holding."""
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
        """The reductions that are stated as failing, and the reasons, a sentence each."""
        return [
            f"{e.origin} does not become {e.to} at {condition(e.reduction.when)}: {e.reduction.because}."
            + ("" if e.confirmed else f" But {e.objection}.")
            for e in self.graph.edges
            if not e.holds
        ]

    def to_text(self) -> str:
        """The reductions by theorem, the chains, and the failing reductions."""
        lines: list[str] = []
        for origin in dict.fromkeys(e.origin for e in self.graph.edges if e.holds):
            lines.append(origin)
            lines += [_describe(e) for e in self.graph.edges if e.holds and e.origin == origin]
        for chain in self.chains:
            path = " -> ".join(chain.nodes)
            lines += [
                "",
                path,
                _wrapped(f"at {condition(chain.reduction.when)}{_change(chain.factors, chain.reduction)}"),
            ]
        refusals = self.refusals()
        return "\n".join([*lines, *([""] if refusals else []), *refusals, "", self._count()]).lstrip("\n")

    def _count(self) -> str:
        confirmed = sum(e.confirmed for e in self.graph.edges)
        return f"{confirmed} of {len(self.graph.edges)} checked by sympy are as stated."

    def __repr__(self) -> str:
        return self.to_text()

    def _repr_html_(self) -> str:
        composed = [(" -> ".join(c.nodes), c.reduction, c.factors) for c in self.chains]
        chained = [
            [path, condition(r.when), _times(factors), ", ".join(r.leaves)] for path, r, factors in composed
        ]
        return Report(
            (
                Heading("Which theorem becomes which"),
                Table(_HEADER, self.rows()),
                Table(["in several steps", *_HEADER[2:5]], chained),
                Sentences([*self.refusals(), self._count()]),
            )
        ).to_html()


def reductions(
    known: Mapping[str, Theorem], only: str | None = None, *, all_chains: bool = False
) -> Reductions:
    """The checked graph of all theorems; or the part around one, with the chains through it.

    ``all_chains`` adds the chains of the whole graph, which are many and take longer. Raises BoundkitError
    for an unknown theorem, or one without a reduction.
    """
    graph = reduction_graph(known, only)
    return Reductions(graph, chains(graph, known, only) if only or all_chains else ())


def _describe(edge: Edge) -> str:
    wrong = "" if edge.confirmed else f"; NO: {edge.objection}"
    return _wrapped(
        f"becomes {edge.to} at {condition(edge.reduction.when)}{_change(edge.factors, edge.reduction)}{wrong}"
    )


def _change(factors: Mapping[str, Expr], reduction: Reduction) -> str:
    """The factors and the terms left over, as the end of a line."""
    times = f"; {_times(factors)}" if factors else ""
    return times + (f"; {', '.join(reduction.leaves)} left over" if reduction.leaves else "")


def _wrapped(text: str) -> str:
    return textwrap.fill(
        text, _WIDTH, initial_indent="  ", subsequent_indent="      ", break_long_words=False
    )


def _edge(edge: Edge) -> dict[str, Any]:
    reduction = edge.reduction
    return {
        "from": edge.origin,
        "to": edge.to,
        **_to_json(reduction.when, edge.factors, reduction.leaves),
        "holds": edge.holds,
        "confirmed": edge.confirmed,
        "objection": edge.objection or None,
        "because": reduction.because,
    }


def _to_json(when: Any, factors: Mapping[str, Expr], leaves: tuple[str, ...]) -> dict[str, Any]:
    return {
        "when": {str(quantity): plain(value) for quantity, value in when.items()},
        "factors": {label: plain(factor) for label, factor in factors.items()},
        "leaves": list(leaves),
    }


def _times(factors: Mapping[str, Expr]) -> str:
    return ", ".join(f"{label} x {plain(factor)}" for label, factor in factors.items())
