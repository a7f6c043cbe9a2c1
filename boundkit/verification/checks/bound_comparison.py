"""Comparison of the measured quantity with the bound: below an upper bound, above a lower one.

Where the run is random the outcome uses a 99 % interval over replicas: an upper bound is violated where the
low end lies above it, holds where the high end does not, and is undecided between. A bound of 0 holds where
the measurement is within rounding error, in the quantity's own units (``rounding_error``).

Engines agree where the sampled mean is within five standard errors of the exact expectation.
"""

from __future__ import annotations

import math
from dataclasses import replace

from boundkit.algebra import BoundkitError
from boundkit.analysis.predict import Prediction
from boundkit.simulation.confidence_interval import Estimate
from boundkit.simulation.trajectory import Trajectory
from boundkit.verification.checks import Check, Outcome
from boundkit.verification.claims import measure_claim
from boundkit.verification.context import EvaluationContext

ROUNDING = 1e-9
"""Tolerance by which an exact ratio may exceed 1."""


def upper_bound_check(
    measured: Estimate, bound: Prediction, zero: float = 0.0, rounds: float = math.inf
) -> Check:
    """The check of measured against bound, with the ratio and its interval.

    ``zero``: the rounding error of the measured quantity, which counts where the bound is 0. ``rounds``: of
    the run, for a first-passage time: one that exceeds a run that is shorter than the bound is undecided.
    """
    total = float(bound.total)
    if math.isinf(measured.low) and rounds < total:
        sentence = f"the target is not reached in {rounds} rounds, and the bound allows {total:.4g}"
        return Check("upper", "undecided", sentence, {"ratio": None, "interval": None, "bound": total})
    if total == 0:
        holds = measured.value <= zero
        sentence = f"measured {measured.value:.4g}, and the bound is 0, with a rounding error of {zero:.1g}"
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


def lower_bound_check(measured: Estimate, bound: Prediction, rounds: int) -> Check:
    """The check of measured against a lower bound, with the ratio and its interval.

    A first-passage time that exceeds the run is above the bound where the run has that many rounds, and
    undecided where it has fewer.
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


_NAME = "engines agree"
_ERRORS = 5
_ROUNDING = 1e-9
"""Relative, of exact moments against the mean of replicas that hardly differ."""
_ONE_RUN = 1e-6
"""Relative, of exact moments against a run in which nothing is random."""


def agreement_check(context: EvaluationContext, estimate: Estimate, exact: Trajectory) -> Check:
    """The check of an estimate from the context's trajectory against the exact expectation.

    It is not tested for one replica, which has no standard error.
    """
    recorded = context.trajectory
    error = estimate.standard_error
    if not math.isfinite(error):
        return Check(_NAME, "not tested", "a single replica has no standard error; use more replicas")
    try:
        truth = measure_claim(replace(context, recorded=exact)).value
    except BoundkitError as reason:
        return Check(_NAME, "not tested", str(reason))
    difference = abs(estimate.value - truth)
    rounding = (_ROUNDING if recorded.random else _ONE_RUN) * max(abs(truth), 1e-300)
    z = difference / error if error > 0 else 0.0
    distance = f"{z:.1f} standard errors from it" if error > 0 else f"{difference:.1e} from it"
    return Check(
        _NAME,
        "holds" if difference <= _ERRORS * error + rounding else "violated",
        f"exact moments give {truth:.6g}; the {recorded.engine} engine is {distance}",
        {"exact": truth, "z": z},
    )
