"""Observables of exact moments: quadratic forms in x - centre, and means of local models in rounds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from boundkit.algebra import BoundkitError
from boundkit.simulation.arrays import Array
from boundkit.simulation.engines.recorder import VIRTUAL_OBSERVABLES
from boundkit.simulation.problems import Quadratic
from boundkit.simulation.problems.base import QuadraticForm
from boundkit.simulation.run import Run


def quadratic_forms(run: Run) -> dict[str, QuadraticForm]:
    """Every observable of the problem, and those of the run's further objectives, with their prefix.

    Raises BoundkitError where one of them is not quadratic.
    """
    if not isinstance(run.problem, Quadratic):
        raise BoundkitError(f"the exact engine needs a quadratic problem, not {run.problem.kind}.")
    forms = dict(run.problem.forms)
    for prefix, other in run.objectives.items():
        if not isinstance(other, Quadratic):
            raise BoundkitError(f"the exact engine can watch quadratics only, not {other.kind}.")
        shift = run.problem.centre - other.centre
        forms |= {f"{prefix}_{n}": f.moved(shift) for n, f in other.forms.items()}
    return forms


def expectation_from_covariance(form: QuadraticForm, mean: Array, cov: Array) -> Array:
    """E of the form at points of that mean, (..., d), and covariance, (..., d, d)."""
    if form.Q.ndim == 1:
        variance = np.diagonal(cov, axis1=-2, axis2=-1) @ form.Q
    else:
        variance = (cov * form.Q).sum(axis=(-2, -1))
    return np.asarray(form(mean) + variance)


def expectation_from_second_moment(form: QuadraticForm, u: Array, S: Array) -> Array:
    """E of the form from E u, (..., d), and E u u', (..., d) where diagonal or (..., d, d)."""
    if form.Q.ndim == 1:
        square = S if S.ndim == u.ndim else np.diagonal(S, axis1=-2, axis2=-1)
        curved = (square * form.Q).sum(-1)
    else:
        curved = np.einsum("...ij,ij->...", S, form.Q)
    return np.asarray(curved + 2 * (u @ form.q) + form.c)


_MEANS = {"weighted", "mean", "unbiased"}
_PLAIN = {"fedavg": _MEANS, "fedavgm": _MEANS, "local_sgd": {"weighted"}}
"""Algorithms whose server takes the mean of the local models, and the weighting schemes equivalent to it."""


def has_exact_local_moments(run: Run) -> bool:
    """Whether the mean of the local models has exact moments at every local step, on quadratics.

    Under full participation with equal step counts and a plain average, the mean of the local models after k
    steps is the model that a server without momentum would have if a round had k steps. So one more round map
    for each k is sufficient.
    """
    participation, settings = run.participation, run.algorithm.settings
    full = participation.kind != "with_replacement" and all(
        participation.size(t) == run.problem.m for t in range(participation.period)
    )
    weighted = settings.get("aggregation", "weighted") in _PLAIN.get(run.algorithm.name, set())
    return full and weighted and not settings.get("momentum") and run.tau is not None and run.offset is None


def shorter_runs(run: Run) -> list[Run]:
    """The run with 1, ..., tau - 1 local steps."""
    steps = 1 if run.tau is None else run.tau
    return [replace(run, local_steps=np.full_like(run.local_steps, k)) for k in range(1, steps)]


def virtual_observables(starts: dict[str, Array], later: Sequence[dict[str, Array]]) -> dict[str, Array]:
    """Observables at the virtual average, averaged over the local steps of each round, (n,).

    ``starts``: at the rounds' starts, (n,). ``later``: after 1, ..., tau - 1 steps of each round; they may be
    one shorter, where the last of ``starts`` is the final model.
    """
    result = {}
    for name in VIRTUAL_OBSERVABLES:
        if name in starts:
            mean = starts[name].copy()
            if later and name in later[0]:
                rounds = len(later[0][name])
                mean[:rounds] += sum((values[name] for values in later), np.zeros(rounds))
                mean[:rounds] /= len(later) + 1
            result[f"virtual_{name}"] = mean
    return result
