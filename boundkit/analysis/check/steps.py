"""Checks of the conditions: that they can be met, and that they say how large a step may be."""

from __future__ import annotations

import numpy as np

from boundkit.algebra import BoundkitError
from boundkit.algebra.notation import eta
from boundkit.algebra.printing import plain
from boundkit.analysis.check.context import Setting
from boundkit.analysis.check.points import numbers
from boundkit.analysis.check.result import Found, failed, passed, skipped
from boundkit.analysis.evaluate import satisfied
from boundkit.analysis.step_size import largest, limit_at

_INSIDE, _OUTSIDE = 1 - 1e-9, 1 + 1e-6


def conditions(setting: Setting) -> Found:
    """There are values that meet every condition."""
    if not setting.conditions:
        return skipped("it states no condition.")
    if setting.unmet:
        return failed(setting.unmet)
    return passed(f"{len(setting.points)} random points meet all {len(setting.conditions)} conditions.")


def largest_step(setting: Setting) -> Found:
    """The conditions can be solved for the largest eta; it meets them, and a larger one does not."""
    theorem = setting.theorem
    if not any(eta in c.free_symbols for c in theorem.step_size):
        return skipped("no condition limits eta.")
    try:
        limit = largest(theorem)
    except (BoundkitError, NotImplementedError) as error:
        return failed(f"the conditions cannot be solved for eta: {error}")
    for point in setting.points:
        values = numbers(point)
        top = float(limit_at(limit, values))
        if not np.isfinite(top):
            continue
        for share, wanted in ((_INSIDE, True), (_OUTSIDE, False)):
            met = all(bool(satisfied(c, {**values, "eta": share * top})) for c in theorem.step_size)
            if met != wanted:
                said = "does not meet" if wanted else "is not the largest that meets"
                return failed(f"eta = {plain(limit)} {said} the conditions at random values.")
    return passed(f"the largest eta is {plain(limit)}.")
