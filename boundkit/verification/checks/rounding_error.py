"""Rounding error of a claimed quantity that should be 0, in the quantity's own units.

Two sizes. What the quantity is at the start of the run, times 1e-9. And, where it starts near the optimum,
what it is when a model is moved from there by 1e-9 of the lengths that its sums are made of: those of x_0, of
x*, and of the way from x* to where a client would rather be, which is about the spread of gradients over L.
"""

from __future__ import annotations

import numpy as np

from boundkit.algebra import BoundkitError
from boundkit.simulation.run import Run
from boundkit.verification.checks.stationary_constants import observe_points
from boundkit.verification.context import Context

SMALL = 1e-9
_ROOTS = {"gradient_norm": "gradient_norm_squared", "distance": "distance_squared"}


def rounding_error(context: Context) -> float:
    """The largest value of the claimed quantity that counts as 0 on this run."""
    try:
        start = float(np.abs(context.series()[:, 0]).mean())
    except BoundkitError:  # nothing of it is recorded by round
        start = 0.0
    return SMALL * start + value_near_optimum(context, SMALL)


def value_near_optimum(context: Context, part: float) -> float:
    """The claimed quantity at x* moved by this part of the run's lengths; 0 where it is not seen there."""
    run = context.run
    near = run.problem.centre + part * _length(run)
    observed = observe_points(run, near[None])
    name = context.theorem.claim.observable
    root = next((r for r in _ROOTS if name == r or name.endswith(f"_{r}")), None)
    wanted = name if root is None else name.removesuffix(root) + _ROOTS[root]
    key = max((k for k in observed if wanted == k or wanted.endswith(f"_{k}")), key=len, default=None)
    if key is None:
        return 0.0
    value = abs(float(observed[key][0]))
    return value if root is None else float(value**0.5)


def _length(run: Run) -> float:
    problem = run.problem
    there = problem.observe(run.x0[None])
    spread = float(np.asarray(there["dissimilarity"])[0]) ** 0.5 / problem.constants(run.x0)["L"].value
    return float(max(spread, np.abs(run.x0).max(), np.abs(problem.centre).max()))
