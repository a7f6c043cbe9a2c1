"""Which theorem becomes which, and under which condition: a graph whose edges sympy has checked."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from sympy import Expr, simplify, sympify

from boundkit.algebra import BoundkitError, Quantity, Reduction, Term, Theorem
from boundkit.algebra.errors import unknown
from boundkit.algebra.printing import plain
from boundkit.algebra.zero_test import vanishes


@dataclass(frozen=True)
class Edge:
    """``origin`` becomes ``reduction.to``, or is said not to. ``objection`` is what the check found wrong.

    An edge is confirmed where it holds and nothing is left over, or where it is said not to hold and
    something is.
    """

    origin: str
    reduction: Reduction
    objection: str = ""

    @property
    def to(self) -> str:
        """The theorem at the far end."""
        return self.reduction.to

    @property
    def holds(self) -> bool:
        """Whether the theorem says that it holds."""
        return self.reduction.holds

    @property
    def confirmed(self) -> bool:
        """Whether the check agrees with the theorem."""
        return not self.objection

    @property
    def factors(self) -> dict[str, Expr]:
        """The constants left over, by term; those that are 1 are left out."""
        given = {label: sympify(factor) for label, factor in self.reduction.factors.items()}
        return {label: factor for label, factor in given.items() if factor != 1}


@dataclass(frozen=True)
class Graph:
    """Theorems, in layers from the special to the general, and the edges between them."""

    nodes: tuple[str, ...]
    edges: tuple[Edge, ...]

    def around(self, name: str) -> Graph:
        """All that one theorem becomes, over any number of steps, and what becomes it in one.

        Raises BoundkitError where the theorem takes part in no reduction.
        """
        if name not in self.nodes:
            raise BoundkitError(
                f"{name} takes part in no reduction: it becomes no theorem, and none becomes it."
            )
        below = _reached(name, {(e.origin, e.to) for e in self.edges})
        edges = tuple(e for e in self.edges if e.to == name or e.origin in below)
        ends = {n for e in edges for n in (e.origin, e.to)}
        return Graph(tuple(n for n in self.nodes if n in ends), edges)

    def families(self) -> tuple[Graph, ...]:
        """The parts that no edge joins, the largest first."""
        left, found = list(self.nodes), []
        joined = {(e.origin, e.to) for e in self.edges} | {(e.to, e.origin) for e in self.edges}
        while left:
            members = _reached(left[0], joined)
            left = [n for n in left if n not in members]
            edges = tuple(e for e in self.edges if e.origin in members)
            found.append(Graph(tuple(n for n in self.nodes if n in members), edges))
        return tuple(sorted(found, key=lambda family: (-len(family.nodes), family.nodes)))

    def layers(self) -> dict[str, int]:
        """How many reductions each theorem is above its most special end, the longest way; 0 at an end.

        What must not hold counts only where nothing that holds leads on. Two theorems that become each
        other are the same one, and the second way is not counted.
        """
        below: dict[str, list[str]] = {n: [] for n in self.nodes}
        for edge in sorted(self.edges, key=lambda e: not e.holds):
            if edge.holds or not below[edge.origin]:
                below[edge.origin].append(edge.to)
        height: dict[str, int] = {}

        def of(name: str, path: tuple[str, ...]) -> int:
            if name not in height:
                ahead = [n for n in below[name] if n not in (*path, name)]
                height[name] = max((1 + of(n, (*path, name)) for n in ahead), default=0)
            return height[name]

        return {name: of(name, ()) for name in self.nodes}


def reduction_graph(known: Mapping[str, Theorem], only: str | None = None, *, checked: bool = True) -> Graph:
    """The graph of all reductions that the theorems state; ``only`` keeps what is joined to one of them.

    Theorems that take part in none are left out. Raises BoundkitError for a reduction to a theorem that
    is not there, for an unknown ``only``, and for one that takes part in none.

    >>> from boundkit.theorems import theorem
    >>> known = {name: theorem(name) for name in ("fedavg_nonconvex", "sgd_nonconvex")}
    >>> all(edge.confirmed for edge in reduction_graph(known).edges)
    True
    """
    if only is not None and only not in known:
        raise unknown("theorem", only, known)
    stated = [(t, r) for t in known.values() for r in t.reductions]
    for theorem, reduction in stated:
        if reduction.to not in known:
            raise BoundkitError(
                f"{theorem.name} is said to become another: {unknown('theorem', reduction.to, known)}"
            )
    part = {t.name for t, _ in stated} | {r.to for _, r in stated}
    graph = Graph(tuple(n for n in known if n in part), tuple(Edge(t.name, r) for t, r in stated))
    graph = graph if only is None else graph.around(only)
    if not checked:
        return graph
    return Graph(graph.nodes, tuple(Edge(e.origin, e.reduction, _objection(e, known)) for e in graph.edges))


def _objection(edge: Edge, known: Mapping[str, Theorem]) -> str:
    ours, theirs = known[edge.origin], known[edge.to]
    try:
        over = edge.reduction.check(ours.bound.terms, theirs.bound.terms)
    except BoundkitError as error:
        return str(error)
    if edge.holds:
        return f"left over: {over}" if over else ""
    return "" if over else "nothing is left over, though it is said not to hold"


def _reached(start: str, steps: set[tuple[str, str]]) -> set[str]:
    """Everything that is reached from one node along the steps, itself included."""
    found, fresh = {start}, {start}
    while fresh:
        fresh = {b for a, b in steps if a in fresh} - found
        found |= fresh
    return found


def condition(when: Mapping[Quantity, Expr | int]) -> str:
    """The condition of a reduction in words of the house: C = 1, eta_s = 1.

    >>> from boundkit.algebra.notation import C, eta_s
    >>> condition({C: 1, eta_s: 1})
    'C = 1, eta_s = 1'
    """
    return ", ".join(f"{q} = {plain(sympify(value))}" for q, value in when.items()) or "all values"


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
