"""Does the whole bound lie above what many rounds leave, whatever its terms are?

A slope asks each term of a theorem whether it scales as it says. It cannot ask for a term that is not
there. So every cause is isolated in turn, also those that the theorem does not name, and the claimed
quantity, exact and in the limit of many rounds, is held against the bound's limit. The steps go down to
where a term that is missing cannot hide behind one of a higher order.
"""

from __future__ import annotations

from boundkit.algebra import Theorem
from boundkit.simulation.engines.aggregation_weights import TooManySubsets
from boundkit.simulation.participation import NoLaw
from boundkit.verification.checks import single_error_source
from boundkit.verification.checks.check import Check
from boundkit.verification.checks.slopes import ISOLATED, has_exact_sweeps, sweep
from boundkit.verification.checks.upper_bound import ROUNDING


def error_floor_check(theorem: Theorem) -> Check:
    """The largest measured/bound in the limit of many rounds, over single causes and small steps."""
    if not has_exact_sweeps(theorem):
        said = "a clipped round has no exact moments; exact gradients of all clients leave nothing in the end"
        return Check("floor", "not tested", said)
    worst, where, asked = 0.0, "no cause", 0
    for cause, (instance, _) in ISOLATED.items():
        if cause in ("initial gap", "start-up"):
            continue
        try:
            seen = sweep(theorem, None, "eta", instance)
        except (single_error_source.NotIsolated, NoLaw, TooManySubsets):
            continue
        asked += 1
        for eta, measured, bound in zip(seen.at, seen.measured, seen.floor, strict=True):
            if measured <= single_error_source.ROUNDED:
                continue
            ratio = float(measured / bound) if bound > 0 else float("inf")
            if ratio > worst:
                worst, where = ratio, f"{cause} alone, at eta = {eta:g}"
    if not asked:
        return Check("floor", "not tested", "no instance here shows one cause of the theorem alone")
    said = f"is at most {worst:.4g}" if worst <= 1 + ROUNDING else f"reaches {worst:.10g}, more than 1"
    return Check(
        "floor",
        "holds" if worst <= 1 + ROUNDING else "violated",
        f"in the limit of many rounds measured/bound {said} ({where})",
        {"largest_ratio": worst if worst < float("inf") else None},
    )
