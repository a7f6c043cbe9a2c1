"""Three ways to run: exact moments, collapsed rounds, and every step."""

from __future__ import annotations

import numpy as np

from boundkit.algebra import BoundkitError
from boundkit.algebra.errors import unknown
from boundkit.simulation.engines.affine_probe import NotAffine
from boundkit.simulation.engines.aggregation_weights import TooManySubsets
from boundkit.simulation.engines.collapsed_engine import Collapsed
from boundkit.simulation.engines.exact_moments import Exact
from boundkit.simulation.engines.exact_state_moments import ExactWhole
from boundkit.simulation.engines.sampled_engine import Progress, Sampled
from boundkit.simulation.engines.step_engine import Step
from boundkit.simulation.participation import NoLaw
from boundkit.simulation.problems import Quadratic
from boundkit.simulation.run import Run
from boundkit.simulation.sweeps.backends import refuse_jobs
from boundkit.simulation.trajectory import Trajectory

ENGINES = ("auto", "exact", "collapsed", "step")
_WORK = 2e10
"""Multiplications that an exact engine which nobody asked for may take."""


_UNCHECKED = np.errstate(over="ignore", invalid="ignore")
"""What leaves the range of numbers is seen where results are checked: a run that does so has diverged."""


@_UNCHECKED
def trajectory(
    run: Run,
    engine: str = "auto",
    replicas: int = 1,
    dtype: str = "float64",
    device: str = "cpu",
    progress: Progress | None = None,
    jobs: int = 1,
) -> Trajectory:
    """The run's trajectory. ``auto`` takes the exact moments where there are any, else every step.

    ``jobs``: processes that share the replicas of a sampled run; the numbers do not depend on it.

    Raises BoundkitError for an unknown engine, or one that cannot run this.
    """
    if engine not in ENGINES:
        raise unknown("engine", engine, ENGINES)
    refuse_jobs(jobs)
    if replicas < 1:
        raise BoundkitError(f"replicas must be a whole number, at least 1, but it is {replicas}.")
    if engine in ("auto", "exact"):
        found = exact_trajectory(run, must=engine == "exact", progress=progress)
        if found is not None:
            return found
    kind: type[Sampled] = Collapsed if engine == "collapsed" else Step
    return kind(run, replicas, dtype, device, jobs=jobs).trajectory(progress)


@_UNCHECKED
def exact_trajectory(run: Run, must: bool = False, progress: Progress | None = None) -> Trajectory | None:
    """Exact expectations where they can be had, else None (or the reason, as an error, if it must).

    Only on the way is it seen of some runs that a later round has no exact moments.
    """
    exact = exact_engine(run, must)
    if exact is None:
        return None
    try:
        return exact.trajectory(progress)
    except (NotAffine, NoLaw, TooManySubsets):
        if must:
            raise
        return None


@_UNCHECKED
def exact_engine(run: Run, must: bool = False) -> Exact | ExactWhole | None:
    """The exact engine where it can be had, else None (or the reason, as an error, if it must).

    Where it need not, moments that would take longer than a few seconds are left to sampling.
    """
    if not must and not (isinstance(run.problem, Quadratic) and run.algorithm.affine):
        return None
    try:
        if run.local_spread:
            raise BoundkitError("exact moments do not tell how far gradients are apart at local models.")
        if run.algorithm.memoryless:
            return Exact(run)
        return ExactWhole(run) if must else ExactWhole(run, at_most=_WORK)
    except BoundkitError:
        if must:
            raise
        return None


__all__ = [
    "ENGINES",
    "Collapsed",
    "Exact",
    "ExactWhole",
    "NotAffine",
    "Progress",
    "Step",
    "exact_engine",
    "exact_trajectory",
    "trajectory",
]
