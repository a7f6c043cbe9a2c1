"""Where a run settles as its step goes to 0, and the gradient of the objective there."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np

from boundkit.algebra import BoundkitError
from boundkit.algebra.vocabulary import SURROGATE_STATIONARY_GRADIENT
from boundkit.simulation.fixed_point import fixed_point
from boundkit.simulation.problems import Quadratic
from boundkit.simulation.problems.base import Array
from boundkit.simulation.run import Run
from boundkit.simulation.trajectory import Estimate
from boundkit.verification.measures.surrogate import surrogate
from boundkit.verification.quantities import Subject

_FIRST, _HALVINGS = 0.02, 4
"""eta L tau of the largest step from which the limit is taken, and how often it is halved."""
_ROUNDING = 1e-11


def settled(run: Run) -> tuple[Array, float]:
    """lim_{eta -> 0} lim_{T -> inf} E x_T, and about how far off it may be.

    The fixed points of the expected round at steps that are halved, taken to 0 by Richardson's table: their
    error in eta is a power series. Where the point does not depend on the step nothing is taken off. Raises
    BoundkitError where there is no fixed point.
    """
    if not isinstance(run.problem, Quadratic):
        raise BoundkitError(f"where it settles is not solved for on a {run.problem.kind} problem.")
    L = run.problem.constants(run.x0)["L"].value
    first = _FIRST / (L * float(run.local_steps.max()))
    rows = []
    for k in range(_HALVINGS):
        slow = replace(run, eta=first / 2**k, watch={})
        rows.append(fixed_point(slow).points.mean(axis=0))
    before = rows[-1]
    while len(rows) > 1:
        order = _HALVINGS - len(rows) + 1
        before = rows[-1]
        rows = [fine + (fine - coarse) / (2**order - 1) for coarse, fine in pairwise(rows)]
    off = float(np.linalg.norm(rows[0] - before))
    return rows[0], off if off > _ROUNDING * max(1.0, float(np.abs(rows[0]).max())) else 0.0


def settled_gradient(subject: Subject) -> Estimate:
    """||grad F||^2 where the run settles, with what the last line of the table may have left.

    Where the claim is about the point at which the surrogate has no gradient, at that point.
    """
    problem = subject.run.problem
    if subject.theorem.claim.name == SURROGATE_STATIONARY_GRADIENT.name:
        point, off = surrogate(subject.theorem, subject.run).centre, 0.0
    else:
        point, off = settled(subject.run)
    value = float(problem.observe(point)["gradient_norm_squared"])
    norm, L = value**0.5, problem.constants(subject.run.x0)["L"].value
    return Estimate(value, max(norm - L * off, 0.0) ** 2, (norm + L * off) ** 2)


LIMITS = {"gradient_norm_squared": settled_gradient}
