"""Lower bounds: is the measured quantity above the bound?"""

from __future__ import annotations

import math

from boundkit.analysis.predict import Prediction
from boundkit.simulation.confidence_interval import Estimate
from boundkit.verification.checks.check import Check, Outcome
from boundkit.verification.checks.upper_bound import ROUNDING


def lower_bound_check(measured: Estimate, bound: Prediction, rounds: int) -> Check:
    """The check of measured against a bound from below, with the ratio and its interval.

    A first time that was not reached in the run is above the bound where the run has that many rounds, and
    is not known where it has fewer.
    """
    total = float(bound.total)
    if total <= 0:
        return Check(
            "lower", "holds", "the bound is 0: nothing is claimed here", {"ratio": None, "interval": None}
        )
    if math.isinf(measured.value):
        long = rounds >= total and measured.low >= total
        sentence = f"not reached in {rounds} rounds, and {total:.4g} are claimed"
        unreached: Outcome = "holds" if long else "undecided"
        return Check("lower", unreached, sentence, {"ratio": None, "interval": None, "bound": total})
    ratio = measured.scaled(1 / total)
    outcome: Outcome = "undecided"
    if ratio.high < 1 - ROUNDING:
        outcome = "violated"
    elif ratio.low >= 1 - ROUNDING:
        outcome = "holds"
    return Check(
        "lower",
        outcome,
        f"measured/bound = {ratio.value:.4g}, and at least 1 is claimed",
        {
            "ratio": ratio.value,
            "interval": [ratio.low, ratio.high] if math.isfinite(ratio.high) else None,
            "measured": measured.value,
            "bound": total,
        },
    )
