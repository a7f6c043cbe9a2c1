"""The lattice of assumptions, and its text: all of it, one assumption, or two against each other.

An assumption in no relation implies itself only.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from sympy import Expr, sympify

from boundkit.algebra import Theorem
from boundkit.algebra.claim import Assumption
from boundkit.algebra.errors import unknown
from boundkit.algebra.printing import plain
from boundkit.algebra.quantity import Quantity
from boundkit.analysis.assumptions import (
    NATURES,
    SUBJECTS,
    Conflict,
    Implication,
    Nature,
    Refutation,
    Subject,
)
from boundkit.report.formatting import join_names
from boundkit.report.text import align_columns, wrap


@dataclass(frozen=True)
class Derivation:
    """Why an assumption holds: it was given, or ``rule`` gives it from the derivations of its premises.

    ``parameters`` are its quantities in those of what was given.
    """

    assumption: Assumption
    rule: Implication | None = None
    premises: tuple[Derivation, ...] = ()

    @cached_property
    def parameters(self) -> Mapping[Quantity, Expr]:
        """Quantity by quantity; empty where they stay what they were."""
        if self.rule is None:
            return {}
        known: dict[Quantity, Expr] = {}
        for premise in reversed(self.premises):
            known |= premise.parameters
        return {q: sympify(v).subs(known, simultaneous=True) for q, v in self.rule.parameters.items()}

    @property
    def given(self) -> tuple[Assumption, ...]:
        """The given assumptions of the derivation."""
        if self.rule is None:
            return (self.assumption,)
        return tuple(dict.fromkeys(a for premise in self.premises for a in premise.given))

    @property
    def steps(self) -> tuple[Implication, ...]:
        """The implications used, in order, each once."""
        if self.rule is None:
            return ()
        return tuple(dict.fromkeys([r for premise in self.premises for r in premise.steps] + [self.rule]))

    def __str__(self) -> str:
        if self.rule is None:
            return self.assumption.name
        values = ", ".join(f"{q} = {plain(v)}" for q, v in self.parameters.items() if v != q)
        at = f" at {values}" if values else ""
        return f"{self.assumption.name}{at}, from {join_names([a.name for a in self.given])}"


@dataclass(frozen=True)
class Lattice:
    """Assumptions, ordered by implication.

    ``subjects`` holds what is known. The order is on single assumptions and on sets of them.
    """

    subjects: Mapping[str, Subject] = field(hash=False)

    @cached_property
    def assumptions(self) -> dict[str, Assumption]:
        """Every assumption that a subject or a relation names, by its name."""
        result = [a for s in self.subjects.values() for a in s.assumptions]
        for rule in self.implications:
            result += [*rule.premises, rule.conclusion]
        return {a.name: a for a in result}

    @cached_property
    def implications(self) -> tuple[Implication, ...]:
        """All implications that are written down."""
        return tuple(r for s in self.subjects.values() for r in s.implications)

    @cached_property
    def refutations(self) -> tuple[Refutation, ...]:
        """All counterexamples that are written down."""
        return tuple(r for s in self.subjects.values() for r in s.refutations)

    @cached_property
    def conflicts(self) -> tuple[Conflict, ...]:
        """All contradictory sets of assumptions."""
        return tuple(r for s in self.subjects.values() for r in s.conflicts)

    @cached_property
    def choices(self) -> tuple[Assumption, ...]:
        """All assumptions about how the algorithm is run."""
        return tuple(a for s in self.subjects.values() for a in s.choices)

    def named(self, name: str) -> Assumption:
        """The assumption of that name.

        Raises BoundkitError for an unknown name, with near ones.
        """
        if name not in self.assumptions:
            raise unknown("assumption", name, self.assumptions)
        return self.assumptions[name]

    def subject(self, assumption: Assumption) -> Subject | None:
        """The subject that places the assumption; None for one that is placed nowhere."""
        return next((s for s in self.subjects.values() if assumption in s.assumptions), None)

    def nature(self, assumption: Assumption) -> Nature:
        """Whether it is about the world or a choice; what is placed nowhere is about the world."""
        subject = self.subject(assumption)
        return "supposition" if subject is None else subject.nature(assumption)

    def closure(self, have: Iterable[Assumption]) -> dict[Assumption, Derivation]:
        """All that follows, each with its shortest derivation."""
        known = {a: Derivation(a) for a in have}
        while fresh := {r.conclusion: r for r in reversed(self._applicable(known))}:
            known |= {
                conclusion: Derivation(conclusion, rule, tuple(known[p] for p in rule.premises))
                for conclusion, rule in fresh.items()
            }
        return known

    def _applicable(self, known: Mapping[Assumption, Derivation]) -> list[Implication]:
        return [
            r for r in self.implications if r.conclusion not in known and all(p in known for p in r.premises)
        ]

    def implies(self, have: Assumption | Iterable[Assumption], wanted: Assumption) -> Derivation | None:
        """Why ``wanted`` follows; None where no implication gives it.

        >>> from boundkit.algebra.vocabulary import CLIENTWISE_DISSIMILARITY, BETA_KAPPA_DISSIMILARITY
        >>> str(LATTICE.implies(CLIENTWISE_DISSIMILARITY, BETA_KAPPA_DISSIMILARITY))
        'beta-kappa-dissimilarity at beta = 1, kappa = sigma_g, from clientwise-dissimilarity'
        """
        return self.closure((have,) if isinstance(have, Assumption) else have).get(wanted)

    def weaker_than(self, assumption: Assumption) -> tuple[Assumption, ...]:
        """What it implies all by itself, itself left out."""
        if assumption in self._weaker:
            return self._weaker[assumption]
        return tuple(a for a in self.closure((assumption,)) if a != assumption)

    @cached_property
    def _weaker(self) -> dict[Assumption, tuple[Assumption, ...]]:
        every = self.assumptions.values()
        return {a: tuple(b for b in self.closure((a,)) if b != a) for a in every}

    def stronger_than(self, assumption: Assumption) -> tuple[Assumption, ...]:
        """What implies it all by itself, itself left out."""
        return tuple(a for a in self.assumptions.values() if assumption in self.weaker_than(a))

    def counterexample(self, have: Iterable[Assumption], wanted: Assumption) -> Refutation | None:
        """A counterexample to ``wanted`` where all of ``have`` holds; None where none is known.

        One example refutes much: where D3 holds and D2 does not, D1, which implies D2, does not either.
        And an example made of losses says the same however the algorithm is run.
        """
        premises, weaker = set(have), self.closure((wanted,))
        for refutation in self.refutations:
            if refutation.fails in weaker and premises <= set(self.closure(self.background(refutation))):
                return refutation
        return None

    def background(self, refutation: Refutation) -> tuple[Assumption, ...]:
        """What holds in its example: what it says, and every choice where the example is made of losses."""
        return (*refutation.given, *(self.choices if refutation.clients else ()))

    def contradictions(self, have: Iterable[Assumption]) -> tuple[Conflict, ...]:
        """Sets that cannot hold together on all of space; of two equivalent ones, the first."""
        known = set(self.closure(have))
        active = [c for c in self.conflicts if set(c.assumptions) <= known]
        return tuple(_first(active, self))


def _first(conflicts: Iterable[Conflict], lattice: Lattice) -> Iterator[Conflict]:
    covered: set[Assumption] = set()
    for conflict in conflicts:
        if not set(conflict.assumptions) <= covered:
            covered |= set(lattice.closure(conflict.assumptions))
            yield conflict


LATTICE = Lattice(SUBJECTS)
"""The lattice of all subjects."""


def relation(one: Assumption, other: Assumption, lattice: Lattice = LATTICE) -> dict[str, Any]:
    """Relation of one assumption to another, clean for JSON.

    ``answer`` is implies, does not imply, cannot hold together, or not known here.
    """
    if conflicts := lattice.contradictions((one, other)):
        return {"answer": "cannot hold together", "because": conflicts[0].proof}
    if result := lattice.implies(one, other):
        return {"answer": "implies", "because": "; ".join(r.proof for r in result.steps)}
    if example := lattice.counterexample((one,), other):
        return {"answer": "does not imply", "because": f"{example.example}: {example.because}"}
    return {"answer": "not known here", "because": ""}


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
    """One assumption: what follows, what it follows from, what does not, and the theorems that suppose it."""
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
