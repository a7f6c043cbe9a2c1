"""Error floors: is the limit of the claimed quantity for many rounds below the bound's limit?

The slopes test whether each term of a theorem scales as stated. They cannot detect a missing term. So every
error source is isolated in turn, also those that the theorem does not name, and the claimed quantity, exact
and in the limit of many rounds, is compared with the bound's limit. The step sizes are so small that a term
of higher order cannot compensate for a missing one.
"""

from __future__ import annotations

from boundkit.algebra import Theorem
from boundkit.simulation.engines.aggregation_weights import TooManySubsets
from boundkit.simulation.participation import NoClosedForm
from boundkit.verification.checks.bound_comparison import ROUNDING
from boundkit.verification.checks.check import Check
from boundkit.verification.checks.single_error_source import ISOLATED, ZERO_FLOOR, NotIsolated
from boundkit.verification.checks.slopes import has_exact_sweeps, sweep


def error_floor_check(theorem: Theorem) -> Check:
    """The largest measured/bound in the limit of many rounds, over single error sources and small steps."""
    if not has_exact_sweeps(theorem):
        sentence = (
            "a clipped round has no exact moments; with full gradients of all clients the error floor is 0"
        )
        return Check("floor", "not tested", sentence)
    worst, where, tested = 0.0, "no cause", 0
    for cause, isolation in ISOLATED.items():
        if isolation.early:
            continue
        try:
            points = sweep(theorem, None, "eta", isolation)
        except (NotIsolated, NoClosedForm, TooManySubsets):
            continue
        tested += 1
        for eta, measured, bound in zip(points.at, points.measured, points.bound_limit, strict=True):
            if measured <= ZERO_FLOOR:
                continue
            ratio = float(measured / bound) if bound > 0 else float("inf")
            if ratio > worst:
                worst, where = ratio, f"{cause} alone, at eta = {eta:g}"
    if not tested:
        return Check("floor", "not tested", "no instance here isolates a single cause of the theorem")
    sentence = f"is at most {worst:.4g}" if worst <= 1 + ROUNDING else f"reaches {worst:.10g}, more than 1"
    return Check(
        "floor",
        "holds" if worst <= 1 + ROUNDING else "violated",
        f"in the limit of many rounds measured/bound {sentence} ({where})",
        {"largest_ratio": worst if worst < float("inf") else None},
    )
