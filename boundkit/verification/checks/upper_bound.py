"""Upper bounds: is the measured quantity below the bound?

Where the run is random the answer uses a 99 % interval over replicas: violated when its low end lies
above the bound, holds when its high end does not, undecided between. A bound of 0 holds where no more is
measured than rounding leaves of the quantity, in its own units (``checks.rounding``).
"""

from __future__ import annotations

import math

from boundkit.analysis.predict import Prediction
from boundkit.simulation.confidence_interval import Estimate
from boundkit.verification.checks.check import Check, Outcome

ROUNDING = 1e-9
"""How far above 1 an exact ratio may lie by rounding alone."""


def upper_bound_check(measured: Estimate, bound: Prediction, zero: float = 0.0) -> Check:
    """The check of measured against bound, with the ratio and its interval.

    ``zero``: what counts as 0 of the measured quantity, where the bound is.
    """
    total = float(bound.total)
    if total == 0:
        holds = measured.value <= zero
        sentence = f"measured {measured.value:.4g}, and the bound is 0, which rounding makes {zero:.1g}"
        return Check("upper", "holds" if holds else "violated", sentence, {"ratio": None, "interval": None})
    ratio = measured.scaled(1 / total)
    outcome: Outcome = "undecided"
    if ratio.low > 1 + ROUNDING:
        outcome = "violated"
    elif ratio.high <= 1 + ROUNDING:
        outcome = "holds"
    spread = "" if ratio.low == ratio.high else f" in [{ratio.low:.4g}, {ratio.high:.4g}] (99 %)"
    return Check(
        "upper",
        outcome,
        f"measured/bound = {ratio.value:.4g}{spread}",
        {
            "ratio": ratio.value,
            "interval": [ratio.low, ratio.high] if math.isfinite(ratio.high) else None,
            "measured": measured.value,
            "bound": total,
        },
    )
