"""A number that a theorem needs of a problem, and how far it can be trusted."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Trust = Literal["exact", "local", "estimated"]
TRUST: tuple[Trust, ...] = ("exact", "local", "estimated")
"""exact: from a formula, on all of space. local: measured along this very trajectory, which is all that
the proofs use. estimated: from a sample, with an error that the verdict does not know."""


@dataclass(frozen=True)
class Constant:
    """A value, its trust, and the formula or the place where it was measured."""

    value: float
    trust: Trust
    how: str


def weakest(constants: dict[str, Constant]) -> Trust:
    """The least trusted among the constants: a verdict is as sure as that."""
    return max((c.trust for c in constants.values()), key=TRUST.index, default="exact")
