"""Constants of a problem measured along a trajectory, each with an interval and the place of its measurement.

One module for each kind of constant, with ``ESTIMATES``: functions of the ``LocalEvaluations``, by name.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from boundkit.algebra import BoundkitError
from boundkit.algebra.errors import unknown
from boundkit.simulation.arrays import Array
from boundkit.simulation.participation import Participation
from boundkit.simulation.participation import participation as make_participation
from boundkit.simulation.problems import Problem
from boundkit.simulation.trajectory import Trajectory
from boundkit.simulation.validation import checked_array
from boundkit.verification.estimate import dissimilarity, noise, selection_skew, smoothness
from boundkit.verification.estimate.local_evaluations import LocalEvaluations
from boundkit.verification.estimate.measurement import Estimates, MeasuredConstant

__all__ = ["ESTIMATES", "LocalEvaluations", "MeasuredConstant", "estimate"]


ESTIMATES: dict[str, Callable[[LocalEvaluations], MeasuredConstant]] = {
    name: estimate
    for module in (
        smoothness,
        noise,
        dissimilarity,
        selection_skew,
    )
    for name, estimate in module.ESTIMATES.items()
}
"""Everything that can be estimated, by name."""
_OF_SELECTIONS = frozenset(selection_skew.ESTIMATES)
MOST = 50
"""Number of points of a trajectory at which constants are measured."""


def estimate(
    problem: Problem,
    points: Trajectory | Array,
    *,
    participation: Any = None,
    names: Sequence[str] | None = None,
    most: int = MOST,
    hessians: int = 5,
    seed: int = 0,
) -> Estimates:
    """Estimate the constants of a problem, such as a network's, at points of a trajectory.

    All are local: they are measured at these points and may be exceeded elsewhere.

    Parameters
    ----------
    problem : Problem
        The problem, of d weights.
    points : Trajectory or array
        A trajectory, of which the first replica's iterates are taken where there are many weights, else the
        mean ones; or weights, (P, d).
    participation
        As of a run, for the skew of a selection.
    names : sequence of str, optional
        Some of L, L_mean, L_secant, sigma, sigma_average, G, sigma_g (D2), sigma_g_worst (D1), beta, kappa,
        sigma_star, gap, Gamma, L0, L1, rho_bar, rho_tilde; by default all that make sense here.
    most : int
        The number of points, spread evenly, at which gradients and losses are taken.
    hessians : int
        The number of these at which curvature and noise are taken.
    seed : int
        Of the random vectors.

    Returns
    -------
    Estimates
        The constants by name, in the units of the problem.

    Raises
    ------
    BoundkitError
        For unknown names, and for points of another shape.

    Examples
    --------
    >>> import numpy as np, boundkit as bk
    >>> line = bk.Quadratic([1.0, 3.0], [[0.0], [2.0]])
    >>> result = estimate(line, np.array([[0.0], [1.0]]), names=["L", "sigma_g"])
    >>> round(result["L"].value, 9), round(result["sigma_g"].value, 9)
    (3.0, 3.0)
    """
    local = evaluate_locally(problem, points, participation, most, hessians, seed)
    wanted = list(names) if names is not None else [*ESTIMATES]
    for name in wanted:
        if name not in ESTIMATES:
            raise unknown("estimate", name, ESTIMATES)
    if names is None:
        wanted = [n for n in wanted if participation is not None or n not in _OF_SELECTIONS]
        if len(local.hessian_points) < 2:
            wanted.remove("L_secant")
    return Estimates({name: ESTIMATES[name](local) for name in wanted})


def evaluate_locally(
    problem: Problem,
    points: Trajectory | Array,
    participation: Any = None,
    most: int = MOST,
    hessians: int = 5,
    seed: int = 0,
) -> LocalEvaluations:
    """The evaluations at ``most`` of the given points, evenly spaced."""
    if isinstance(points, Trajectory):
        iterates = points.x if points.path is None else points.path
        rounds = points.rounds[: len(iterates)]
    else:
        given = np.asarray(points)
        iterates = checked_array("points", given[None] if given.ndim == 1 else given, (None, problem.d))
        rounds = np.arange(len(iterates))
    if not len(iterates):
        raise BoundkitError("points must contain at least one iterate, but they are empty.")
    indices = np.unique(
        np.linspace(0, len(iterates) - 1, min(max(most, 1), len(iterates))).round().astype(int)
    )
    participating: Participation | None = None
    if participation is not None:
        is_given = isinstance(participation, Participation)
        participating = participation if is_given else make_participation(participation, problem.m, problem.p)
    selected = np.ascontiguousarray(iterates[indices], dtype=np.float64)
    return LocalEvaluations(
        problem, selected, tuple(int(t) for t in rounds[indices]), participating, seed, max(hessians, 1)
    )
