"""How far the models that clients keep are from their mean."""

from __future__ import annotations

import numpy as np

from boundkit.algebra import BoundkitError
from boundkit.simulation.problems.base import Array
from boundkit.verification.quantities import Subject


def scaled_spread(subject: Subject) -> Array:
    """L^2 (1/m) sum_i ||x_i^t - mean_j x_j^t||^2 at t = 0, ..., T, from one model at first: (R, T + 1)."""
    seen = subject.trajectory.observed
    if "spread" not in seen:
        raise BoundkitError("the spread of the models is seen where every step is taken: simulate it.")
    after = seen["spread"][:, :-1]  # noted of round t, so of what is there before round t + 1
    return subject.value("L") ** 2 * np.concatenate([np.zeros((len(after), 1)), after], axis=1)


DERIVED = {"scaled_spread": scaled_spread}
