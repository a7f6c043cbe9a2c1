"""Result of a search: the worst instance for every objective, and counts of the evaluations."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from boundkit.algebra import Theorem
from boundkit.attack.evidence import Evidence, EvidencePool, Objective
from boundkit.report import Heading, Report, Reported, Sentences, Table
from boundkit.report.formatting import format_number
from boundkit.verification.instance import Instance


@dataclass(frozen=True)
class WorstInstance:
    """The instance with the largest score for one objective, at one horizon of its run.

    ``run``: the RUN.json that replays it; ``family``: the family of its initial instance; ``plan``: its plan.
    """

    objective: str
    score: float
    evidence: Evidence = field(repr=False)
    horizon: float
    run: dict[str, Any] = field(repr=False)
    family: str
    plan: Instance | None = field(default=None, repr=False)


@dataclass(frozen=True, repr=False)
class SearchResult(Reported):
    """Result of a search.

    Attributes
    ----------
    best : the worst instance by objective; objectives without an applicable instance are missing.
    candidates : the best instances for the first objective, from different initial instances.
    pool : all evidence.
    tried : number of evaluated plans.
    refused : number of rejected plans, by reason.
    families : number of applicable plans, by family.
    """

    theorem: Theorem
    objectives: tuple[Objective, ...]
    best: Mapping[str, WorstInstance]
    candidates: tuple[WorstInstance, ...]
    pool: EvidencePool
    tried: int
    refused: Mapping[str, int]
    families: Mapping[str, int]
    seconds: float
    seed: int
    interrupted: bool = False

    def counts(self) -> str:
        """Return the number of evaluated instances, as a sentence."""
        refused = sum(self.refused.values())
        ended = "interrupted after " if self.interrupted else ""
        text = f"{ended}{self.tried} instances in {self.seconds:.1f} seconds (seed {self.seed})"
        return f"{text}; of {refused} the theorem does not speak, or they take too long" if refused else text

    def report(self) -> Report:
        """The worst instances, and how many were tried."""
        return Report((Heading(self._title()), Table(*self._columns()), Sentences([self.counts()])))

    def _title(self) -> str:
        return f"{self.theorem.name}: the worst that was found"

    def _columns(self) -> tuple[list[str], list[list[str]]]:
        rows = [
            [name, f"{instance.score:.6g}", format_number(instance.horizon), instance.family]
            for name, instance in self.best.items()
        ]
        return ["for", "score", "T", "from"], rows
