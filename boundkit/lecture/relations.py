"""The neighbourhoods of theorems under reduction, and of assumptions under implication, for one page."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from boundkit.algebra import Reduction, Theorem
from boundkit.algebra.printing import Formula
from boundkit.analysis.lattice import LATTICE
from boundkit.report import Cell, join_cells, sentence
from boundkit.report.formatting import join_names


@dataclass(frozen=True)
class Neighbour:
    """A neighbour, and the condition or reason that leads there; ``holds`` false: it does not lead there."""

    name: str
    because: Cell
    holds: bool = True


@dataclass
class Neighbourhood:
    """A theorem or an assumption with what implies it, and what it implies."""

    name: str
    title: str
    kind: str
    stronger: list[Neighbour] = field(default_factory=list)
    weaker: list[Neighbour] = field(default_factory=list)


def neighbourhoods(theorems: Mapping[str, Theorem]) -> dict[str, Neighbourhood]:
    """Return the neighbourhood of every theorem with a reduction, and of every assumption in a relation.

    Reductions to other theorems than the given ones are left out.

    >>> from boundkit.theorems import theorem
    >>> known = {name: theorem(name) for name in ("fedavg_nonconvex", "sgd_nonconvex")}
    >>> [near.name for near in neighbourhoods(known)["sgd_nonconvex"].stronger]
    ['fedavg_nonconvex', 'fedavg_nonconvex', 'fedavg_nonconvex']
    """
    nodes = {t.name: Neighbourhood(t.name, t.title or t.name, "theorem") for t in theorems.values()}
    for theorem in theorems.values():
        for reduction in theorem.reductions:
            if reduction.to not in nodes:
                continue
            _link(nodes, theorem.name, reduction.to, _condition(reduction), reduction.holds)
    nodes |= {a.name: Neighbourhood(a.name, a.meaning, "assumption") for a in LATTICE.assumptions.values()}
    for subject in LATTICE.subjects.values():
        for rule in subject.implications:
            names = [a.name for a in rule.premises]
            for name in names:
                others = [other for other in names if other != name]
                together = f"with {join_names(others)}: " if others else ""
                _link(nodes, name, rule.conclusion.name, f"{together}{rule.proof}", True)
        for failing in subject.refutations:
            if len(failing.given) == 1:
                because = f"counterexample: {failing.example}"
                _link(nodes, failing.given[0].name, failing.fails.name, because, False)
    return {name: one for name, one in nodes.items() if one.stronger or one.weaker}


def _condition(reduction: Reduction) -> Cell:
    """Where a reduction holds, or is stated as failing and why, and the terms that are left over."""
    at = join_cells([Formula(value, q.name) for q, value in reduction.when.items()])
    left = f"; left over: {join_names(reduction.leaves)}" if reduction.leaves else ""
    why = "" if reduction.holds else f": {reduction.because}"
    return sentence("at ", at, left, why) if reduction.when else f"the same terms, with other constants{left}"


def _link(nodes: Mapping[str, Neighbourhood], stronger: str, weaker: str, because: Cell, holds: bool) -> None:
    nodes[stronger].weaker.append(Neighbour(weaker, because, holds))
    nodes[weaker].stronger.append(Neighbour(stronger, because, holds))
