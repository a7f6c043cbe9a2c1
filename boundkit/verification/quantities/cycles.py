"""What theorems on clients that take turns ask for: groups, dissimilarities, the Polyak-Lojasiewicz constant.

The proofs read sigma_between where a cycle starts. sigma_within they read where a group is met, or, where
clients take several local steps, where a cycle starts.
"""

from __future__ import annotations

import numpy as np

from boundkit.algebra import BoundkitError
from boundkit.simulation.constant import Constant
from boundkit.simulation.problems import Quadratic, SmoothNonconvex
from boundkit.simulation.problems.base import Array
from boundkit.verification.group_dissimilarity import PREFIX, groups_of, groups_seen
from boundkit.verification.quantities.subject import Subject

_ZERO = 1e-12


def _groups(subject: Subject) -> Constant:
    return Constant(len(groups_of(subject.run)), "exact", "the run's own")


def _same_everywhere(subject: Subject) -> bool:
    """Whether the gradients of clients differ by the same at every point."""
    problem = subject.run.problem
    if isinstance(problem, Quadratic):
        return bool(np.ptp(problem.H, axis=0).max() <= 1e-14 * np.abs(problem.H).max())
    return isinstance(problem, SmoothNonconvex)


def _starts(subject: Subject, cycle: int) -> np.ndarray:
    """The rounds with which cycles start."""
    return np.arange(0, max(len(subject.trajectory.x) - 1, 1), cycle)


def _of_groups(subject: Subject, what: str, where_met: bool) -> Constant:
    """The root of the largest expectation of ``what``, over groups and the rounds that the proof looks at."""
    run = subject.run
    K = len(groups_of(run))
    if _same_everywhere(subject):
        seen = groups_seen(subject.theorem, run)[PREFIX].observe(run.x0[None])
        worst = max(float(seen[f"{what}_{k}"][0]) for k in range(K))
        return Constant(max(worst, 0.0) ** 0.5, "exact", "the same at every point")
    trajectory = subject.trajectory
    name = f"{PREFIX}_{what}_0"
    if name not in trajectory.observed:
        raise BoundkitError("the groups of this run were not looked at while it ran.")
    rounds = _starts(subject, K)
    worst, at = -1.0, 0
    for k in range(K):
        met = rounds + k if where_met else rounds
        series = trajectory.mean(f"{PREFIX}_{what}_{k}")
        met = met[met < max(len(series) - 1, 1)]
        if len(met) and float(series[met].max()) > worst:
            at = int(met[np.argmax(series[met])])
            worst = float(series[at])
    where = "where a group is met" if where_met else "where a cycle starts"
    return Constant(
        max(worst, 0.0) ** 0.5,
        "estimated" if trajectory.random else "local",
        f"largest along the run {where}, at round {at}",
    )


def _between(subject: Subject) -> Constant:
    return _of_groups(subject, "between", where_met=False)


def _within(subject: Subject) -> Constant:
    return _of_groups(subject, "within", where_met=not subject.theorem.assumes("whole-groups"))


def _mu_pl(subject: Subject) -> Constant:
    """mu with ||grad F||^2 >= 2 mu (F - F*): an eigenvalue on quadratics, else where the proof reads it."""
    problem = subject.run.problem
    if isinstance(problem, Quadratic):
        values = problem.mean_eigenvalues
        curved = values[values > _ZERO * values[-1]]
        if not len(curved):
            raise BoundkitError("mu_pl is not known of a flat mean: no eigenvalue of sum p_i H_i is above 0.")
        return Constant(float(curved[0]), "exact", "smallest eigenvalue of sum p_i H_i above 0")
    seen = subject.trajectory
    rounds = _starts(subject, len(groups_of(subject.run)))
    square, gap = seen.mean("gradient_norm_squared")[rounds], seen.mean("loss_gap")[rounds]
    ratio = _ratio(square, gap)
    how = f"least of ||grad F||^2/(2 (F - F*)) where a cycle starts, at round {int(rounds[np.argmin(ratio)])}"
    return Constant(float(ratio.min()), "estimated" if seen.random else "local", how)


def _ratio(square: Array, gap: Array) -> Array:
    """||grad F||^2/(2 gap), infinite where there is no gap. Raises BoundkitError where none is left."""
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = np.where(gap > 0, square / (2 * gap), np.inf)
    if not np.isfinite(ratio).any():
        raise BoundkitError("every cycle of the run starts at the optimum, where any mu_PL will do.")
    return ratio


KNOWN = {"groups": _groups, "sigma_between": _between, "sigma_within": _within, "mu_pl": _mu_pl}
