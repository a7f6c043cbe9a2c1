"""A measurement with which bounds are compared, of a run or of an exact instance without one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

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


def exact_measurement(
    values: Mapping[str, Array], measured: Array, relative: float, said: str, zero: float = 0.0
) -> Measurement:
    """Return a measurement by a formula, with a relative rounding error, and its instance in words."""
    return Measurement(values, measured * (1 - relative), measured * (1 + relative), zero, {"said": said})


def measurement_of_evidence(piece: Evidence, stage: str = "verification") -> Measurement:
    """Return evidence as a measurement; the interval of a sampled value is widened twofold."""
    low, high = piece.low, piece.high
    if piece.random:
        with np.errstate(invalid="ignore"):  # where a run diverges, or never reaches its target
            low = np.where(low < piece.measured, piece.measured - SURE * (piece.measured - low), low)
            high = np.where(high > piece.measured, piece.measured + SURE * (high - piece.measured), high)
    source = {"run": piece.run, "engine": piece.engine, "trust": piece.trust}
    return Measurement(piece.values, low, high, piece.zero, source, stage)
