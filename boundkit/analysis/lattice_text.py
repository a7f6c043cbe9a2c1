"""The lattice written out: all of it, one assumption, or two against each other."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from boundkit.algebra import Theorem
from boundkit.algebra.assumption import Assumption
from boundkit.algebra.printing import plain
from boundkit.algebra.quantity import Quantity
from boundkit.analysis.assumptions import NATURES, Conflict, Implication, Refutation
from boundkit.analysis.lattice import LATTICE, Derivation, Lattice
from boundkit.report.formatting import join_names
from boundkit.report.text import align_columns, wrap

_STAYS = "\N{NBSP}"
"""A space at which no line is broken."""


def overview(lattice: Lattice = LATTICE) -> dict[str, Any]:
    """All assumptions and all relations, clean for JSON."""
    return {
        "assumptions": [_entry(a, lattice) for a in lattice.assumptions.values()],
        "implications": [_implication(r) for r in lattice.implications],
        "refutations": [_refutation(r) for r in lattice.refutations],
        "conflicts": [_conflict(c) for c in lattice.conflicts],
    }


def overview_text(lattice: Lattice = LATTICE) -> str:
    """The same for a terminal, subject by subject."""
    sections = []
    for subject in lattice.subjects.values():
        rows = [
            [a.name, subject.nature(a), ", ".join(b.name for b in lattice.weaker_than(a))]
            for a in subject.assumptions
        ]
        sections.append(align_columns([subject.name, "is", "implies"], rows, left=3))
    sections += [
        _section("Only with more", [_implied(r) for r in lattice.implications if len(r.premises) > 1]),
        _section("Does not follow", [_refuted(r) for r in lattice.refutations]),
        _section("Cannot hold together on all of space", [_conflicting(c) for c in lattice.conflicts]),
        _section("Natures", [f"{name}: {meaning}" for name, meaning in NATURES.items()]),
    ]
    return "\n\n".join(sections)


def page(
    assumption: Assumption, theorems: Iterable[Theorem] = (), lattice: Lattice = LATTICE
) -> dict[str, Any]:
    """One assumption: what follows, what it follows from, what does not, and who supposes it."""
    follows, rests = _follows(assumption, lattice), _rests_on(assumption, lattice)
    return _entry(assumption, lattice) | {
        "follows": [_derivation(d) for d in follows],
        "rests_on": [_derivation(d) for d in rests],
        "with_more": [_implication(r) for r in _with_more(assumption, lattice)],
        "refutations": [_refutation(r) for r in _refutations(assumption, lattice)],
        "conflicts": [_conflict(c) for c in lattice.conflicts if assumption in c.assumptions],
        "theorems": [t.name for t in theorems if assumption in t.assumptions],
    }


def page_text(assumption: Assumption, theorems: Iterable[Theorem] = (), lattice: Lattice = LATTICE) -> str:
    """The same for a terminal."""
    subject, nature = lattice.subject(assumption), lattice.nature(assumption)
    place = [f"{nature}{'' if subject is None else f', on {subject.name}'}: {NATURES[nature]}"]
    users = [t.name for t in theorems if assumption in t.assumptions]
    sections = [
        _section(assumption.name, [assumption.meaning]),
        _section("Is a", place),
        _section("Implies", [_proved(d) for d in _follows(assumption, lattice)]),
        _section("Follows from", [_proved(d, source=True) for d in _rests_on(assumption, lattice)]),
        _section("Only with more", [_implied(r) for r in _with_more(assumption, lattice)]),
        _section("Does not follow", [_refuted(r) for r in _refutations(assumption, lattice)]),
        _section(
            "Cannot hold together on all of space",
            [_conflicting(c) for c in lattice.conflicts if assumption in c.assumptions],
        ),
        _section("Supposed by", [", ".join(users)] if users else []),
    ]
    return "\n\n".join(s for s in sections if s)


def _follows(assumption: Assumption, lattice: Lattice) -> list[Derivation]:
    return [d for a, d in lattice.closure((assumption,)).items() if a != assumption]


def _rests_on(assumption: Assumption, lattice: Lattice) -> list[Derivation]:
    derivations = [lattice.implies(a, assumption) for a in lattice.stronger_than(assumption)]
    return [d for d in derivations if d is not None]


def _with_more(assumption: Assumption, lattice: Lattice) -> list[Implication]:
    named = (r for r in lattice.implications if len(r.premises) > 1)
    return [r for r in named if assumption in (*r.premises, r.conclusion)]


def _refutations(assumption: Assumption, lattice: Lattice) -> list[Refutation]:
    return [r for r in lattice.refutations if assumption in (*r.given, r.fails)]


def _entry(assumption: Assumption, lattice: Lattice) -> dict[str, Any]:
    subject = lattice.subject(assumption)
    return {
        "name": assumption.name,
        "meaning": assumption.meaning,
        "latex": assumption.latex,
        "subject": None if subject is None else subject.name,
        "nature": lattice.nature(assumption),
        "implies": [a.name for a in lattice.weaker_than(assumption)],
        "implied_by": [a.name for a in lattice.stronger_than(assumption)],
    }


def _implication(rule: Implication) -> dict[str, Any]:
    return {
        "premises": [a.name for a in rule.premises],
        "conclusion": rule.conclusion.name,
        "parameters": {str(q): plain(v) for q, v in rule.parameters.items()},
        "proof": rule.proof,
    }


def _refutation(refutation: Refutation) -> dict[str, Any]:
    return {
        "given": [a.name for a in refutation.given],
        "fails": refutation.fails.name,
        "example": refutation.example,
        "because": refutation.because,
        "clients": [plain(f) for f in refutation.clients],
        "constants": {str(q): plain(v) for q, v in refutation.constants.items()},
        "still": refutation.still or None,
    }


def _conflict(conflict: Conflict) -> dict[str, Any]:
    return {
        "assumptions": [a.name for a in conflict.assumptions],
        "proof": conflict.proof,
        "still": conflict.still or None,
    }


def _derivation(derivation: Derivation) -> dict[str, Any]:
    return {
        "from": [a.name for a in derivation.given],
        "to": derivation.assumption.name,
        "parameters": {str(q): plain(v) for q, v in derivation.parameters.items()},
        "proofs": [r.proof for r in derivation.steps],
    }


def _values(parameters: Mapping[Quantity, Any]) -> str:
    shown = [f"{q} = {plain(v)}" if v != q else f"the same {q}" for q, v in parameters.items()]
    return f", {', '.join(s.replace(' ', _STAYS) for s in shown)}" if shown else ""


def _proved(derivation: Derivation, source: bool = False) -> str:
    name = join_names([a.name for a in derivation.given]) if source else derivation.assumption.name
    way = "; ".join(r.proof for r in derivation.steps)
    return f"{name}{_values(derivation.parameters)}: {way}"


def _implied(rule: Implication) -> str:
    premises = join_names([a.name for a in rule.premises])
    return f"{premises} imply {rule.conclusion.name}{_values(rule.parameters)}: {rule.proof}"


def _refuted(refutation: Refutation) -> str:
    given = join_names([a.name for a in refutation.given])
    verb = "does" if len(refutation.given) == 1 else "do"
    still = f"; {refutation.still}" if refutation.still else ""
    return (
        f"{given} {verb} not imply {refutation.fails.name}. {refutation.example}: {refutation.because}{still}"
    )


def _conflicting(conflict: Conflict) -> str:
    still = f"; {conflict.still}" if conflict.still else ""
    return f"{join_names([a.name for a in conflict.assumptions])}: {conflict.proof}{still}"


def _section(title: str, items: list[str]) -> str:
    return "\n".join([title, *(wrap(item, "  ") for item in items)]).replace(_STAYS, " ") if items else ""
