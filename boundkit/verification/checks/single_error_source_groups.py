"""The order of groups, the choice of clients, and their heterogeneity, each as the only error."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from boundkit.algebra import Theorem
from boundkit.simulation.engines import Exact, Step
from boundkit.simulation.fixed_point import fixed_point
from boundkit.simulation.problems import Quadratic
from boundkit.simulation.problems.base import Array
from boundkit.simulation.run import Run, make_run
from boundkit.verification.applicability import reasons_not_applicable
from boundkit.verification.checks.fixed_point import FOREVER
from boundkit.verification.checks.single_error_source import NotIsolated, Point, takes_local_steps
from boundkit.verification.checks.stationary_constants import constants_at_fixed_point, observe_points
from boundkit.verification.claims import add_observables
from boundkit.verification.constants import compute_constants, theorem_arguments

_GROUPS, _SIZE, _ETA, _TAU = 4, 2, 1e-5, 16


def only_order(theorem: Theorem, **letters: float) -> Point:
    """One Hessian, no noise, clients alike inside a group, all of which come: the exact cycle.

    Raises NotIsolated where the theorem is not about groups that take turns.
    """
    if not theorem.assumes("cyclic-participation"):
        raise NotIsolated(f"{theorem.name} knows of no groups that take turns.")
    e = np.repeat(np.random.default_rng(1).standard_normal((_GROUPS, 2)), _SIZE, axis=0)
    tau = int(letters.get("tau", _TAU)) if takes_local_steps(theorem) else 1
    run = _meeting(theorem, make_run(
        theorem.algorithm, Quadratic([1.0] * len(e), e), rounds=_GROUPS, eta=letters.get("eta", _ETA),
        local_steps=tau, participation={"kind": "cyclic", "groups": _GROUPS},
    ))  # fmt: skip
    around = fixed_point(run).points
    points = np.vstack([around, around[:1]])
    return _point(theorem, run, points, observe_points(run, points))


def only_selection(theorem: Theorem, **letters: float) -> Point:
    """Two clients with one curvature and unequal weights, of which the larger loss works, one step, no noise.

    The losses are equal away from the optimum, and once it is there the model stays within eta of that
    point. Raises NotIsolated where the theorem is not about a choice by losses.
    """
    if not theorem.assumes("biased-selection"):
        raise NotIsolated(f"{theorem.name} knows of no choice by losses.")
    run = _meeting(theorem, make_run(
        theorem.algorithm, Quadratic([1.0, 1.0], [[-1.0], [1.0]], [0.7, 0.3]), rounds=20,
        eta=letters.get("eta", _ETA), participation={"kind": "power_of_choice", "count": 1, "d": 2},
        options={"aggregation": "mean"},
    ))  # fmt: skip
    points = Step(run).trajectory().x
    return _point(theorem, run, points, observe_points(run, points))


def only_heterogeneity(theorem: Theorem, **letters: float) -> Point:
    """One Hessian, no noise, one step, four of sixteen clients drawn: the exact stationary moments.

    Nothing drifts and nothing is biased, and what the draw leaves is paid by Gamma. Raises NotIsolated where
    the theorem is not about a choice of clients.
    """
    if not theorem.assumes("biased-selection"):
        raise NotIsolated(f"{theorem.name} charges heterogeneity together with the drift.")
    e = np.random.default_rng(0).standard_normal((16, 2))
    run = _meeting(theorem, make_run(
        theorem.algorithm, Quadratic([1.0] * 16, e), rounds=1, eta=letters.get("eta", _ETA),
        participation={"kind": "uniform", "C": 0.25},
    ))  # fmt: skip
    there = {name: np.full(2, value) for name, value in Exact(run).stationary().items()}
    return _point(theorem, run, np.stack([run.x0] * 2), there)


def _meeting(theorem: Theorem, run: Run) -> Run:
    """The run with all that the theorem looks at. Raises NotIsolated where it does not speak of it."""
    run = add_observables(theorem, run)
    reasons = reasons_not_applicable(theorem, run)
    if reasons:
        raise NotIsolated(f"the instance that would show it is not the theorem's: {'; '.join(reasons)}.")
    return run


def _point(theorem: Theorem, run: Run, points: Array, observed: dict[str, Array]) -> Point:
    """The claimed quantity at the last of the points, and the values there for rounds without end."""
    constants = constants_at_fixed_point(theorem, run, points, observed, compute_constants(run, theorem))
    values = theorem_arguments(theorem, run, constants) | {"T": FOREVER}
    return Point(float(observed[theorem.claim.observable][-1]), values)


CAUSES: dict[str, tuple[Callable[..., Point], tuple[str, ...]]] = {
    "cyclic order": (only_order, ("eta", "tau")),
    "selection bias": (only_selection, ("eta",)),
    "heterogeneity": (only_heterogeneity, ("eta",)),
}
"""Each cause, or term by its own name, with its instance and the letters that it can vary."""
