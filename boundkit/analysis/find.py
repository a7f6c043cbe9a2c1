"""Theorems that hold under given assumptions, and the assumptions that others need in addition.

Assumptions have three natures. Suppositions about the problem must follow from the given ones. Mild ones
are granted unless excluded by ``without``. Choices about the run need not be given: the answer names those
to make, as long as they do not contradict the given ones.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from boundkit.algebra import BoundkitError, Theorem
from boundkit.algebra.claim import Assumption
from boundkit.algebra.errors import unknown
from boundkit.algebra.notation import ALPHABET
from boundkit.algebra.term import PROVENANCES
from boundkit.algebra.vocabulary import ASSUMPTIONS, CLAIMS
from boundkit.analysis.lattice import LATTICE, Derivation, Lattice
from boundkit.report import Block, Listing, Report, Reported, Sentences
from boundkit.report.formatting import join_names

Status = Literal["holds", "one more", "more", "not"]

_NEAREST = 5
"""Most theorems that are listed as nearest where none holds and one more assumption is not enough."""
KINDS = ("upper", "tight", "order", "lower")


@dataclass(frozen=True)
class TheoremApplicability:
    """One theorem under the given assumptions.

    ``derived``: its assumptions that follow from the given ones. ``granted``: mild
    ones. ``choose``: choices still to be made. ``missing``: suppositions to add.
    ``barred``: why it cannot hold, one sentence each.
    """

    theorem: Theorem
    derived: tuple[Derivation, ...] = ()
    granted: tuple[Assumption, ...] = ()
    choose: tuple[Assumption, ...] = ()
    missing: tuple[Assumption, ...] = ()
    barred: tuple[str, ...] = ()

    @property
    def status(self) -> Status:
        """holds; one more, or more, suppositions needed; or not."""
        if self.barred:
            return "not"
        return "holds" if not self.missing else "one more" if len(self.missing) == 1 else "more"

    def to_dict(self) -> dict[str, Any]:
        """Clean for JSON."""
        return {
            "name": self.theorem.name,
            "algorithm": self.theorem.algorithm,
            "claim": self.theorem.claim.name,
            "kind": self.theorem.kind,
            "constants": self.theorem.constants,
            "status": self.status,
            "missing": [a.name for a in self.missing],
            "choose": [a.name for a in self.choose],
            "granted": [a.name for a in self.granted],
            "derived": [str(d) for d in self.derived],
            "barred": list(self.barred),
        }


@dataclass(frozen=True, repr=False)
class FindResult(Reported):
    """The answers, best first, with the query.

    ``conflicts`` names given assumptions that cannot hold together on all of space.
    """

    answers: tuple[TheoremApplicability, ...]
    have: tuple[str, ...] = ()
    without: tuple[str, ...] = ()
    conflicts: tuple[str, ...] = ()
    filters_used: Mapping[str, str] = field(default_factory=dict, hash=False)

    def of(self, status: Status) -> tuple[TheoremApplicability, ...]:
        """The answers of that status."""
        return tuple(a for a in self.answers if a.status == status)

    @property
    def holds(self) -> tuple[Theorem, ...]:
        """The theorems that hold, given the choices that the answers name."""
        return tuple(a.theorem for a in self.of("holds"))

    @property
    def one_more(self) -> dict[str, tuple[Theorem, ...]]:
        """By the name of the one supposition that is missing, the theorems that would hold with it."""
        names = dict.fromkeys(a.missing[0].name for a in self.of("one more"))
        return {
            name: tuple(a.theorem for a in self.of("one more") if a.missing[0].name == name) for name in names
        }

    def to_dict(self) -> dict[str, Any]:
        """Clean for JSON."""
        return {
            "have": list(self.have),
            "without": list(self.without),
            "asked": dict(self.filters_used),
            "conflicts": list(self.conflicts),
            "theorems": [a.to_dict() for a in self.answers],
        }

    def report(self, verbose: bool = False) -> Report:
        """The theorems that hold, and the number of the others; with ``verbose``, what each of them lacks.

        Where none holds, those that would hold with one more assumption are listed as well, or the nearest.
        """
        groups = _groups(self)
        if not groups:
            return Report((Sentences(["No theorem is of this kind."]),))
        blocks: list[Block] = [Sentences(_before(self), wrapped=True)]
        counts = []
        none_holds = bool(self.have) and not self.of("holds")
        for status, title in groups.items():
            answers = self.of(status)
            if status == "more" and none_holds and not verbose and not self.of("one more"):
                least = len(answers[0].missing)  # they are sorted
                nearest = [each for each in answers if len(each.missing) == least]
                rows = [": ".join(filter(None, _row(each))) for each in nearest[:_NEAREST]]
                blocks.append(
                    Listing(f"Nearest, with {least} more assumptions ({len(rows)} of {len(nearest)})", rows)
                )
                answers = tuple(each for each in answers if each not in nearest[:_NEAREST])
            if verbose or status == "holds" or (status == "one more" and none_holds):
                rows = [": ".join(filter(None, _row(each))) for each in answers]
                blocks.append(Listing(f"{title} ({len(answers)})", rows))
            elif answers:
                counts.append(f"{title[0].lower()}{title[1:]}: {len(answers)}")
        others = any(isinstance(block, Listing) for block in blocks)
        return Report((*blocks, Sentences(_count_unlisted(counts, others), wrapped=True)))


def find(
    catalogue: Iterable[Theorem],
    *,
    have: str | Iterable[str] = (),
    without: str | Iterable[str] = (),
    algorithm: str | None = None,
    claim: str | None = None,
    constants: str | Iterable[str] | None = None,
    kind: str | None = None,
    quantity: str | None = None,
    lattice: Lattice = LATTICE,
) -> FindResult:
    """Sort theorems by whether they hold under the assumptions ``have``, without ``without``.

    Both are names, or one string of them with commas. Theorems are filtered by ``algorithm``,
    ``claim``, ``constants`` (how sure they are: one or several of the provenances), ``kind`` and
    ``quantity`` (a keyword that the bound depends on).

    Raises BoundkitError for an unknown name, with near ones, and where ``have`` implies something of
    ``without``.
    """
    theorems = list(catalogue)
    provenances = None if constants is None else _listed(constants)
    filters = {
        "algorithm": _match_name("algorithm", algorithm, {t.algorithm for t in theorems}),
        "claim": _match_name("claim", claim, {*CLAIMS, *(t.claim.name for t in theorems)}),
        "kind": _match_name("kind", kind, KINDS),
        "quantity": _match_name("quantity", quantity, ALPHABET),
    }
    for name in provenances or ():
        _match_name("kind of constants", name, PROVENANCES)
    selected = [t for t in theorems if _passes(t, filters, provenances)]
    known = lattice.assumptions | ASSUMPTIONS | {a.name: a for t in theorems for a in t.assumptions}
    _check_negations(have, known)
    given, denied = _named(have, known), _named(without, known)
    closure = lattice.closure(given)
    for denied_assumption in denied:
        if denied_assumption in closure:
            given_names = join_names([a.name for a in closure[denied_assumption].given])
            raise BoundkitError(
                f"{given_names} was given, which implies {denied_assumption.name}, "
                "so one cannot be without it."
            )
    assessment = _Assessment(lattice, given, denied, closure)
    order = {t.name: place for place, t in enumerate(theorems)}
    answers = sorted(
        (assessment.answer(t) for t in selected),
        key=lambda a: (_rank(a), a.theorem.order_level, order[a.theorem.name]),
    )
    filters_used = {key: value for key, value in filters.items() if value is not None}
    return FindResult(
        tuple(answers),
        have=tuple(a.name for a in given),
        without=tuple(a.name for a in denied),
        conflicts=tuple(
            f"{join_names([a.name for a in c.assumptions])} cannot hold together on all of space: {c.proof}"
            for c in lattice.contradictions(given)
        ),
        filters_used=filters_used | ({"constants": ", ".join(provenances)} if provenances else {}),
    )


@dataclass(frozen=True)
class _Assessment:
    lattice: Lattice
    given: tuple[Assumption, ...]
    denied: tuple[Assumption, ...]
    closure: Mapping[Assumption, Derivation]

    def answer(self, theorem: Theorem) -> TheoremApplicability:
        """Contradicted, missing, derived and granted assumptions of the theorem."""
        free = tuple(
            a for a in self._of("choice", theorem) if a not in self.closure and not self._contrary(a)
        )
        mild = self._of("granted", theorem)
        known = self.lattice.closure((*self.given, *free, *mild))
        barred, missing = [], []
        for wanted in theorem.assumptions:
            if reason := self._denial(wanted):
                barred.append(reason)
            elif wanted not in known and (others := self._contrary(wanted)):
                barred.append(f"it needs {wanted.name}, which {join_names([a.name for a in others])} is not")
            elif wanted not in known:
                missing.append(wanted)
        open_, taken = self._still_open(free), tuple(a for a in mild if a not in self.closure)
        follows = (known[a] for a in theorem.assumptions if a in known and a not in (*open_, *taken))
        return TheoremApplicability(
            theorem,
            derived=tuple(d for d in follows if d.rule is not None),
            granted=tuple(a for a in taken if not self._denial(a)),
            choose=tuple(a for a in open_ if not self._denial(a)),
            missing=tuple(missing),
            barred=tuple(barred),
        )

    def _of(self, nature: str, theorem: Theorem) -> tuple[Assumption, ...]:
        return tuple(a for a in theorem.assumptions if self.lattice.nature(a) == nature)

    def _still_open(self, choices: tuple[Assumption, ...]) -> tuple[Assumption, ...]:
        """The choices that none of the others settles."""
        settled = {b for a in choices for b in self.lattice.weaker_than(a)}
        return tuple(a for a in choices if a not in settled)

    def _denial(self, wanted: Assumption) -> str | None:
        """Reason, where an excluded assumption is needed or implied by this one."""
        for denied_assumption in self.denied:
            if denied_assumption == wanted:
                return f"it needs {wanted.name}"
            if denied_assumption in self.lattice.weaker_than(wanted):
                return f"it needs {wanted.name}, which implies {denied_assumption.name}"
        return None

    def _contrary(self, wanted: Assumption) -> tuple[Assumption, ...]:
        """The given assumptions that exclude it: exclusive ones of the same subject that do not imply it."""
        subject = self.lattice.subject(wanted)
        if subject is None or wanted not in subject.exclusive or wanted in self.closure:
            return ()
        return tuple(a for a in self.given if a in subject.exclusive)


def _rank(answer: TheoremApplicability) -> tuple[int, int]:
    return (1 if answer.barred else 0, len(answer.barred) if answer.barred else len(answer.missing))


def _match_name(what: str, name: str | None, known: Iterable[str]) -> str | None:
    """The name as the catalogue writes it; hyphens and underscores stand for spaces."""
    if name is None:
        return None
    spelled = {_spelling(k): k for k in known}
    if _spelling(name) not in spelled:
        raise unknown(what, name, spelled.values())
    return spelled[_spelling(name)]


def _spelling(name: str) -> str:
    return name.strip().lower().replace("_", " ").replace("-", " ")


def _passes(theorem: Theorem, filters: Mapping[str, str | None], provenances: tuple[str, ...] | None) -> bool:
    has = {
        "algorithm": (theorem.algorithm,),
        "claim": (theorem.claim.name,),
        "kind": (theorem.kind,),
        "quantity": tuple(q.name for q in theorem.quantities),
    }
    wanted = all(value is None or value in has[key] for key, value in filters.items())
    return wanted and (provenances is None or theorem.constants in provenances)


def _listed(names: str | Iterable[str]) -> tuple[str, ...]:
    split = names.split(",") if isinstance(names, str) else names
    return tuple(name.strip() for name in split if name.strip())


def _named(names: str | Iterable[str], known: Mapping[str, Assumption]) -> tuple[Assumption, ...]:
    result = {}
    for name in _listed(names):
        if name not in known:
            raise unknown("assumption", name, known)
        result[name] = known[name]
    return tuple(result.values())


def _check_negations(names: str | Iterable[str], known: Mapping[str, Assumption]) -> None:
    """Raise BoundkitError for the absence of an assumption, such as nonconvex."""
    for name in _listed(names):
        negated = name.lower().removeprefix("non").lstrip("-_")
        if name not in known and name.lower().startswith("non") and negated in known:
            raise BoundkitError(
                f"{name!r} is no assumption: what is not {negated} needs no assumption, so leave it out."
            )


def _count_unlisted(counts: list[str], others: bool) -> list[str]:
    """The number of theorems in each status that is not listed; ``others``: some theorem is."""
    title = "Others" if others else "Theorems"
    return [f"{title}: {'; '.join(counts)}.", "--why lists them."] if counts else []


def _before(result: FindResult) -> list[str]:
    """What must be known before the list."""
    none = ["None holds as it stands."] if result.have and not result.of("holds") else []
    return [*(f"Take care: {c}." for c in result.conflicts), *none]


def _groups(result: FindResult) -> dict[Status, str]:
    """The titles of the statuses that some theorem has."""
    titles: dict[Status, str] = {
        "holds": "Hold",
        "one more": "Would hold with one more assumption" if result.have else "Hold with one assumption",
        "more": "Need more" if result.have else "Hold with several assumptions",
        "not": "Do not hold",
    }
    return {status: title for status, title in titles.items() if result.of(status)}


def _row(answer: TheoremApplicability) -> list[str]:
    """The theorem, and what it takes; "" where that is nothing."""
    theorem = answer.theorem
    name = theorem.name + (" (up to constants)" if theorem.order_level else "")
    if answer.barred:
        return [name, "; ".join(answer.barred)]
    parts = [f"add {join_names([a.name for a in answer.missing])}"] if answer.missing else []
    parts += [f"choose {join_names([a.name for a in answer.choose])}"] if answer.choose else []
    parts += [f"granted {join_names([a.name for a in answer.granted])}"] if answer.granted else []
    parts += [str(d) for d in answer.derived]
    return [name, "; ".join(parts)]
