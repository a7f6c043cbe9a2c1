"""Observables of a run on quadratics, as quadratic forms in x - centre."""

from __future__ import annotations

import numpy as np

from boundkit.algebra import BoundkitError
from boundkit.simulation.arrays import Array
from boundkit.simulation.problems import Quadratic
from boundkit.simulation.problems.base import QuadraticForm
from boundkit.simulation.run import Run


def quadratic_forms(run: Run) -> dict[str, QuadraticForm]:
    """Every observable of the problem, and those of the run's further objectives, with their prefix.

    Raises BoundkitError where one of them is not quadratic.
    """
    if not isinstance(run.problem, Quadratic):
        raise BoundkitError(f"the exact engine needs a quadratic problem, not {run.problem.kind}.")
    forms = dict(run.problem.forms)
    for prefix, other in run.objectives.items():
        if not isinstance(other, Quadratic):
            raise BoundkitError(f"the exact engine can watch quadratics only, not {other.kind}.")
        shift = run.problem.centre - other.centre
        forms |= {f"{prefix}_{n}": f.moved(shift) for n, f in other.forms.items()}
    return forms


def expectation(form: QuadraticForm, mean: Array, cov: Array) -> Array:
    """E of the form at points of that mean, (..., d), and covariance, (..., d, d)."""
    if form.Q.ndim == 1:
        variance = np.diagonal(cov, axis1=-2, axis2=-1) @ form.Q
    else:
        variance = (cov * form.Q).sum(axis=(-2, -1))
    return np.asarray(form(mean) + variance)
