"""Norms from their squares: E||v|| is taken replica by replica, never as a root of E||v||^2."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from boundkit.algebra import BoundkitError
from boundkit.verification.quantities import Subject

Array = NDArray[np.float64]


def _root(observable: str) -> Callable[[Subject], Array]:
    def series(subject: Subject) -> Array:
        seen = subject.trajectory
        if seen.engine == "exact" and (subject.run.problem.noise > 0 or subject.run.participation.random):
            raise BoundkitError("a mean norm is not a moment; simulate replicas for it.")
        return np.sqrt(np.maximum(seen.observed[observable], 0.0))

    return series


def _recorded(observable: str) -> Callable[[Subject], Array]:
    def series(subject: Subject) -> Array:
        seen = subject.trajectory
        if observable not in seen.observed:
            raise BoundkitError(f"this run has no {observable.replace('_', ' ')} to measure.")
        return seen.observed[observable]

    return series


DERIVED = {
    "gradient_norm": _root("gradient_norm_squared"),
    "distance": _root("distance_squared"),
    **{
        name: _recorded(name)
        for name in (
            "mean_model_gradient_norm_squared",
            "auxiliary_gradient_norm_squared",
            "weighted_iterate_loss_gap",
            "surrogate_gradient_norm_squared",
        )
    },
}
