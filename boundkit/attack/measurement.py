"""A measurement with which bounds are compared, of a run or of an exact instance without one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from boundkit.algebra import Theorem
from boundkit.attack.evidence import Evidence

Array = NDArray[np.float64]
SURE = 2.0
"""Factor of the 99 % interval of sampled measurements, since many mutants are tested."""


@dataclass(frozen=True)
class Measurement:
    """Measurements at H horizons with the quantities of a bound there, (H,) each, and their source.

    ``zero``: rounding error of a quantity that is 0. ``source``: the run, or the instance in words where no
    run has finitely many rounds.
    """

    values: Mapping[str, Array]
    low: Array
    high: Array
    zero: float
    source: Mapping[str, Any]
    stage: str = "verification"


def knows(theorem: Theorem, known: Mapping[str, ArrayLike]) -> bool:
    """Whether all quantities of a theorem and of its rules are known."""
    used = {*theorem.quantities}.union(*(rule.free_symbols for rule in theorem.rules.values()))
    return {q.name for q in used} <= set(known)


def measure_known(
    theorem: Theorem,
    known: Mapping[str, ArrayLike],
    measured: ArrayLike,
    relative: float,
    said: str,
    zero: float = 0.0,
) -> Iterator[Measurement]:
    """Yield a measurement by a formula, with a relative rounding error, and its instance in words.

    Nothing where the theorem has a quantity that is not ``known``. Numbers stand for arrays of length 1.
    """
    if not knows(theorem, known):
        return
    values = {q.name: np.atleast_1d(np.asarray(known[q.name], dtype=float)) for q in theorem.quantities}
    value = np.atleast_1d(np.asarray(measured, dtype=float))
    yield Measurement(values, value * (1 - relative), value * (1 + relative), zero, {"said": said})


def measurement_of_evidence(piece: Evidence, stage: str = "verification") -> Measurement:
    """Return evidence as a measurement; the interval of a sampled value is widened twofold."""
    low, high = piece.low, piece.high
    if piece.random:
        with np.errstate(invalid="ignore"):  # where a run diverges, or never reaches its target
            low = np.where(low < piece.measured, piece.measured - SURE * (piece.measured - low), low)
            high = np.where(high > piece.measured, piece.measured + SURE * (high - piece.measured), high)
    source = {"run": piece.run, "engine": piece.engine, "trust": piece.trust}
    return Measurement(piece.values, low, high, piece.zero, source, stage)
