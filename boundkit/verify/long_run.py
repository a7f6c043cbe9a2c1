"""Where a run goes, estimated from long runs: for rounds that are not affine or have no law of their own.

A deterministic run is followed until a period leaves it where it is; a random one is averaged over the
second half of its rounds, each replica counting as one number.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from boundkit.algebra import BoundkitError
from boundkit.verify.engines import Step
from boundkit.verify.fixed_point import FixedPoint
from boundkit.verify.run import Run

Array = NDArray[np.float64]
_ROUNDS, _REPLICAS = 1000, 40
_DOUBLINGS = 3
_STILL = 1e-12


def long_run(run: Run, optimum: Array) -> tuple[FixedPoint, tuple[float, float]]:
    """The limit, and a 99 % interval for the distance of its mean point to the optimum.

    Raises BoundkitError where the run diverges.
    """
    from scipy.special import stdtrit

    rounds = max(run.rounds, _ROUNDS) // run.period * run.period + run.period
    engine = Step(replace(run, rounds=rounds), _REPLICAS, "float64")
    if not engine.random:
        return _followed(run, rounds, optimum)
    means, models = engine.tails(rounds // 2)
    distance = float(np.linalg.norm(means.mean(axis=0) - optimum))
    # the mean of replicas has a covariance; its largest axis bounds the spread in any direction
    cov = np.atleast_2d(np.cov(means, rowvar=False)) / len(means)
    spread = float(np.linalg.eigvalsh(cov)[-1]) ** 0.5
    margin = float(stdtrit(len(means) - 1, 0.995)) * spread
    point = means.mean(axis=0)[None]
    return (
        FixedPoint(point, float("nan"), float("nan"), {n: v.mean(axis=0)[None] for n, v in models.items()}),
        (max(distance - margin, 0.0), distance + margin),
    )


def _followed(run: Run, rounds: int, optimum: Array) -> tuple[FixedPoint, tuple[float, float]]:
    start, moved, points = run, np.inf, np.zeros((run.period, run.problem.d))
    for _ in range(_DOUBLINGS):
        seen = Step(replace(start, rounds=rounds), 1, "float64").trajectory()
        if seen.outcome == "diverged":
            raise BoundkitError(f"the run diverges in round {seen.diverged_at}, so it has no limit.")
        points = seen.x[-run.period - 1 : -1]
        size = max(1.0, float(np.abs(points).max()))
        moved = float(np.abs(seen.x[-1] - seen.x[-1 - run.period]).max()) / size
        if moved <= _STILL:
            break
        rounds *= 2
    at = float(np.linalg.norm(points.mean(axis=0) - optimum))
    wide = moved * max(1.0, float(np.abs(points).max())) * rounds
    return FixedPoint(points, float("nan"), moved, {}), (max(at - wide, 0.0), at + wide)
