"""What is claimed of the mean of the local models at every local step, and of where FedAvg rests."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from boundkit.algebra import BoundkitError
from boundkit.simulation.fixed_point import fixed_point
from boundkit.simulation.problems import Quadratic
from boundkit.simulation.trajectory import Estimate
from boundkit.verification.quantities import Subject
from boundkit.verification.quantities.steps import one_round_from, steps_of_rounds

Array = NDArray[np.float64]
_MOST_ROUNDS = 100_000
_RESTS = 1e-13


def _recorded(subject: Subject, name: str) -> Array:
    seen = subject.trajectory
    if name not in seen.observed:
        raise BoundkitError(f"this run has no {name.replace('_', ' ')} to measure.")
    return seen.observed[name]


def virtual_gradient(subject: Subject) -> Array:
    """The mean over the local steps of a round, times how many they are beside the mean of all rounds.

    So the mean over rounds is the mean over all local steps.
    """
    series = _recorded(subject, "virtual_gradient_norm_squared")
    if subject.run.algorithm.name != "adacomm" and subject.run.tau is not None:
        return series
    steps, _ = steps_of_rounds(subject)
    share = steps / steps.mean()
    return np.concatenate([series[:, :-1] * share, series[:, -1:]], axis=1)


def virtual_loss_gap(subject: Subject) -> Array:
    """The mean over the local steps 1, ..., tau of a round, of which the last is the next round's start."""
    series = _recorded(subject, "virtual_loss_gap").copy()
    at = _recorded(subject, "loss_gap")
    steps = np.array([subject.run.steps(t).max() for t in range(series.shape[1] - 1)])
    series[:, :-1] += (at[:, 1:] - at[:, :-1]) / steps
    return series


def resting_distance(subject: Subject) -> Estimate:
    """||xt - x*|| where a round without noise leaves xt.

    Solved for on quadratics; elsewhere rounds are taken until none moves the model any more.
    """
    run = subject.run
    optimum = run.problem.optimum
    if optimum is None:
        raise BoundkitError("this problem has no one minimum, so no distance from it.")
    if isinstance(run.problem, Quadratic):
        value = float(np.linalg.norm(fixed_point(run).points[0] - optimum))
        return Estimate(value, value, value)
    if run.problem.large:
        raise BoundkitError("where rounds without noise leave so many weights is not sought here.")
    x = subject.trajectory.x[-1]
    for _ in range(_MOST_ROUNDS):
        after = one_round_from(run, x)
        moved = float(np.linalg.norm(after - x))
        x = after
        if moved <= _RESTS * max(1.0, float(np.linalg.norm(x))):
            value = float(np.linalg.norm(x - optimum))
            return Estimate(value, value, value)
    raise BoundkitError(f"the run has not come to rest after {_MOST_ROUNDS:,} rounds.")


DERIVED = {"virtual_gradient_norm_squared": virtual_gradient, "virtual_loss_gap": virtual_loss_gap}
LIMITS = {"distance": resting_distance}
