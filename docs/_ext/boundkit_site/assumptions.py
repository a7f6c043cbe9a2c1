"""Which assumption implies which, from the lattice."""

from __future__ import annotations

from boundkit.algebra.claim import Assumption
from boundkit.analysis.assumptions import NATURES, Conflict, Implication, Refutation, Subject
from boundkit.analysis.lattice import LATTICE
from boundkit.report.formatting import join_names
from boundkit.theorems import catalogue

from .markdown import formula, plain, table


def text() -> str:
    """A table a subject, then what follows, what does not, and what cannot go together."""
    return "\n\n".join(
        [
            *(_subject(subject) for subject in LATTICE.subjects.values()),
            "### What follows, and why",
            _items(_implied(rule) for rule in LATTICE.implications),
            "### What does not follow",
            _items(_refuted(one) for one in LATTICE.refutations),
            "### What cannot hold together on all of space",
            _items(_conflicting(one) for one in LATTICE.conflicts),
            "### Natures",
            _items(f"**{name}**: {plain(meaning)}" for name, meaning in NATURES.items()),
        ]
    )


def _subject(subject: Subject) -> str:
    rows = [
        [
            f"**{a.name}**",
            plain(a.meaning) + (f": {formula(a.latex)}" if a.latex else ""),
            subject.nature(a),
            ", ".join(b.name for b in LATTICE.weaker_than(a)),
            str(_users(a)),
        ]
        for a in subject.assumptions
    ]
    header = ["assumption", "meaning", "is", "implies", "theorems"]
    return f"### On {subject.name}\n\n{table(header, rows)}"


def _users(assumption: Assumption) -> int:
    return sum(assumption in theorem.assumptions for theorem in catalogue().values())


def _items(lines: object) -> str:
    return "\n".join(f"- {line}" for line in lines)  # type: ignore[attr-defined]


def _named(assumptions: tuple[Assumption, ...]) -> str:
    return join_names([f"**{a.name}**" for a in assumptions])


def _implied(rule: Implication) -> str:
    verb = "implies" if len(rule.premises) == 1 else "imply"
    values = "; ".join(formula(f"{q.latex} = {_latex(v)}") for q, v in rule.parameters.items() if v != q)
    at = f", with {values}" if values else ""
    return f"{_named(rule.premises)} {verb} **{rule.conclusion.name}**{at}: {plain(rule.proof)}."


def _latex(value: object) -> str:
    from sympy import sympify

    from boundkit.algebra.printing import latex

    return latex(sympify(value))


def _refuted(one: Refutation) -> str:
    verb = "does" if len(one.given) == 1 else "do"
    still = f"; {plain(one.still)}" if one.still else ""
    said = f"{_named(one.given)} {verb} not imply **{one.fails.name}**"
    return f"{said}. {plain(one.example)}: {plain(one.because)}{still}."


def _conflicting(one: Conflict) -> str:
    still = f"; {plain(one.still)}" if one.still else ""
    return f"{_named(one.assumptions)}: {plain(one.proof)}{still}."
