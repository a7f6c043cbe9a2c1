"""Constants measured on a periodic trajectory: at the fixed point of a round, or of a period."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from boundkit.algebra import BoundkitError, Theorem
from boundkit.simulation.arrays import Array
from boundkit.simulation.constant import Constant
from boundkit.simulation.run import Run
from boundkit.simulation.trajectory import Trajectory
from boundkit.verification.families import context_of


def observe_points(run: Run, points: Array) -> dict[str, Array]:
    """All observables of the run, at points (T, d): (T,) each."""
    observed: dict[str, Any] = dict(run.problem.observe(points))
    for prefix, other in run.objectives.items():
        observed |= {f"{prefix}_{name}": value for name, value in other.observe(points).items()}
    return {name: np.asarray(value, dtype=np.float64) for name, value in observed.items()}


def constants_at_fixed_point(
    theorem: Theorem,
    run: Run,
    points: Array,
    observed: Mapping[str, Array],
    available: Mapping[str, Constant],
) -> dict[str, Constant]:
    """The available constants, and those that the theorem needs besides, measured at the fixed point.

    ``points``: x before each round of a period, and after the last, (T + 1, d). ``observed``: the observables
    there, (T + 1,). Constants that cannot be measured there are left out.
    """
    stationary = Trajectory(
        run.algorithm.name, "exact", points, {name: v[None] for name, v in observed.items()}, random=False
    )
    context, constants = context_of(theorem, run, stationary), dict(available)
    for name in context.names_to_measure(available):
        if name != "sigma_g":
            try:
                constants[name] = context.families.constants[name](context)
            except BoundkitError:
                continue
    return constants
