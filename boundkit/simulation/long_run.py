"""Limit of a run, estimated from long runs: for rounds that are not affine or have no known distribution.

Two runs are made, from the start and from the other side of the optimum, with the same clients and noise. If
they agree at the end, this is the limit; otherwise they have not converged yet, or depend on the start.
A deterministic run is followed until some periods leave it unchanged; a random one is averaged
over the second half of its rounds, each replica counting as one number.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from boundkit.algebra import BoundkitError
from boundkit.simulation.engines import Step
from boundkit.simulation.fixed_point import FixedPoint
from boundkit.simulation.run import Run

Array = NDArray[np.float64]
_ROUNDS, _REPLICAS = 1000, 40
_DOUBLINGS = 4
_STILL, _SAME = 1e-12, 1e-9
_FORGOTTEN = 0.2
"""Largest difference of two random runs at the end, as a fraction of the statistical margin."""
_HARDLY_MOVED, _CERTAINLY = 0.95, 5
"""Two runs that differ by this fraction of their initial distance and this many margins do not converge."""
_CYCLES = 8
"""Most periods of a cycle of a deterministic run."""


def long_run(run: Run, optimum: Array) -> tuple[FixedPoint, tuple[float, float]]:
    """The limit, and an interval for the distance of its mean point to the optimum (99 % where it is random).

    Raises BoundkitError where the run diverges, never begins, or still depends on its start.
    """
    engine = Step(run, 1, "float64")
    far = run.x0 - optimum
    other = replace(run, x0=optimum - (far if np.abs(far).max() > 0 else 1.0))
    follow = _averaged if engine.random else _followed
    rounds = 2 * run.period * (max(run.rounds, _ROUNDS) // (2 * run.period) + 1)
    apart, at_start = float("inf"), float(np.linalg.norm(run.x0 - other.x0))
    for _ in range(_DOUBLINGS):
        (limit, margin), (elsewhere, _) = (follow(replace(r, rounds=rounds)) for r in (run, other))
        mean = limit.points.mean(axis=0)
        apart = float(np.linalg.norm(mean - elsewhere.points.mean(axis=0)))
        size = max(1.0, float(np.abs(limit.points).max()))
        if margin < float("inf") and apart <= max(_FORGOTTEN * margin, _SAME * size):
            distance, width = float(np.linalg.norm(mean - optimum)), margin + apart
            return limit, (max(distance - width, 0.0), distance + width)
        if apart > _HARDLY_MOVED * at_start and (margin == float("inf") or apart > _CERTAINLY * margin):
            break
        rounds *= 2
    else:
        rounds //= 2
    raise BoundkitError(
        f"after {rounds} rounds from two starts the run ends {apart:.3g} apart: "
        "it has not settled, or its limit depends on the start."
    )


def _averaged(run: Run) -> tuple[FixedPoint, float]:
    """The mean over the second half, and half of its 99 % interval in any direction."""
    from scipy.special import stdtrit

    means, models = Step(run, _REPLICAS, "float64").tails(run.rounds // 2)
    # the mean of replicas has a covariance; its largest axis bounds the spread in any direction
    cov = np.atleast_2d(np.cov(means, rowvar=False)) / len(means)
    spread = max(float(np.linalg.eigvalsh(cov)[-1]), 0.0) ** 0.5
    limits = {n: v.mean(axis=0)[None] for n, v in models.items()}
    point = FixedPoint(means.mean(axis=0)[None], float("nan"), float("nan"), limits)
    return point, float(stdtrit(len(means) - 1, 0.995)) * spread


def _followed(run: Run) -> tuple[FixedPoint, float]:
    """The last periods; the margin is infinite where they differ from those before."""
    seen = Step(run, 1, "float64").trajectory()
    if seen.outcome == "diverged":
        raise BoundkitError(f"the run diverges in round {seen.diverged_at}, so it has no limit.")
    if seen.outcome == "waiting":
        raise BoundkitError("the run never begins: some client never comes.")
    size = max(1.0, float(np.abs(seen.x[-1]).max()))
    for cycles in range(1, _CYCLES + 1):
        length = cycles * run.period
        if len(seen.x) <= 2 * length:
            break
        moved = float(np.abs(seen.x[-length:] - seen.x[-2 * length : -length]).max()) / size
        if moved <= _STILL:
            models = {n: v[-length - 1 : -1] for n, v in seen.models.items()}
            return FixedPoint(seen.x[-length - 1 : -1], float("nan"), moved, models), 0.0
    return FixedPoint(seen.x[-run.period - 1 : -1], float("nan"), float("nan"), {}), float("inf")
