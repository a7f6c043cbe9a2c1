"""Where an algorithm goes: the fixed point or cycle of its expected round map.

On quadratics the expected round is affine in the expected state, so its fixed point is a linear
solve. The map comes from the algorithm's own code (engines/probe.py), the expectation over who comes
from the law of participation. Under sampling the iterate itself keeps moving; its mean settles here.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce

import numpy as np
from numpy.typing import NDArray

from boundkit.algebra import BoundkitError
from boundkit.verify.engines.affine import AffineRun
from boundkit.verify.engines.moments import RoundMean
from boundkit.verify.run import Run

Array = NDArray[np.float64]
_SAME = 1e-11
_UNDETERMINED = 1e13


@dataclass(frozen=True)
class FixedPoint:
    """The limit of E x_t: ``points`` (period, d), all alike where it is one point.

    ``spectral_radius``: the factor by which the mean settles in one whole period; at 1 or above it does
    not. ``residual``: how far one period moves the first point, relative to the points' size.
    """

    points: Array
    spectral_radius: float
    residual: float

    @property
    def is_point(self) -> bool:
        """Whether the limit is one point rather than a cycle."""
        return bool(np.ptp(self.points, axis=0).max() <= _SAME * max(1.0, float(np.abs(self.points).max())))

    @property
    def stable(self) -> bool:
        """Whether the mean settles at all."""
        return self.spectral_radius < 1


def fixed_point(run: Run, weights: Sequence[Array] | None = None) -> FixedPoint:
    """The limit of the expected iterate; ``weights`` are E w_i for each round of a period, exact by default.

    Raises BoundkitError where the problem is not quadratic, or no limit is determined: where nobody
    ever comes, or a direction is never pulled; TooManySubsets where ``weights`` cannot be had exactly.
    """
    affine = AffineRun(run)
    if weights is None:
        weights = [affine.weighing.moments(t).first for t in range(run.period)]
    rounds = [RoundMean(affine, t, w) for t, w in enumerate(weights)]
    zero = np.zeros_like(affine.centre)
    s = zero.shape[-1]

    def around(v: Array) -> Array:
        return reduce(lambda u, step: step.mean(u), rounds, v)

    constant = around(zero)
    A = np.stack([around(zero + row) - constant for row in np.eye(s)], axis=-1)
    if np.linalg.cond(np.eye(s) - A).max() > _UNDETERMINED:
        raise BoundkitError("the rounds leave a direction where it is, so the run determines no limit.")
    first = np.linalg.solve(np.eye(s) - A, constant[..., None])[..., 0]
    states = [np.asarray(first, dtype=np.float64)]
    for step in rounds:
        states.append(step.mean(states[-1]))
    points = np.stack([affine.model(v) for v in states[:-1]]) + affine.problem.centre
    size = max(1.0, float(np.abs(points).max()))
    return FixedPoint(
        points, float(np.abs(np.linalg.eigvals(A)).max()), float(np.abs(states[-1] - states[0]).max()) / size
    )
