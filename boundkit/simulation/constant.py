"""A constant of a problem that a theorem requires, and its reliability."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Trust = Literal["exact", "local", "estimated"]
TRUST: tuple[Trust, ...] = ("exact", "local", "estimated")
"""exact: from a formula, on all of space. local: measured along this trajectory, which suffices for
the proofs. estimated: from a sample, with an error of unknown size."""


@dataclass(frozen=True)
class Constant:
    """A value, its trust, and the formula or the place of measurement."""

    value: float
    trust: Trust
    how: str


def weakest(constants: dict[str, Constant]) -> Trust:
    """The lowest trust among the constants, which is that of a verdict based on them."""
    return max((c.trust for c in constants.values()), key=TRUST.index, default="exact")
