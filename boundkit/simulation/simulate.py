"""Simulation of an algorithm on a problem."""

from __future__ import annotations

from inspect import signature
from typing import Any

from boundkit.algebra import BoundkitError
from boundkit.algebra.errors import unknown
from boundkit.analysis.progress import Progress
from boundkit.simulation.engines import trajectory
from boundkit.simulation.problems import Problem, problem_from_spec
from boundkit.simulation.run import SYMBOLS, Run, make_run, settings_of_symbols
from boundkit.simulation.trajectory import Trajectory


def simulate(
    algorithm: str | Run,
    problem: Problem | None = None,
    *,
    replicas: int = 1,
    engine: str = "step",
    dtype: str = "float64",
    device: str = "cpu",
    progress: Progress | None = None,
    jobs: int = 1,
    draws: str = "streams",
    arrays: str = "auto",
    **settings: Any,
) -> Trajectory:
    """Simulate an algorithm on a problem.

    Parameters
    ----------
    algorithm
        The name of an algorithm, or a Run, which has its problem and settings.
    problem
        The losses of the clients.
    replicas
        The number of independent runs, at least 1.
    engine
        ``"step"`` (every local step; all problems), ``"collapsed"`` (quadratics, the same distribution, much
        faster), ``"exact"`` (quadratics, expectations without sampling), or ``"auto"`` (exact where
        available).
    dtype, device
        ``"float32"`` or ``"float64"``; ``"cpu"``, ``"cuda"`` or ``"auto"``.
    progress
        Called with the number of finished and of all rounds.
    jobs
        The number of processes that share the replicas, which changes no number.
    draws
        ``"streams"`` of numpy, or ``"counter"``: mini-batches and uniform samples of clients are drawn on the
        device, for speed on a GPU. The numbers are others, but the same on every device.
    arrays
        The library of the arrays of a sampled run: ``"numpy"``, ``"torch"``, or ``"auto"`` (torch on a GPU
        and for torch modules, else numpy). They agree up to rounding.
    settings
        ``rounds`` or ``T``; ``eta``; ``local_steps`` or ``tau`` (one number, one a client, or a list of such
        lists cycled over rounds); ``noise`` or ``sigma``, where the problem has none; ``eta_s``; ``x0``,
        (d,), the origin by default; ``participation`` (``"full"``, ``{"kind": "uniform", "C": 0.1}``);
        ``schedule`` (a list of clients for each round, overrides participation);
        ``options`` of the algorithm; ``seed``; ``every`` (observe only its multiples).

    Returns
    -------
    Trajectory
        The server's iterates, (T + 1, d), and their observables. Divergence is an outcome, not an error.

    Raises
    ------
    BoundkitError
        For anything that cannot be run.

    Examples
    --------
    >>> import boundkit as bk
    >>> problem = bk.Quadratic(hessians=[1.0, 1.0], centers=[[0.0], [2.0]])
    >>> run = bk.simulate("fedavg", problem, rounds=2, eta=0.5, local_steps=1)
    >>> run.x.ravel().tolist()
    [0.0, 0.5, 0.75]
    """
    run = as_run(algorithm, problem, **settings)
    return trajectory(run, engine, replicas, dtype, device, progress, jobs, draws, arrays)


def as_run(algorithm: str | Run, problem: Problem | None, **settings: Any) -> Run:
    """The run that the arguments of ``simulate`` describe.

    Symbols of theorems may be given: tau for ``local_steps``, T for ``rounds``, sigma for ``noise``.

    Raises BoundkitError for an unknown setting, and without ``rounds`` or ``eta``.
    """
    if isinstance(algorithm, Run):
        if problem is not None or settings:
            raise TypeError("a Run already has its problem and settings")
        return algorithm
    if problem is None:
        raise TypeError("simulate needs a problem")
    fields = settings_of_symbols(settings)
    if "noise" in fields:
        problem = _with_noise(problem, fields.pop("noise"))
    names = set(signature(make_run).parameters) - {"algorithm_name", "problem"}
    for name in fields:
        if name not in names:
            raise unknown("setting of a run", name, {*names, "noise", *SYMBOLS})
    for name, example in {"rounds": "rounds=100", "eta": "eta=0.1"}.items():
        if name not in fields:
            raise BoundkitError(f"a run needs {name}, such as {example}.")
    return make_run(algorithm, problem, **fields)


def _with_noise(problem: Problem, noise: Any) -> Problem:
    """The problem with this noise of its gradients.

    Raises BoundkitError where the problem has noise already, or is a network, which is built with its noise.
    """
    if problem.kind == "network":
        raise BoundkitError("a network is built with its noise: give it there, as Network(..., noise=1.0).")
    if problem.noise:
        raise BoundkitError(
            f"noise = {noise!r} was given, but the problem has noise {problem.noise:g}; give one of them."
        )
    return problem_from_spec(problem.to_json(), noise)
