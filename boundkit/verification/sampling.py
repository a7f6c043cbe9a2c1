"""Unbiased sampling in a run: spread, slack and share noise of the weights of a round."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from boundkit.algebra import BoundkitError
from boundkit.simulation.arrays import Array
from boundkit.simulation.constant import Constant
from boundkit.simulation.engines.aggregation_weights import AggregationWeights, WeightMoments
from boundkit.simulation.run import Run

_SAME = 1e-12


@dataclass(frozen=True)
class SamplingNumbers:
    """The numbers of unbiased sampling: Cov W is diag(``own``) - nu p p', p the weights of the objective."""

    spread: Constant
    slack: Constant
    share_noise: Constant
    own: Array


def sampling_numbers(run: Run) -> SamplingNumbers:
    """Return the numbers of a run's sampling.

    Raises BoundkitError where the weights of a round are biased, differ between rounds, or depend on the run,
    and where their covariance is not of that form.
    """
    p, participation = run.problem.p, run.participation
    if participation.period > 1:
        raise BoundkitError("its sampling is the same in all rounds, and that of the run is not.")
    moments = AggregationWeights(run).moments(0)
    bias = np.abs(moments.mean - p)
    if bias.max() > _SAME:
        worst = int(bias.argmax())
        raise BoundkitError(
            f"it needs unbiased sampling, where the mean weight of client i is p_i: client {worst} of the "
            f"run has {moments.mean[worst]:.6g} for {p[worst]:.6g}; aggregation 'unbiased' is."
        )
    slack = 1 - _share_of_mean(moments, p)
    own = np.maximum(moments.diagonal, 0.0)
    return SamplingNumbers(
        _exact(float(np.max(own[p > 0] / p[p > 0])), "the largest own variance of a weight over the weight"),
        _exact(slack, "minus the covariance of two weights over their product"),
        _exact(float(np.sum(moments.square)), "the sum of the mean squared weights"),
        own,
    )


def _share_of_mean(moments: WeightMoments, p: Array) -> float:
    """Return s where E W_i W_j = s p_i p_j for any two clients."""
    total = 0.0
    for factor, vector in moments.factors:
        scale = float(vector @ p / (p @ p))
        if np.abs(vector - scale * p).max() > _SAME:
            raise BoundkitError("the covariance of two clients' weights is not that of their product.")
        total += factor * scale**2
    if not -_SAME <= 1 - total <= 1 + _SAME:
        raise BoundkitError("two clients' weights are positively correlated.")
    return min(max(total, 0.0), 1.0)


def _exact(value: float, how: str) -> Constant:
    return Constant(value if value > _SAME else 0.0, "exact", how)
