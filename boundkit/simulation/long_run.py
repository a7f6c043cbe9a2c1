"""Limit of a run, estimated from long runs: for rounds that are not affine or have no known distribution.

Two runs are made, from the start and from the other side of the optimum, with the same clients and noise. If
they agree at the end, this is the limit; otherwise they have not converged yet, or depend on the start.
A deterministic run is followed until some periods leave it unchanged; a random one is averaged
over the second half of its rounds, each replica counting as one number.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from boundkit.algebra import BoundkitError
from boundkit.simulation.arrays import Array
from boundkit.simulation.engines import StepEngine
from boundkit.simulation.fixed_point import FixedPoint
from boundkit.simulation.run import Run

_ROUNDS, _REPLICAS = 1000, 40
_DOUBLINGS = 4
_UNCHANGED, _EQUAL = 1e-12, 1e-9
_AGREEMENT = 0.2
"""Largest difference of two random runs at the end, as a fraction of the statistical margin."""
_NO_APPROACH, _SIGNIFICANT = 0.95, 5
"""Two runs that differ by this fraction of their initial distance and this many margins do not converge."""
_CYCLES = 8
"""Most periods of a cycle of a deterministic run."""


def long_run(run: Run, optimum: Array) -> tuple[FixedPoint, tuple[float, float]]:
    """The limit, and an interval for the distance of its mean point to the optimum (99 % where it is random).

    Raises BoundkitError where the run diverges, never begins, or still depends on its start.
    """
    engine = StepEngine(run, 1, "float64")
    offset = run.x0 - optimum
    other = replace(run, x0=optimum - (offset if np.abs(offset).max() > 0 else 1.0))
    estimate = _average_tail if engine.random else _find_cycle
    rounds = 2 * run.period * (max(run.rounds, _ROUNDS) // (2 * run.period) + 1)
    gap, initial_gap = float("inf"), float(np.linalg.norm(run.x0 - other.x0))
    for _ in range(_DOUBLINGS):
        (limit, margin), (elsewhere, _) = (estimate(replace(r, rounds=rounds)) for r in (run, other))
        mean = limit.points.mean(axis=0)
        gap = float(np.linalg.norm(mean - elsewhere.points.mean(axis=0)))
        size = max(1.0, float(np.abs(limit.points).max()))
        if margin < float("inf") and gap <= max(_AGREEMENT * margin, _EQUAL * size):
            distance, width = float(np.linalg.norm(mean - optimum)), margin + gap
            return limit, (max(distance - width, 0.0), distance + width)
        if gap > _NO_APPROACH * initial_gap and (margin == float("inf") or gap > _SIGNIFICANT * margin):
            break
        rounds *= 2
    else:
        rounds //= 2
    raise BoundkitError(
        f"after {rounds} rounds from two starts the run ends {gap:.3g} apart: "
        "it has not converged, or its limit depends on the start."
    )


def _average_tail(run: Run) -> tuple[FixedPoint, float]:
    """The mean over the second half, and half of its 99 % interval in any direction."""
    from scipy.special import stdtrit

    means, models = StepEngine(run, _REPLICAS, "float64").tail_means(run.rounds // 2)
    # the largest eigenvalue of the covariance bounds the standard error in any direction
    cov = np.atleast_2d(np.cov(means, rowvar=False)) / len(means)
    deviation = max(float(np.linalg.eigvalsh(cov)[-1]), 0.0) ** 0.5
    limits = {n: v.mean(axis=0)[None] for n, v in models.items()}
    point = FixedPoint(means.mean(axis=0)[None], float("nan"), float("nan"), limits)
    return point, float(stdtrit(len(means) - 1, 0.995)) * deviation


def _find_cycle(run: Run) -> tuple[FixedPoint, float]:
    """The last periods; the margin is infinite where they differ from those before."""
    trajectory = StepEngine(run, 1, "float64").trajectory()
    if trajectory.outcome == "diverged":
        raise BoundkitError(f"the run diverges in round {trajectory.diverged_at}, so it has no limit.")
    if trajectory.outcome == "waiting":
        raise BoundkitError("the run never begins: some client never participates.")
    size = max(1.0, float(np.abs(trajectory.x[-1]).max()))
    for cycles in range(1, _CYCLES + 1):
        length = cycles * run.period
        if len(trajectory.x) <= 2 * length:
            break
        change = float(np.abs(trajectory.x[-length:] - trajectory.x[-2 * length : -length]).max()) / size
        if change <= _UNCHANGED:
            models = {n: v[-length - 1 : -1] for n, v in trajectory.models.items()}
            return FixedPoint(trajectory.x[-length - 1 : -1], float("nan"), change, models), 0.0
    return FixedPoint(trajectory.x[-run.period - 1 : -1], float("nan"), float("nan"), {}), float("inf")
