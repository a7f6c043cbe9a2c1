"""Reductions one after the other: the conditions add up, and the constants multiply."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from sympy import Expr, simplify, sympify

from boundkit.algebra import BoundkitError, Quantity, Reduction, Theorem
from boundkit.analysis.reductions.graph import Edge, Graph
from boundkit.analysis.reductions.suggest import suggest

LONGEST = 6
"""Steps of one chain; longer ones say nothing that their parts do not."""


@dataclass(frozen=True)
class Chain:
    """A way over several theorems, and the one reduction that it amounts to.

    ``agrees`` says whether a direct reduction under the same condition states the same constants; None
    where none is stated.
    """

    nodes: tuple[str, ...]
    reduction: Reduction
    agrees: bool | None = None

    @property
    def factors(self) -> dict[str, Expr]:
        """The constants, multiplied out, that are not 1."""
        return {label: sympify(f) for label, f in self.reduction.factors.items() if f != 1}


def chains(graph: Graph, known: Mapping[str, Theorem], start: str | None = None) -> tuple[Chain, ...]:
    """All chains of at least two reductions that hold and whose conditions do not clash.

    The constants are those of the steps, multiplied; sympy then checks the whole against the two ends,
    and what does not stand that is left out: a step may need what an earlier one took away.

    >>> from boundkit.theorems import catalogue
    >>> from boundkit.analysis.reductions.graph import reduction_graph
    >>> graph = reduction_graph(catalogue(), "fedavg_nonconvex")
    >>> [c.nodes for c in chains(graph, catalogue(), "fedavg_nonconvex_partial")]
    [('fedavg_nonconvex_partial', 'fedavg_nonconvex', 'sgd_nonconvex')]
    """
    holding = [e for e in graph.edges if e.holds and e.confirmed]
    found = []
    for origin in graph.nodes if start is None else (start,):
        for way in _ways(origin, holding):
            reduction = _composed(way, known)
            if reduction is not None:
                found.append(
                    Chain((origin, *(e.to for e in way)), reduction, _agrees(reduction, origin, holding))
                )
    return tuple(found)


def _ways(origin: str, edges: list[Edge], before: tuple[Edge, ...] = ()) -> Iterator[tuple[Edge, ...]]:
    if len(before) >= 2:
        yield before
    if len(before) == LONGEST:
        return
    seen = {before[0].origin, *(e.to for e in before)} if before else {origin}
    for edge in edges:
        if edge.origin == origin and edge.to not in seen:
            yield from _ways(edge.to, edges, (*before, edge))


def _composed(way: tuple[Edge, ...], known: Mapping[str, Theorem]) -> Reduction | None:
    """The steps as one reduction from end to end; None where they do not fit together."""
    when: dict[Quantity, Expr | int] = {}
    factors: dict[str, Expr] = {}
    for edge in way:
        new = edge.reduction.when
        if any(q in when and sympify(when[q]) != sympify(value) for q, value in new.items()):
            return None
        when = {q: sympify(v).subs(dict(new)) for q, v in when.items()} | dict(new)
        for label, factor in edge.reduction.factors.items():
            factors[label] = factors.get(label, sympify(1)) * sympify(factor)
    first, last = known[way[0].origin], known[way[-1].to]
    at = {label: simplify(f.subs(when, simultaneous=True)) for label, f in factors.items()}
    try:
        whole = suggest(first, last, when)
    except BoundkitError:
        return None
    kept = {
        label: f
        for label, f in at.items()
        if f != 1 and label not in whole.leaves and label in last.bound.terms
    }
    composed = Reduction(
        last.name, when, {n: f for n, f in kept.items() if n in first.bound.terms}, whole.leaves
    )
    return None if composed.check(first.bound.terms, last.bound.terms) else composed


def _agrees(chain: Reduction, origin: str, edges: list[Edge]) -> bool | None:
    """Whether a direct edge under the same condition says the same."""
    for edge in edges:
        direct = edge.reduction
        same = {q: sympify(v) for q, v in direct.when.items()} == {
            q: sympify(v) for q, v in chain.when.items()
        }
        if edge.origin == origin and edge.to == chain.to and same:
            stated = {n: sympify(f) for n, f in direct.factors.items() if f != 1}
            ours = {n: sympify(f) for n, f in chain.factors.items() if f != 1}
            return stated.keys() == ours.keys() and all(simplify(stated[n] - ours[n]) == 0 for n in ours)
    return None
