"""Exhibits: published statements, as printed, that fail the dimension check, with a reviewer's message.

A theorem that fails cannot be built. It is stored as the parts that
were printed, beside the pieces that repair it. Building an exhibit checks that the one is refused and
the other is not, so that neither can drift.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from sympy import Eq, Expr, S
from sympy.core.relational import Relational

from boundkit.algebra.claim import Claim
from boundkit.algebra.errors import BoundkitError, DimensionError
from boundkit.algebra.papers import Source
from boundkit.algebra.printing import SIGNS, plain
from boundkit.algebra.quantity import Quantity
from boundkit.algebra.term import Term
from boundkit.algebra.theorem import Kind, Theorem


@dataclass(frozen=True)
class Form:
    """The right-hand side and the conditions, as printed. A bound, or conditions, or both."""

    terms: tuple[Term, ...] = ()
    conditions: tuple[Relational, ...] = ()

    @property
    def pieces(self) -> tuple[Form, ...]:
        """Each term and each condition on its own."""
        return (
            *(Form(terms=(term,)) for term in self.terms),
            *(Form(conditions=(condition,)) for condition in self.conditions),
        )

    def named(self) -> str:
        """The first piece by name."""
        return (
            f"the term {self.terms[0].label!r}"
            if self.terms
            else f"the condition {_line(self.conditions[0])}"
        )

    def lines(self, claim: Claim, sign: str = "<=") -> list[str]:
        """The bound and the conditions as text, one a line."""
        bound = " + ".join(plain(term.expr) for term in self.terms)
        shown = [f"{claim.plain} {sign} {bound}"] if self.terms else []
        return [*shown, *map(_line, self.conditions)]


@dataclass(frozen=True)
class Exhibit:
    """A statement that fails the dimension check as printed, and the form that passes.

    ``lost`` is a sentence on the probable omission; ``doubt`` one in favour of the author, such
    as a bad scan. ``states`` names the theorem that states the repaired form, ``times`` a factor, with the
    values ``at`` substituted, or ``up_to`` something; empty where no theorem does.

    Raises BoundkitError where the printed form passes the check, and DimensionError where the repaired
    form does not.
    """

    name: str
    algorithm: str
    claim: Claim
    printed: Form
    repaired: Form
    lost: str
    source: Source
    states: str = ""
    at: Mapping[Quantity, Expr | int] = field(default_factory=dict, hash=False)
    times: Expr | int = 1
    up_to: str = ""
    doubt: str = ""
    kind: Kind = "upper"
    prose: str | None = field(default=None, compare=False)

    def __post_init__(self) -> None:
        for what, text in (("lost", self.lost), ("doubt", self.doubt or "None.")):
            if not text.endswith("."):
                raise BoundkitError(f"exhibit {self.name}: {what!r} must be a sentence, but it is {text!r}.")
        self.build(self.repaired)
        if not self.refusals():
            raise BoundkitError(
                f"exhibit {self.name} passes the dimension check as printed, so there is nothing to show."
            )

    def build(self, form: Form) -> Theorem:
        """A form as a theorem. Raises DimensionError for the printed one: that is the point."""
        nothing = Term("initial gap", S.Zero, provenance="stated", because="the conditions alone matter here")
        return Theorem(
            name=self.name,
            algorithm=self.algorithm,
            claim=self.claim,
            assumptions=(),
            terms=form.terms or (nothing,),
            step_size=form.conditions,
            source=self.source,
            kind=self.kind,
            prose=self.prose,
        )

    def refusals(self) -> tuple[str, ...]:
        """The objections of the dimension check to the printed form, a clause for each part that fails."""
        sentences = []
        for piece in self.printed.pieces:
            try:
                self.build(piece)
            except DimensionError as error:
                objection = str(error).removeprefix(f"theorem {self.name}: ")
                named = objection.startswith(("the term", "the condition"))
                sentences.append(objection if named else f"in {piece.named()}, {objection}")
        return tuple(sentences)

    @property
    def sign(self) -> str:
        """Between the claim and the bound."""
        return SIGNS[self.kind][1]

    def review(self) -> str:
        """A reviewer's message: the mismatched dimensions, the probable omission, and the correct form."""
        sentences = [f"As printed in {self.source}, this cannot be right in any units."]
        sentences += [clause[0].upper() + clause[1:] for clause in _drop_repeated_guesses(self.refusals())]
        sentences += [sentence for sentence in (self.lost, self.doubt) if sentence]
        repaired = "; ".join(self.repaired.lines(self.claim, self.sign))
        return " ".join([*sentences, f"It should read {repaired}{self.stated}."])

    @property
    def stated(self) -> str:
        """Which theorem states the repaired form, and for which steps, as the end of a sentence."""
        if not self.states:
            return ""
        values = ", ".join(f"{quantity} = {plain(value)}" for quantity, value in self.at.items())
        times = f", times {plain(self.times)}" if self.times != 1 else ""
        up_to = f", up to {self.up_to}" if self.up_to else ""
        return f", as {self.states} states it" + (f" at {values}" if values else "") + times + up_to


def _drop_repeated_guesses(clauses: Sequence[str]) -> list[str]:
    """The clauses, with what each guesses after its semicolon left to the first that guesses so."""
    guesses: set[str] = set()
    result = []
    for clause in clauses:
        sentences, mark, guess = clause.partition("; ")
        result.append(clause if guess not in guesses else f"{sentences}.")
        guesses |= {guess} if mark else set()
    return result


def _line(condition: Relational) -> str:
    """A condition as people write it; sympy prints an equation as Eq(left, right)."""
    if isinstance(condition, Eq):
        return f"{plain(condition.lhs)} = {plain(condition.rhs)}"
    return plain(condition)
