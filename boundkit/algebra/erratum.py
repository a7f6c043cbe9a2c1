"""Errata: errors of published statements, with their reasons, corrections and consequences.

The printed and the corrected statement are sentences, or formulas (``Form``). A printed formula fails the
dimension check and so cannot be a theorem; ``check_units`` checks that it fails and that the corrected one
passes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, get_args

from sympy import Eq, Expr, S
from sympy.core.relational import Relational

from boundkit.algebra.claim import Claim
from boundkit.algebra.errors import BoundkitError, DimensionError
from boundkit.algebra.papers import Source
from boundkit.algebra.printing import SIGNS, plain
from boundkit.algebra.quantity import Quantity
from boundkit.algebra.term import Term
from boundkit.algebra.theorem import Kind, Theorem

Text = Literal["paper", "supplement", "talk", "notes", "code", "recalled"]
"""Where an error stands: ``notes`` are notes and copies by others, ``recalled`` was not opened."""

Reason = Literal["units", "proof", "counterexample", "contradiction", "definition"]
"""How an error was found; ``REASONS`` has the meanings."""

REASONS: Mapping[Reason, str] = {
    "units": "Two sides, or two summands, have different units, so that a change of units makes the "
    "statement false. Building a theorem checks it.",
    "proof": "The proof was done again, and a step does not hold, or another number results.",
    "counterexample": "One numerical case satisfies the assumptions and contradicts the claim.",
    "contradiction": "Two printed forms, or a text and its code, contradict each other, and the derivation "
    "decides.",
    "definition": "A definition, read literally, gives another method or another quantity.",
}


@dataclass(frozen=True)
class Form:
    """The right-hand side and the conditions of a statement. A bound, or conditions, or both."""

    claim: Claim
    terms: tuple[Term, ...] = ()
    conditions: tuple[Relational, ...] = ()
    kind: Kind = "upper"

    @property
    def pieces(self) -> tuple[Form, ...]:
        """Each term and each condition on its own."""
        return (
            *(Form(self.claim, terms=(term,), kind=self.kind) for term in self.terms),
            *(Form(self.claim, conditions=(each,), kind=self.kind) for each in self.conditions),
        )

    @property
    def name(self) -> str:
        """The first piece by name."""
        return (
            f"the term {self.terms[0].label!r}"
            if self.terms
            else f"the condition {_line(self.conditions[0])}"
        )

    def lines(self) -> list[str]:
        """The bound and the conditions as text, one a line."""
        bound = " + ".join(plain(term.expr) for term in self.terms)
        shown = [f"{self.claim.plain} {SIGNS[self.kind][1]} {bound}"] if self.terms else []
        return [*shown, *map(_line, self.conditions)]

    def theorem(self, name: str, source: Source, algorithm: str = "fedavg") -> Theorem:
        """The form as a theorem. Raises DimensionError where its units are inconsistent."""
        nothing = Term("initial gap", S.Zero, provenance="stated", because="only the conditions matter here")
        return Theorem(
            name=name,
            algorithm=algorithm,
            claim=self.claim,
            assumptions=(),
            terms=self.terms or (nothing,),
            step_size=self.conditions,
            source=source,
            kind=self.kind,
        )


@dataclass(frozen=True)
class Erratum:
    """An error of a source.

    Parameters
    ----------
    name : str
        Its name among all errata.
    source : Source
        The paper, and the place in it or in a text about it.
    text : str
        The text in which it stands, a value of ``Text``.
    basis : str
        How it was found, a key of ``REASONS``.
    printed, corrected : str or Form
        What is printed, and what is correct: a sentence, or formulas.
    reason : str
        Why the printed statement cannot hold.
    consequence : str
        What the error changes.
    theorems : tuple of str
        The theorems that it concerns. The first one states the corrected form, where that is a formula: times
        ``times``, with the values ``at`` substituted, or up to what ``up_to`` says.
    example : str
        A command that runs a counterexample or the corrected computation.

    Raises BoundkitError for a text that is no sentence, and an unknown kind of text or of reason.
    """

    name: str
    source: Source
    text: Text
    basis: Reason
    printed: str | Form
    reason: str
    corrected: str | Form
    consequence: str
    theorems: tuple[str, ...] = ()
    example: str = ""
    at: Mapping[Quantity, Expr | int] = field(default_factory=dict, hash=False)
    times: Expr | int = 1
    up_to: str = ""

    def __post_init__(self) -> None:
        for what in ("printed", "reason", "corrected", "consequence"):
            value = getattr(self, what)
            if isinstance(value, str) and not value.endswith("."):
                raise BoundkitError(f"erratum {self.name}: {what!r} must be a sentence, but it is {value!r}.")
        if self.text not in get_args(Text) or self.basis not in REASONS:
            raise BoundkitError(
                f"erratum {self.name}: text is one of {', '.join(get_args(Text))}, basis one of "
                f"{', '.join(REASONS)}; given are {self.text!r} and {self.basis!r}."
            )

    def check_units(self) -> None:
        """Check the formulas.

        Raises BoundkitError where a printed formula passes the dimension check, and DimensionError where a
        corrected one does not.
        """
        if isinstance(self.corrected, Form):
            self.corrected.theorem(self.name, self.source)
        if isinstance(self.printed, Form) and not self.refusals():
            raise BoundkitError(f"erratum {self.name} passes the dimension check as printed.")

    def refusals(self) -> tuple[str, ...]:
        """The objections of the dimension check to a printed formula, a clause for each part that fails."""
        clauses = []
        for piece in self.printed.pieces if isinstance(self.printed, Form) else ():
            try:
                piece.theorem(self.name, self.source)
            except DimensionError as error:
                objection = str(error).removeprefix(f"theorem {self.name}: ")
                named = objection.startswith(("the term", "the condition"))
                clauses.append(objection if named else f"in {piece.name}, {objection}")
        return tuple(clauses)

    def __str__(self) -> str:
        """All of it in sentences."""
        sentences = [f"{self.source.where}: {self.printed_text}"]
        sentences += [clause[0].upper() + clause[1:] for clause in drop_repeated_guesses(self.refusals())]
        sentences += [self.reason, f"Corrected: {self.corrected_text}", self.consequence]
        text = " ".join(sentences)
        return text[0].upper() + text[1:]

    @property
    def printed_text(self) -> str:
        """The printed statement as a sentence."""
        return _sentence(self.printed)

    @property
    def corrected_text(self) -> str:
        """The corrected statement as a sentence, with the theorem that states it."""
        return _sentence(self.corrected, self.stated)

    @property
    def stated(self) -> str:
        """Which theorem states the corrected formula, and how, as the end of a sentence."""
        if not self.theorems or isinstance(self.corrected, str):
            return ""
        values = ", ".join(f"{quantity} = {plain(value)}" for quantity, value in self.at.items())
        times = f", times {plain(self.times)}" if self.times != 1 else ""
        up_to = f", up to {self.up_to}" if self.up_to else ""
        return f", as {self.theorems[0]} states it" + (f" at {values}" if values else "") + times + up_to


def drop_repeated_guesses(clauses: Sequence[str]) -> list[str]:
    """The clauses, with what each guesses after its semicolon left to the first that guesses so."""
    guesses: set[str] = set()
    result = []
    for clause in clauses:
        sentences, mark, guess = clause.partition("; ")
        result.append(clause if guess not in guesses else f"{sentences}.")
        guesses |= {guess} if mark else set()
    return result


def _sentence(statement: str | Form, after: str = "") -> str:
    return statement if isinstance(statement, str) else "; ".join(statement.lines()) + after + "."


def _line(condition: Relational) -> str:
    """A condition as people write it; sympy prints an equation as Eq(left, right)."""
    if isinstance(condition, Eq):
        return f"{plain(condition.lhs)} = {plain(condition.rhs)}"
    return plain(condition)
