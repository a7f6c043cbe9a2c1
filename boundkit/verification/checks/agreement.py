"""Agreement of engines: the sampled mean is within five standard errors of the exact expectation."""

from __future__ import annotations

import math
from dataclasses import replace

from boundkit.algebra import BoundkitError
from boundkit.simulation.confidence_interval import Estimate
from boundkit.simulation.trajectory import Trajectory
from boundkit.verification.checks.check import Check
from boundkit.verification.claims import measure_claim
from boundkit.verification.context import Context

_NAME = "engines agree"
_ERRORS = 5
_ROUNDING = 1e-9
"""Relative, of exact moments against the mean of replicas that hardly differ."""
_ONE_RUN = 1e-6
"""Relative, of exact moments against a run in which nothing is random."""


def agreement_check(context: Context, estimate: Estimate, exact: Trajectory) -> Check:
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
