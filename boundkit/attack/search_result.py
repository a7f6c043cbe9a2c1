"""What a search found: the worst instance for every aim, and how much was tried."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from boundkit.algebra import Theorem
from boundkit.algebra.notebook import heading, html_table, notes
from boundkit.analysis.formatting import shown, table
from boundkit.attack.evidence import Evidence
from boundkit.attack.evidence_batch import Pool
from boundkit.attack.objectives import Aim
from boundkit.verification.instance import Instance


@dataclass(frozen=True)
class Find:
    """The worst that was found for one aim: its score, on which run, after which of its rounds.

    ``run``: the RUN.json of that many rounds, which replays it. ``family``: what it grew from. ``plan``: the
    plan that was run.
    """

    aim: str
    score: float
    evidence: Evidence = field(repr=False)
    horizon: float
    run: dict[str, Any] = field(repr=False)
    family: str
    plan: Instance | None = field(default=None, repr=False)


@dataclass(frozen=True, repr=False)
class Attack:
    """What a search found.

    ``best``: by the names of the aims; an aim of which nothing speaks is not there. ``candidates``: the
    best for the first aim, of different starts. ``pool``: all evidence. ``tried``: how many plans;
    ``refused``: how many of them were not the theorem's, or took too long, by reason; ``families``: how many
    of each spoke; ``interrupted``: whether it was ended before its time.
    """

    theorem: Theorem
    aims: tuple[Aim, ...]
    best: Mapping[str, Find]
    candidates: tuple[Find, ...]
    pool: Pool
    tried: int
    refused: Mapping[str, int]
    families: Mapping[str, int]
    seconds: float
    seed: int
    interrupted: bool = False

    def counts(self) -> str:
        """How much was tried, in a sentence."""
        refused = sum(self.refused.values())
        ended = "interrupted after " if self.interrupted else ""
        said = f"{ended}{self.tried} instances in {self.seconds:.1f} seconds (seed {self.seed})"
        return f"{said}; of {refused} the theorem does not speak, or they take too long" if refused else said

    def to_text(self) -> str:
        """For a terminal: the worst by aim, and what they grew from."""
        return "\n".join([self._title(), "", table(*self._columns()), "", self.counts()])

    def _title(self) -> str:
        return f"{self.theorem.name}: the worst that was found"

    def _columns(self) -> tuple[list[str], list[list[str]]]:
        rows = [
            [name, f"{find.score:.6g}", shown(find.horizon), find.family] for name, find in self.best.items()
        ]
        return ["for", "score", "T", "from"], rows

    def __repr__(self) -> str:
        return self.to_text()

    def _repr_html_(self) -> str:
        return heading(self._title()) + html_table(*self._columns()) + notes([self.counts()])
