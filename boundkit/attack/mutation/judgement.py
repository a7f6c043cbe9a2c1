"""What became of a mutant."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Literal

from boundkit.attack.mutation.mutant import Mutant

Outcome = Literal["killed", "weaker", "not proved", "inside slack", "not testable", "survived"]
Killer = Literal["dimension", "reduction", "limit", "verification", "slope", "falsifier", ""]

OUTCOMES: dict[Outcome, str] = {
    "killed": "shown to be false",
    "weaker": "proved to claim no more than the theorem, so that it is true",
    "not proved": "at least the theorem at every random point of its domain, which is no proof",
    "inside slack": "nothing that was measured needs what the mistake takes away",
    "not testable": "no instance shows its term",
    "survived": "false for all that is known, and nothing here shows it",
}
KILLERS: dict[Killer, str] = {
    "dimension": "its units are wrong, or no theorem can say it",
    "reduction": "it no longer becomes the theorem that it is said to become",
    "limit": "a limit that the theorem states no longer holds",
    "verification": "a default instance, a kept one or a single cause lies above it",
    "slope": "what is measured grows faster than its term",
    "falsifier": "the search found an instance above it",
}


@dataclass(frozen=True)
class Judgement:
    """The outcome of one mutant, by whom and why, in how many seconds.

    ``ratio``: measured/bound of the instance that kills. ``slack``: how many times as large as the original
    its term is at typical values, where it is weaker. ``instance``: what kills it, as the RUN.json that
    replays it under ``run`` where it is a run, else the cause and the letters of the exact instance.
    """

    kind: str
    label: str
    what: str
    outcome: Outcome
    by: Killer = ""
    reason: str = ""
    seconds: float = 0.0
    ratio: float | None = None
    slack: float | None = None
    instance: Mapping[str, Any] | None = None

    @property
    def open(self) -> bool:
        """Whether it is false for all that is known, and stands."""
        return self.outcome == "survived"

    def to_dict(self) -> dict[str, Any]:
        """Clean for JSON."""
        return asdict(self)


def judgement(mutant: Mutant, outcome: Outcome, **more: Any) -> Judgement:
    """The judgement of a mutant."""
    return Judgement(mutant.kind, mutant.label, mutant.what, outcome, **more)
