"""One derived answer, and how far the notes agree with it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from boundkit.analysis.sensitivity.effect import Effect, Word
from boundkit.analysis.sensitivity.envelope import INSIDE
from boundkit.analysis.sensitivity.result import describe_regions

ROUND = "a federated round"
"""The reading of an answer about time."""

_OF_TIME = {"better": "shorter", "worse": "longer"}
_SAID = {"always": "the notes are right", "never": "the notes are not", "where": "the notes are right where"}


@dataclass(frozen=True)
class Finding:
    """One derived answer: of which letter, by what, read how; and how far the notes agree with it."""

    letter: str
    by: str
    reading: str
    effect: Effect
    expected: Word

    @property
    def agrees(self) -> str:
        """ "always", "never", or "where": in some regions, which the effect lists."""
        return agreement(self.effect, self.expected)

    @property
    def where(self) -> list[str]:
        """In which regions the notes are right, where that depends; all of them where the notes say so."""
        return describe_regions(self._kept(), self.words)

    def _kept(self) -> Effect:
        regions = self.effect.regions
        if self.expected != "depends":
            regions = tuple(r for r in regions if r.effect == self.expected)
        return replace(self.effect, regions=regions)

    @property
    def words(self) -> dict[str, str]:
        """How an effect is said: of the error, or of time."""
        return _OF_TIME if self.reading == ROUND else {}

    @property
    def brief(self) -> list[str]:
        """The same without what holds at the limits of the step, which is long."""
        kept = self._kept()
        inside = tuple(r for r in kept.regions if r.case in ("", INSIDE))
        return describe_regions(replace(kept, regions=inside), self.words)

    def to_dict(self) -> dict[str, Any]:
        """Clean for JSON."""
        found = {"letter": self.letter, "by": self.by, "reading": self.reading, **self.effect.to_dict()}
        return {**found, "notes_agree": self.agrees, "notes_right_where": self.where}

    @property
    def row(self) -> list[str]:
        """The letter, by what, the effect, and the notes."""
        word = self.words.get(self.effect.word, self.effect.word)
        star = "" if self.effect.exact else " *"
        return [self.letter, f"{self.by}, {self.reading}", word + star, _SAID[self.agrees]]


def agreement(effect: Effect, expected: Word) -> str:
    """How far an expected word agrees with an effect; "depends" agrees with what depends."""
    if effect.word == expected:
        return "always"
    return "where" if effect.word == "depends" else "never"
