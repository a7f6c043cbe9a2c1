"""Reductions one after the other: the conditions add up, and the constants multiply."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from sympy import Expr, simplify, sympify

from boundkit.algebra import BoundkitError, Quantity, Reduction, Term, Theorem
from boundkit.algebra.zero_test import vanishes
from boundkit.analysis.reductions.graph import Edge, Graph

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


def chains(graph: Graph, known: Mapping[str, Theorem], through: str | None = None) -> tuple[Chain, ...]:
    """All chains of at least two reductions that hold and whose conditions do not clash.

    ``through`` keeps those that begin at, pass or end at one theorem. The constants are those of the
    steps, multiplied; sympy then checks the whole against the two ends, and what does not stand that is
    left out: a step may need what an earlier one took away.

    >>> from boundkit.theorems import catalogue
    >>> from boundkit.analysis.reductions.graph import reduction_graph
    >>> five = ("fedavg_nonconvex_partial", "fedavg_nonconvex", "sgd_nonconvex")
    >>> known = {name: catalogue()[name] for name in five}
    >>> [c.nodes for c in chains(reduction_graph(known), known)]
    [('fedavg_nonconvex_partial', 'fedavg_nonconvex', 'sgd_nonconvex')]
    """
    holding = [e for e in graph.edges if e.holds and e.confirmed]
    found: dict[tuple[object, ...], Chain] = {}
    for origin in graph.nodes:
        for way in _ways(origin, holding):
            nodes = (origin, *(e.to for e in way))
            if through not in (None, *nodes):
                continue
            reduction = _composed(way, known)
            if reduction is not None:
                same = (nodes, frozenset((q, sympify(v)) for q, v in reduction.when.items()))
                found.setdefault(same, Chain(nodes, reduction, _agrees(reduction, origin, holding)))
    return tuple(found.values())


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
    first, last = known[way[0].origin].bound.terms, known[way[-1].to].bound.terms
    composed = Reduction(
        to=way[-1].to,
        when=when,
        factors={
            label: simplify(factor.subs(when, simultaneous=True))
            for label, factor in factors.items()
            if label in first and label in last and not _gone(last[label].expr, when)
        },
        leaves=tuple(
            n
            for n in first
            if not _gone(first[n].expr, when) and (n not in last or _gone(last[n].expr, when))
        ),
    )
    return composed if not _objectionable(composed, first, last) else None


def _gone(expr: Expr, when: Mapping[Quantity, Expr | int]) -> bool:
    return vanishes(expr.subs(dict(when), simultaneous=True))


def _objectionable(composed: Reduction, first: Mapping[str, Term], last: Mapping[str, Term]) -> bool:
    try:
        return bool(composed.check(first, last))
    except BoundkitError:
        return True


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
