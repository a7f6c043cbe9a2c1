"""Simulation engines: exact moments, collapsed rounds, and every local step."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from boundkit.algebra import BoundkitError
from boundkit.algebra.errors import unknown
from boundkit.analysis.progress import Progress
from boundkit.simulation.engines.affine_maps import NotAffine
from boundkit.simulation.engines.aggregation_weights import TooManySubsets
from boundkit.simulation.engines.collapsed_engine import CollapsedEngine
from boundkit.simulation.engines.exact_moment_engine import ExactEngine
from boundkit.simulation.engines.exact_state_engine import ExactStateEngine
from boundkit.simulation.engines.sampled_engine import SampledEngine
from boundkit.simulation.engines.step_engine import StepEngine
from boundkit.simulation.participation import NoClosedForm
from boundkit.simulation.problems import Quadratic
from boundkit.simulation.run import Run
from boundkit.simulation.sweeps.parallel_map import refuse_jobs
from boundkit.simulation.trajectory import Trajectory

ENGINES = ("auto", "exact", "collapsed", "step")
_WORK = 2e10
"""Most multiplications of an exact engine that ``auto`` selects by itself."""


_UNCHECKED = np.errstate(over="ignore", invalid="ignore", divide="ignore")
"""Overflow raises no warning: results are checked, and an overflowing run is reported as diverged."""


@_UNCHECKED
def trajectory(
    run: Run,
    engine: str = "auto",
    replicas: int = 1,
    dtype: str = "float64",
    device: str = "cpu",
    progress: Progress | None = None,
    jobs: int = 1,
    draws: str = "streams",
    arrays: str = "auto",
) -> Trajectory:
    """Run an engine and return its trajectory. ``auto``: exact moments where they exist, else every step.

    ``jobs``: worker processes that share the replicas of a sampled run; the numbers do not depend on it.
    ``draws``: mini-batches and uniform samples of clients of a sampled run by numpy's "streams", or by
    "counter" on the device: other numbers, but the same on every device. ``arrays``: the library of the
    arrays of a sampled run, "numpy" or "torch"; "auto" is torch on a GPU and for torch modules, else numpy.

    Raises BoundkitError for an unknown engine, or one that does not support the run.
    """
    if engine not in ENGINES:
        raise unknown("engine", engine, ENGINES)
    refuse_jobs(jobs)
    if replicas < 1:
        raise BoundkitError(f"replicas must be a whole number, at least 1, but it is {replicas}.")
    if engine in ("auto", "exact"):
        exact = exact_trajectory(run, must=engine == "exact", progress=progress)
        if exact is not None:
            return exact
    kind: type[SampledEngine] = CollapsedEngine if engine == "collapsed" else StepEngine
    sampled = kind(run, replicas, dtype, device, jobs=jobs, draws=draws, arrays=arrays)
    return _with_options(sampled.trajectory(progress), run)


@_UNCHECKED
def exact_trajectory(run: Run, must: bool = False, progress: Progress | None = None) -> Trajectory | None:
    """Exact expectations where they exist, else None (or the reason as an error if ``must``).

    For some runs the absence of exact moments shows only at a later round.
    """
    exact = exact_engine(run, must)
    if exact is None:
        return None
    try:
        return _with_options(exact.trajectory(progress), run)
    except (NotAffine, NoClosedForm, TooManySubsets):
        if must:
            raise
        return None


@_UNCHECKED
def exact_engine(run: Run, must: bool = False) -> ExactEngine | ExactStateEngine | None:
    """The exact engine where it applies, else None (or the reason as an error if ``must``).

    Unless ``must``, moments that would take longer than a few seconds are left to sampling.
    """
    if not must and not (isinstance(run.problem, Quadratic) and run.algorithm.affine):
        return None
    try:
        if run.local_spread:
            raise BoundkitError("exact moments do not include the deviation of gradients at local models.")
        if run.algorithm.stateless:
            return ExactEngine(run)
        return ExactStateEngine(run) if must else ExactStateEngine(run, at_most=_WORK)
    except BoundkitError:
        if must:
            raise
        return None


def _with_options(result: Trajectory, run: Run) -> Trajectory:
    options = (f"{name} = {value!r}" for name, value in run.algorithm.given_options().items())
    return replace(result, options=tuple(options))


__all__ = [
    "ENGINES",
    "CollapsedEngine",
    "ExactEngine",
    "ExactStateEngine",
    "NotAffine",
    "StepEngine",
    "exact_engine",
    "exact_trajectory",
    "trajectory",
]
