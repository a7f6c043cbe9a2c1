"""Constants at a fixed point, and the rounding error of a claimed quantity that should be 0 there.

The rounding error is the sum of two values: 1e-9 of the quantity at the start of the run, and its value at
the optimum moved by 1e-9 of the largest of three lengths: x_0, x*, and the distance from x* to the clients'
own minimisers, which is about the root of the dissimilarity over L.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from boundkit.algebra import BoundkitError, Theorem
from boundkit.simulation.arrays import Array
from boundkit.simulation.constant import Constant
from boundkit.simulation.run import Run
from boundkit.simulation.trajectory import Trajectory
from boundkit.verification.context import Context
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


SMALL = 1e-9
_ROOTS = {"gradient_norm": "gradient_norm_squared", "distance": "distance_squared"}


def rounding_error(context: Context) -> float:
    """The largest value of the claimed quantity that counts as 0 on this run."""
    try:
        start = float(np.abs(context.series()[:, 0]).mean())
    except BoundkitError:  # nothing of it is recorded by round
        start = 0.0
    return SMALL * start + value_near_optimum(context, SMALL)


def value_near_optimum(context: Context, part: float) -> float:
    """The claimed quantity at x* moved by this part of the run's lengths; 0 where it is not observed."""
    run = context.run
    near = run.problem.centre + part * _length(run)
    observed = observe_points(run, near[None])
    name = context.theorem.claim.observable
    root = next((r for r in _ROOTS if name == r or name.endswith(f"_{r}")), None)
    target = name if root is None else name.removesuffix(root) + _ROOTS[root]
    key = max((k for k in observed if target == k or target.endswith(f"_{k}")), key=len, default=None)
    if key is None:
        return 0.0
    value = abs(float(observed[key][0]))
    return value if root is None else float(value**0.5)


def _length(run: Run) -> float:
    problem = run.problem
    dissimilarity = float(np.asarray(problem.observe(run.x0[None])["dissimilarity"])[0])
    distance = dissimilarity**0.5 / problem.constants(run.x0)["L"].value
    return float(max(distance, np.abs(run.x0).max(), np.abs(problem.centre).max()))
