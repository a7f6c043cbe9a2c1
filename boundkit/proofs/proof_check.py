"""The result of checking a proof: its steps with the decisions on their obligations, and the report."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from boundkit.proofs.domain import Obligation
from boundkit.proofs.scalar_inequalities import Status
from boundkit.report import Cell, Heading, Report, Reported, Sentences, Table

START, END = "start", "bound"
"""Names of the checks before the first step and after the last."""


def _worst(statuses: Iterable[Status]) -> Status:
    """Return ``proved`` where every status is, else ``refuted`` where one is, else ``unknown``."""
    distinct = set(statuses)
    return "refuted" if "refuted" in distinct else "unknown" if "unknown" in distinct else "proved"


@dataclass(frozen=True)
class StepCheck:
    """A step of a certificate with the decision on each of its obligations."""

    name: str
    obligations: tuple[Obligation, ...]
    lemma: str = ""
    because: str = ""
    statement: str = ""
    statement_latex: str = ""
    weight: str = ""
    removes: str = ""

    @property
    def status(self) -> Status:
        """The worst status among the obligations."""
        return _worst(each.decision.status for each in self.obligations)

    @property
    def failed(self) -> tuple[Obligation, ...]:
        """The obligations that are not proved."""
        return tuple(each for each in self.obligations if not each.proved)

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON."""
        return {
            "name": self.name,
            "lemma": self.lemma,
            "because": self.because,
            "statement": self.statement,
            "latex": self.statement_latex,
            "weight": self.weight,
            "removes": self.removes,
            "verdict": self.status,
            "obligations": [
                {
                    "statement": each.text,
                    "verdict": each.decision.status,
                    "method": each.decision.method,
                    "counterexample": dict(each.counterexample),
                }
                for each in self.obligations
            ],
        }


@dataclass(frozen=True, repr=False)
class ProofCheck(Reported):
    """The result of checking a certificate: its steps, each with a verdict."""

    theorem: str
    claim: str
    claim_latex: str
    steps: tuple[StepCheck, ...]

    @property
    def status(self) -> Status:
        """The worst status among the steps."""
        return _worst(each.status for each in self.steps)

    @property
    def proved(self) -> bool:
        """Whether every obligation of every step is proved."""
        return self.status == "proved"

    @property
    def failed(self) -> tuple[StepCheck, ...]:
        """The steps that are not proved."""
        return tuple(each for each in self.steps if each.status != "proved")

    @property
    def obligations(self) -> int:
        """The number of scalar inequalities and identities."""
        return sum(len(each.obligations) for each in self.steps)

    @property
    def methods(self) -> Mapping[str, int]:
        """The number of obligations by the method that decided them, in the order of their first use."""
        return Counter(one.decision.method for each in self.steps for one in each.obligations)

    @property
    def lemmas(self) -> tuple[str, ...]:
        """The lemmas that the proof uses, in the order of their first use."""
        return tuple(dict.fromkeys(each.lemma for each in self.steps if each.lemma))

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON."""
        return {
            "theorem": self.theorem,
            "claim": self.claim,
            "verdict": self.status,
            "obligations": self.obligations,
            "methods": dict(self.methods),
            "lemmas": list(self.lemmas),
            "steps": [each.to_dict() for each in self.steps],
        }

    def report(self) -> Report:
        """A row for each step, and the conclusion."""
        rows: list[list[Cell]] = [
            [each.name, each.lemma, str(len(each.obligations)), each.status] for each in self.steps
        ]
        table = Table(["step", "lemma", "obligations", "verdict"], rows, left=2)
        title = Heading(f"{self.theorem}, checked step by step")
        return Report((title, table, Sentences(self.conclusion)))

    @property
    def conclusion(self) -> list[str]:
        """How it was proved, or which obligations were not, as sentences."""
        if self.proved:
            by = ", ".join(f"{count} {method}" for method, count in self.methods.items())
            return [f"Proved from the lemmas: {self.obligations} obligations, {by}."]
        result = []
        for each in self.failed[:3]:
            for one in each.failed[:2]:
                result.append(f"The step {each.name!r} is {each.status}: {one.text}{_why(one)}.")
        return result


def _why(obligation: Obligation) -> str:
    if obligation.counterexample:
        values = ", ".join(f"{name} = {value}" for name, value in obligation.counterexample.items())
        return f" fails at {values}"
    if obligation.decision.method == "z3 is missing":
        return " is beyond exact arithmetic here; install the solver with: pip install 'boundkit[prove]'"
    refuted = obligation.decision.status == "refuted"
    return " fails" if refuted else f" is not proved ({obligation.decision.method})"
