"""Constants that are measured along a run, where it rests: from rounds that begin and end where it does."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from boundkit.algebra import BoundkitError, Theorem
from boundkit.simulation.constant import Constant
from boundkit.simulation.run import Run
from boundkit.simulation.trajectory import Array, Trajectory
from boundkit.verification.constants import settings
from boundkit.verification.quantities import KNOWN, Subject


def observed_at(run: Run, points: Array) -> dict[str, Array]:
    """Everything that the run is observed by, at points (T, d): (T,) each."""
    seen: dict[str, Any] = dict(run.problem.observe(points))
    for prefix, other in run.watch.items():
        seen |= {f"{prefix}_{name}": value for name, value in other.observe(points).items()}
    return {name: np.asarray(value, dtype=np.float64) for name, value in seen.items()}


def measured_at_rest(
    theorem: Theorem, run: Run, points: Array, seen: Mapping[str, Array], known: Mapping[str, Constant]
) -> dict[str, Constant]:
    """The constants that are known, and those that the theorem needs besides, measured at the points of rest.

    ``points``: x before each round of a period, and after the last, (T + 1, d). ``seen``: the observables
    there, (T + 1,). What cannot be measured there is left out.
    """
    rests = Trajectory(
        run.algorithm.name, "exact", points, {name: v[None] for name, v in seen.items()}, random=False
    )
    found = dict(known)
    given = settings(run)
    for quantity in theorem.quantities:
        name = quantity.name
        if name in KNOWN and name not in found and name not in given and name != "sigma_g":
            try:
                found[name] = KNOWN[name](Subject(theorem, run, rests))
            except BoundkitError:
                continue
    return found
