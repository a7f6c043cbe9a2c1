"""Graph of the reductions between theorems, checked symbolically; its chains, and derived reductions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache

from sympy import Expr, Integer, S, simplify, sympify

from boundkit.algebra import BoundkitError, Quantity, Reduction, Term, Theorem
from boundkit.algebra.errors import unknown
from boundkit.algebra.printing import plain
from boundkit.algebra.reduction import check_values, vanishes


@dataclass(frozen=True)
class Edge:
    """The reduction of ``origin`` to ``reduction.to``, stated as holding or as failing.

    ``objection`` is the error that the check found; without one the edge is confirmed.
    """

    origin: str
    reduction: Reduction
    objection: str = ""

    @property
    def to(self) -> str:
        """The theorem that results."""
        return self.reduction.to

    @property
    def holds(self) -> bool:
        """Whether the reduction is stated as holding."""
        return self.reduction.holds

    @property
    def confirmed(self) -> bool:
        """Whether the check agrees with the statement."""
        return not self.objection

    @property
    def factors(self) -> dict[str, Expr]:
        """The factors by term that are not 1."""
        factors = {label: sympify(factor) for label, factor in self.reduction.factors.items()}
        return {label: factor for label, factor in factors.items() if factor != 1}


@dataclass(frozen=True)
class ReductionGraph:
    """Theorems, in layers from the special to the general, and the edges between them."""

    nodes: tuple[str, ...]
    edges: tuple[Edge, ...]

    def around(self, name: str) -> ReductionGraph:
        """The theorems that one theorem becomes, in any number of steps, and those that become it in one.

        Raises BoundkitError for a theorem without a reduction.
        """
        if name not in self.nodes:
            raise BoundkitError(f"{name} has no reduction: it becomes no theorem, and none becomes it.")
        below = _reachable(name, {(e.origin, e.to) for e in self.edges})
        edges = tuple(e for e in self.edges if e.to == name or e.origin in below)
        ends = {n for e in edges for n in (e.origin, e.to)}
        return ReductionGraph(tuple(n for n in self.nodes if n in ends), edges)

    def families(self) -> tuple[ReductionGraph, ...]:
        """The connected components, the largest first."""
        remaining, families = list(self.nodes), []
        joined = {(e.origin, e.to) for e in self.edges} | {(e.to, e.origin) for e in self.edges}
        while remaining:
            members = _reachable(remaining[0], joined)
            remaining = [n for n in remaining if n not in members]
            edges = tuple(e for e in self.edges if e.origin in members)
            families.append(ReductionGraph(tuple(n for n in self.nodes if n in members), edges))
        return tuple(sorted(families, key=lambda family: (-len(family.nodes), family.nodes)))

    def layers(self) -> dict[str, int]:
        """Length of the longest path from each theorem to a most special one; 0 for those.

        A failing reduction counts only where no holding one continues. Of two theorems that become each
        other only one direction counts.
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


def reduction_graph(
    known: Mapping[str, Theorem], only: str | None = None, *, checked: bool = True
) -> ReductionGraph:
    """The graph of all reductions that the theorems state, or of those around ``only`` one of them.

    Theorems without a reduction are left out. Raises BoundkitError for a reduction to an unknown theorem,
    for an unknown ``only``, and for one without a reduction.

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
                f"{theorem.name} states a reduction to an {unknown('theorem', reduction.to, known)}"
            )
    part = {t.name for t, _ in stated} | {r.to for _, r in stated}
    graph = ReductionGraph(tuple(n for n in known if n in part), tuple(Edge(t.name, r) for t, r in stated))
    graph = graph if only is None else graph.around(only)
    if not checked:
        return graph
    checked_edges = (
        Edge(e.origin, e.reduction, _objection(e.reduction, known[e.origin].terms, known[e.to].terms))
        for e in graph.edges
    )
    return ReductionGraph(graph.nodes, tuple(checked_edges))


@lru_cache(maxsize=1000)  # all of the catalogue: the graph around each theorem asks for some of them again
def _objection(reduction: Reduction, ours: tuple[Term, ...], theirs: tuple[Term, ...]) -> str:
    try:
        remainder = reduction.check(*({term.label: term for term in terms} for terms in (ours, theirs)))
    except BoundkitError as error:
        return str(error)
    if reduction.holds:
        return f"left over: {remainder}" if remainder else ""
    return "" if remainder else "nothing is left over, but it is stated as failing"


def _reachable(start: str, steps: set[tuple[str, str]]) -> set[str]:
    """The nodes that are reachable from one node, including itself."""
    reachable, added = {start}, {start}
    while added:
        added = {b for a, b in steps if a in added} - reachable
        reachable |= added
    return reachable


def condition(when: Mapping[Quantity, Expr | int]) -> str:
    """The condition of a reduction as text: C = 1, eta_s = 1.

    >>> from boundkit.algebra.notation import C, eta_s
    >>> condition({C: 1, eta_s: 1})
    'C = 1, eta_s = 1'
    """
    return ", ".join(f"{q} = {plain(sympify(value))}" for q, value in when.items()) or "all values"


LONGEST = 6
"""Largest number of steps of a chain."""


@dataclass(frozen=True)
class Chain:
    """A path over several theorems, and the composed reduction.

    ``agrees``: whether a direct reduction under the same condition states the same constants; None
    without such a reduction.
    """

    nodes: tuple[str, ...]
    reduction: Reduction
    agrees: bool | None = None

    @property
    def factors(self) -> dict[str, Expr]:
        """The composed factors that are not 1."""
        return {label: sympify(f) for label, f in self.reduction.factors.items() if f != 1}


def chains(
    graph: ReductionGraph, known: Mapping[str, Theorem], through: str | None = None
) -> tuple[Chain, ...]:
    """All chains of at least two holding reductions whose conditions are compatible.

    ``through`` restricts them to those that contain one theorem. Factors are products of those of the
    steps; the composed reduction is checked symbolically, and chains that fail are left out: a
    step may need a term that an earlier one removed.

    >>> from boundkit.theorems import catalogue
    >>> from boundkit.analysis.reductions.graph import reduction_graph
    >>> five = ("fedavg_nonconvex_partial", "fedavg_nonconvex", "sgd_nonconvex")
    >>> known = {name: catalogue()[name] for name in five}
    >>> [c.nodes for c in chains(reduction_graph(known), known)]
    [('fedavg_nonconvex_partial', 'fedavg_nonconvex', 'sgd_nonconvex')]
    """
    holding = [e for e in graph.edges if e.holds and e.confirmed]
    distinct: dict[tuple[object, ...], Chain] = {}
    for origin in graph.nodes:
        for path in _paths(origin, holding):
            nodes = (origin, *(e.to for e in path))
            if through not in (None, *nodes):
                continue
            reduction = _composed(path, known)
            if reduction is not None:
                key = (nodes, frozenset((q, sympify(v)) for q, v in reduction.when.items()))
                distinct.setdefault(key, Chain(nodes, reduction, _agrees(reduction, origin, holding)))
    return tuple(distinct.values())


def _paths(origin: str, edges: list[Edge], before: tuple[Edge, ...] = ()) -> Iterator[tuple[Edge, ...]]:
    if len(before) >= 2:
        yield before
    if len(before) == LONGEST:
        return
    visited = {before[0].origin, *(e.to for e in before)} if before else {origin}
    for edge in edges:
        if edge.origin == origin and edge.to not in visited:
            yield from _paths(edge.to, edges, (*before, edge))


def _composed(path: tuple[Edge, ...], known: Mapping[str, Theorem]) -> Reduction | None:
    """The composed reduction; None where the conditions are incompatible or the check fails."""
    when: dict[Quantity, Expr | int] = {}
    factors: dict[str, Expr] = {}
    for edge in path:
        new = edge.reduction.when
        if any(q in when and sympify(when[q]) != sympify(value) for q, value in new.items()):
            return None
        when = {q: sympify(v).subs(dict(new)) for q, v in when.items()} | dict(new)
        for label, factor in edge.reduction.factors.items():
            factors[label] = factors.get(label, sympify(1)) * sympify(factor)
    first, last = known[path[0].origin].bound.terms, known[path[-1].to].bound.terms
    composed = Reduction(
        to=path[-1].to,
        when=when,
        factors={
            label: simplify(factor.subs(when, simultaneous=True))
            for label, factor in factors.items()
            if label in first and label in last and not _vanishes_at(last[label].expr, when)
        },
        leaves=tuple(
            n
            for n in first
            if not _vanishes_at(first[n].expr, when) and (n not in last or _vanishes_at(last[n].expr, when))
        ),
    )
    return composed if not _fails(composed, first, last) else None


def _vanishes_at(expr: Expr, when: Mapping[Quantity, Expr | int]) -> bool:
    return vanishes(expr.subs(dict(when), simultaneous=True))


def _fails(composed: Reduction, first: Mapping[str, Term], last: Mapping[str, Term]) -> bool:
    try:
        return bool(composed.check(first, last))
    except BoundkitError:
        return True


def _agrees(chain: Reduction, origin: str, edges: list[Edge]) -> bool | None:
    """Whether a direct edge under the same condition states the same factors."""
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


def suggest(ours: Theorem, theirs: Theorem, when: Mapping[Quantity, Expr | int]) -> Reduction:
    """The reduction of ours to theirs under ``when``: factors by label, and the terms that remain.

    Factors are ratios of terms with the same label; those that are 1 are left out. Raises BoundkitError
    where theirs has a term that ours lacks under ``when``, and DimensionError for a value of another
    dimension than its quantity.

    >>> from boundkit.algebra.notation import tau
    >>> from boundkit.theorems import theorem
    >>> suggest(theorem("fedavg_nonconvex"), theorem("sgd_nonconvex"), {tau: 1}).factors
    {'initial gap': 2, 'stochastic noise': 4}
    """
    check_values(when)
    factors: dict[str, Expr | int] = {}
    leaves: list[str] = []
    for label in dict.fromkeys([*ours.bound.terms, *theirs.bound.terms]):
        mine, other = _term_under(ours, label, when), _term_under(theirs, label, when)
        if mine == 0 and other == 0:
            continue
        if mine == 0:
            raise BoundkitError(
                f"{ours.name} does not become {theirs.name} at {condition(when)}: it has no {label!r}, "
                f"and {theirs.name} has {plain(other)}."
            )
        if other == 0:
            leaves.append(label)
            continue
        ratio = simplify(mine / other)
        if ratio != 1:
            factors[label] = ratio
    reduction = Reduction(to=theirs.name, when=dict(when), factors=factors, leaves=tuple(leaves))
    remainder = reduction.check(ours.bound.terms, theirs.bound.terms)
    if remainder:  # simplify may fail on the ratio or on the difference
        raise BoundkitError(f"no factors were found by which {ours.name} becomes {theirs.name}: {remainder}.")
    return reduction


def as_code(reduction: Reduction) -> str:
    """A reduction as code for a theorem file, with ``boundkit.algebra.authoring``.

    >>> from boundkit.algebra.notation import tau
    >>> print(as_code(Reduction(to="sgd_nonconvex", when={tau: 1}, factors={"initial gap": 2})))
    to("sgd_nonconvex", {tau: 1}, factors={"initial gap": 2})
    """
    when = ", ".join(f"{quantity}: {_code_of(value)}" for quantity, value in reduction.when.items())
    parts = [f'"{reduction.to}"', *([f"{{{when}}}"] if when else [])]
    if reduction.factors:
        each = ", ".join(f'"{label}": {_code_of(factor)}' for label, factor in reduction.factors.items())
        parts.append(f"factors={{{each}}}")
    if reduction.leaves:
        parts.append(f"leaves=({', '.join(f'{label!r}' for label in reduction.leaves)},)".replace("'", '"'))
    return f"to({', '.join(parts)})"


def _term_under(theorem: Theorem, label: str, when: Mapping[Quantity, Expr | int]) -> Expr:
    if label not in theorem.bound.terms:
        return S.Zero
    return simplify(theorem.bound.terms[label].expr.subs(dict(when), simultaneous=True))


def _code_of(value: Expr | int) -> str:
    """The value as code, with fractions as Rational(4, 3)."""
    expr = sympify(value)
    return f"Rational({expr.p}, {expr.q})" if expr.is_Rational and not expr.is_Integer else str(expr)


_TRIED = (Integer(1), Integer(2), Integer(7), Integer(1000))


def sharper_theorems(theorem: Theorem, catalogue: Iterable[Theorem]) -> list[str]:
    """Return the names of theorems with the same claim and algorithm and no larger term.

    They are recognised by a stated reduction to this theorem without conditions, with factors of at most 1.
    """
    return [
        other.name
        for other in catalogue
        if other.name != theorem.name
        and (other.claim, other.algorithm, other.kind) == (theorem.claim, theorem.algorithm, theorem.kind)
        and any(
            r.to == theorem.name and r.holds and not r.when and not r.leaves and _smaller(r.factors)
            for r in other.reductions
        )
    ]


def _smaller(factors: Mapping[str, Expr | int]) -> bool:
    """Check whether no factor exceeds 1 and one is below 1, at some values of its quantity."""
    given = [sympify(factor) for factor in factors.values()]
    if any(len(factor.free_symbols) > 1 for factor in given):
        return False
    values = [value for factor in given for value in _values(factor)]
    return bool(values) and all(v <= 1 for v in values) and any(v < 1 for v in values)


def _values(factor: Expr) -> list[Expr]:
    return [factor.subs(dict.fromkeys(factor.free_symbols, value)) for value in _TRIED]
