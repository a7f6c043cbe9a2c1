"""Instances with large noise drift for any bound that has such a term, and their scaling."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from boundkit.algebra import BoundkitError, Theorem
from boundkit.analysis.evaluate import evaluate
from boundkit.attack.infinite_clients.evidence import InfiniteEvidence
from boundkit.attack.infinite_clients.instances import DriftInstance

TERM = "noise drift"
NOISE_LENGTHS = (1.0, 1e-3)
"""Noise lengths of a round, alternating: a bound with another power of a unit fails at one of them."""
_PARTS = (1.0, 0.03, 1e-4)


def drifting_instance(theorem: Theorem, tau: int, part: float, least: float = 0.02) -> DriftInstance:
    """Return the instance of the theorem's function class with nearly the largest drift.

    On a ridge, clients that are all as far away as their variance allows, eta sigma sqrt(k): the squared
    gradient at the fixed point is eta^2 L^2 sigma^2 (sum_k sqrt(k)/tau)^2, which tends to 4/9 eta^2 L^2
    sigma^2 tau. On a tail, few clients with long jumps, and a fixed point half as far from the end of the
    tail as they jump: the loss gap tends to 1/8 eta^2 L sigma^2 (tau - 1). With tails of curvature mu,
    likewise, the squared distance tends to 1/8 eta^2 (L/mu) sigma^2 (tau - 1).
    """
    if theorem.assumes("strongly-convex"):
        return DriftInstance("two-point", tau, part, 1e-3, min(2 * least / (tau - 1), 0.5), least)
    if theorem.assumes("convex"):
        return DriftInstance("two-point", tau, part, 0.025 * (tau - 1) / tau, 0.01 / tau)
    return DriftInstance("splitting", tau, part, 0.001)


def drift_instances(theorem: Theorem) -> tuple[DriftInstance, ...]:
    """Return the instances of its function class with large noise drift."""
    listed = tuple((tau, part) for tau in (2, 3, 5, 9) for part in _PARTS)
    if theorem.assumes("strongly-convex"):
        few = tuple(drifting_instance(theorem, tau, part, mu) for tau, part in listed for mu in (0.1, 1e-3))
        return few + tuple(DriftInstance("splitting", tau, 1e-3, 1e-3, 0.02, 0.1) for tau in (16, 64, 256))
    if theorem.assumes("convex"):
        few = tuple(drifting_instance(theorem, tau, part) for tau, part in listed)
        return few + tuple(DriftInstance("splitting", tau, 1e-4, 0.15, 0.06) for tau in (16, 64, 256))
    few = tuple(DriftInstance("two-point", tau, part, 0.004) for tau, part in listed)
    return few + tuple(
        drifting_instance(theorem, tau, part) for tau in (4, 16, 64, 256) for part in (3e-3, 1e-4)
    )


def measure_drift_instances(theorem: Theorem) -> Iterator[InfiniteEvidence]:
    """Yield the evidence of all of them, without those that have no fixed point.

    It takes about a second, and serves every mutant of the theorem.
    """
    for i, instance in enumerate(drift_instances(theorem)):
        try:
            yield instance.evidence(theorem, NOISE_LENGTHS[i % len(NOISE_LENGTHS)])
        except BoundkitError:
            continue


def drift_slopes(theorem: Theorem) -> dict[str, tuple[float, float]]:
    """Compute, for eta, tau and sigma, the logarithmic slopes of the drift and of the term.

    The loss grows with the noise, as in a worst case. All step sizes are below 1/1000 of their limit.
    """
    start = drifting_instance(theorem, 8, 1e-3)
    eta = start.steps(theorem)[0]
    grids = {
        "eta": [(eta * k, 8, 1.0) for k in (1.0, 0.5, 0.25)],
        "tau": [
            (eta / 64, tau, 1.0) for tau in ((4, 8, 12) if start.noise == "two-point" else (64, 128, 256))
        ],
        "sigma": [(eta, 8, sigma) for sigma in (1.0, 2.0, 4.0)],
    }
    result = {}
    for letter, grid in grids.items():
        pieces = [
            drifting_instance(theorem, tau, 1.0)
            .at(theorem, step, tau)
            .evidence(theorem, step * tau**0.5 * sigma)
            for step, tau, sigma in grid
        ]
        at = np.log([float(one.values[letter][0]) for one in pieces])
        evidence = np.log([float(one.measured[0]) for one in pieces])
        term = theorem.bound.terms[TERM].expr
        text = np.log([float(evaluate(term, one.values)[0]) for one in pieces])
        result[letter] = (float(np.polyfit(at, evidence, 1)[0]), float(np.polyfit(at, text, 1)[0]))
    return result
