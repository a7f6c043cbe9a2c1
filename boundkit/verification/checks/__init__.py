"""Checks: a claim against a measurement."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

Outcome = Literal["holds", "violated", "undecided", "not tested"]


@dataclass(frozen=True)
class Check:
    """A name, an outcome, a sentence with the numbers in words, and the numbers."""

    name: str
    outcome: Outcome
    sentence: str
    numbers: dict[str, Any] = field(default_factory=dict, hash=False)

    def to_dict(self) -> dict[str, Any]:
        return {"name": self.name, "outcome": self.outcome, "sentence": self.sentence, **self.numbers}
