"""Instances that are known to drift by their noise, ready for any version of a bound; and how they scale."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from boundkit.algebra import BoundkitError, Theorem
from boundkit.analysis.evaluate import evaluate
from boundkit.attack.infinite_clients.evidence import InfiniteEvidence
from boundkit.attack.infinite_clients.shapes import Shape

TERM = "noise drift"
WALKS = (1.0, 1e-3)
"""Lengths of a walk, in turn: a bound in another power of a unit fails at one of them."""
_PARTS = (1.0, 0.03, 1e-4)


def drifting(theorem: Theorem, tau: int, part: float, floor: float = 0.02) -> Shape:
    """The shape of the theorem's function class that drifts most at small steps, or nearly.

    On a ridge, clients that are all as far away as their variance allows, eta sigma sqrt(k): the squared
    gradient at rest is eta^2 L^2 sigma^2 (sum_k sqrt(k)/tau)^2, which tends to 4/9 eta^2 L^2 sigma^2 tau. On
    a tail, few clients that jump far, and a server at rest half as far from the end of the tail as they jump:
    the loss gap tends to 1/8 eta^2 L sigma^2 (tau - 1). On a floor mu, likewise, the squared distance tends
    to 1/8 eta^2 (L/mu) sigma^2 (tau - 1).
    """
    if theorem.assumes("strongly-convex"):
        return Shape("two-point", tau, part, 1e-3, min(2 * floor / (tau - 1), 0.5), floor)
    if theorem.assumes("convex"):
        return Shape("two-point", tau, part, 0.025 * (tau - 1) / tau, 0.01 / tau)
    return Shape("splitting", tau, part, 0.001)


def known_shapes(theorem: Theorem) -> tuple[Shape, ...]:
    """The shapes of its function class on which the noise drift was found to be large."""
    listed = tuple((tau, part) for tau in (2, 3, 5, 9) for part in _PARTS)
    if theorem.assumes("strongly-convex"):
        few = tuple(drifting(theorem, tau, part, mu) for tau, part in listed for mu in (0.1, 1e-3))
        return few + tuple(Shape("splitting", tau, 1e-3, 1e-3, 0.02, 0.1) for tau in (16, 64, 256))
    if theorem.assumes("convex"):
        few = tuple(drifting(theorem, tau, part) for tau, part in listed)
        return few + tuple(Shape("splitting", tau, 1e-4, 0.15, 0.06) for tau in (16, 64, 256))
    few = tuple(Shape("two-point", tau, part, 0.004) for tau, part in listed)
    return few + tuple(drifting(theorem, tau, part) for tau in (4, 16, 64, 256) for part in (3e-3, 1e-4))


def witnesses(theorem: Theorem) -> Iterator[InfiniteEvidence]:
    """The evidence of all of them; those on which the server does not rest are left out.

    It takes about a second, and serves every mutant of the theorem.
    """
    for i, shape in enumerate(known_shapes(theorem)):
        try:
            yield shape.evidence(theorem, WALKS[i % len(WALKS)])
        except BoundkitError:
            continue


def drift_slopes(theorem: Theorem) -> dict[str, tuple[float, float]]:
    """By eta, tau and sigma: the slope of the drift, and that of the term, on logarithmic axes.

    The landscape grows with the walk, as a worst case does. All steps are below 1/1000 of their limit.
    """
    start = drifting(theorem, 8, 1e-3)
    eta = start.steps(theorem)[0]
    grids = {
        "eta": [(eta * k, 8, 1.0) for k in (1.0, 0.5, 0.25)],
        "tau": [
            (eta / 64, tau, 1.0) for tau in ((4, 8, 12) if start.noise == "two-point" else (64, 128, 256))
        ],
        "sigma": [(eta, 8, sigma) for sigma in (1.0, 2.0, 4.0)],
    }
    found = {}
    for letter, grid in grids.items():
        pieces = [
            drifting(theorem, tau, 1.0).at(theorem, step, tau).evidence(theorem, step * tau**0.5 * sigma)
            for step, tau, sigma in grid
        ]
        at = np.log([float(one.values[letter][0]) for one in pieces])
        seen = np.log([float(one.measured[0]) for one in pieces])
        term = theorem.bound.terms[TERM].expr
        said = np.log([float(evaluate(term, one.values)[0]) for one in pieces])
        found[letter] = (float(np.polyfit(at, seen, 1)[0]), float(np.polyfit(at, said, 1)[0]))
    return found
