"""Which source of heterogeneity hurts a run most?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from boundkit.algebra import BoundkitError, Theorem
from boundkit.analysis.predict import Prediction, predict
from boundkit.simulation.algorithms import algorithm as make_algorithm
from boundkit.simulation.confidence_interval import Estimate, estimate_mean
from boundkit.simulation.constant import Constant
from boundkit.simulation.engines import Progress, trajectory
from boundkit.simulation.run import Run
from boundkit.simulation.trajectory import Trajectory
from boundkit.studies.diagnosis.ablations import TROUBLES, reweighs
from boundkit.studies.diagnosis.diagnosis import Cost, Diagnosis, Rival
from boundkit.studies.diagnosis.recommendations import changes
from boundkit.verification.applicability import reasons_not_applicable
from boundkit.verification.claims import measure_claim
from boundkit.verification.constants import measure_constants, theorem_arguments
from boundkit.verification.estimate import MeasuredConstant, estimate
from boundkit.verification.families import context_of

ALONG = ("L", "sigma", "sigma_g", "beta", "kappa")
LEVEL = 0.95
_FAR = 1e4
"""A loss so many times that of the start is no answer but a divergence that more rounds would complete."""
_ROUNDING = {"float64": 1e-10, "float32": 1e-4}
"""Relative differences up to which two runs are the same but for rounding."""
_OTHER_WEIGHTS = (
    "data heterogeneity, for p_i is not n_i/n, so that dealing the points out anew would change F itself"
)
RIVALS = ("fedvarp", "scaffold", "fednova", "fedexp")


@np.errstate(over="ignore", invalid="ignore")
def diagnose_run(
    run: Run,
    theorem: Theorem,
    alternatives: Mapping[str, Theorem] | None = None,
    *,
    rivals: Sequence[str] = RIVALS,
    replicas: int = 10,
    dtype: str = "float64",
    device: str = "cpu",
    jobs: int = 1,
    progress: Progress | None = None,
) -> Diagnosis:
    """What hurts the run most, by the terms of ``theorem`` and by runs without one trouble each.

    ``alternatives``: theorems of other algorithms with the same claim, for what a change would do to the
    bound. ``rivals``: algorithms to run on the same draws. Intervals are Student t over replicas, 95 %, each
    paired by replica; with one replica there are none, so at least two are needed.

    Raises BoundkitError where the run diverges, or the theorem lacks a constant that cannot be had.
    """
    if replicas < 2:
        raise BoundkitError(f"intervals need at least 2 replicas, but {replicas} was given.")
    if theorem.algorithm != run.algorithm.name:
        raise BoundkitError(
            f"{theorem.name} is about {theorem.algorithm}, and the run is {run.algorithm.name}."
        )
    twins = [(t, twin) for t in TROUBLES if (twin := t.without(run)) is not None]
    others = [(name, other) for name in rivals if (other := _with(run, name)) is not None]
    total = 1 + len(twins) + len(others)

    def seen_of(a_run: Run, at: int) -> Trajectory:
        found = trajectory(a_run, "step", replicas, dtype, device, None, jobs)
        if progress is not None:
            progress(at, total)
        return found

    seen = seen_of(run, 1)
    if seen.outcome != "done":
        raise BoundkitError(
            f"the run diverged in round {seen.diverged_at} at eta = {run.eta:g}; diagnose a smaller step."
        )
    estimates, known, asked, bound = _bound(run, theorem, seen)
    costs = tuple(_cost(t, bound, seen, seen_of(twin, 2 + k)) for k, (t, twin) in enumerate(twins))
    against = tuple(
        Rival(name, _minus(seen_of(other, 2 + len(twins) + k), seen, _end))
        for k, (name, other) in enumerate(others)
    )
    return Diagnosis(
        algorithm=run.algorithm.name,
        theorem=theorem,
        replicas=seen.replicas,
        estimates=estimates,
        known=known,
        parameters=asked,
        prediction=bound,
        measured=measure_claim(context_of(theorem, run, seen)),
        first_loss=float(seen.mean("loss")[0]),
        final_loss=estimate_mean(_end(seen), seen.random, LEVEL),
        costs=tuple(sorted(costs, key=lambda c: -(c.loss.value if c.loss else -np.inf))),
        changes=tuple(changes(theorem, asked, alternatives or {}, run.problem.m)),
        rivals=against,
        uncovered=tuple(reasons_not_applicable(theorem, run)),
        left_out=(_OTHER_WEIGHTS,) if run.problem.m > 1 and reweighs(run.problem) else (),
        run=run.to_json(),
    )


def _bound(
    run: Run, theorem: Theorem, seen: Trajectory
) -> tuple[dict[str, MeasuredConstant], dict[str, Constant], dict[str, float], Prediction]:
    constants = measure_constants(run, seen, theorem)
    names = {q.name for q in theorem.quantities}
    estimates: dict[str, MeasuredConstant] = {}
    for name in (n for n in ALONG if n in names):
        if name in constants and constants[name].trust == "exact":
            continue
        estimates |= estimate(run.problem, seen, names=[name])
    known = {n: c for n, c in constants.items() if n in names and n not in estimates}
    asked = theorem_arguments(theorem, run, known | {n: m.constant() for n, m in estimates.items()}, seen)
    return estimates, known, asked, predict(theorem, **asked)


def _cost(trouble: Any, bound: Prediction, seen: Trajectory, twin: Trajectory) -> Cost:
    theory = [float(bound.terms[t.label]) for t in bound.theorem.terms if t.cause in trouble.causes]
    return Cost(
        source=trouble.name,
        removed_by=trouble.removed_by,
        loss=_minus(seen, twin, _end),
        gradient=_minus(seen, twin, _mean_gradient),
        theory=sum(theory) if theory else None,
    )


def _end(seen: Trajectory) -> np.ndarray:
    return np.asarray(seen.observed["loss"][:, -1])


def _mean_gradient(seen: Trajectory) -> np.ndarray:
    return np.asarray(seen.observed["gradient_norm_squared"][:, :-1].mean(axis=1))


def _minus(a: Trajectory, b: Trajectory, of: Any) -> Estimate | None:
    """The difference, replica by replica; None where one of the two diverged, or is on its way there."""
    if "diverged" in (a.outcome, b.outcome) or any(_blown_up(seen) for seen in (a, b)):
        return None
    one, other = of(a), of(b)
    apart = one - other
    near = _ROUNDING[a.settings.get("dtype", "float64")] * np.maximum(np.abs(one), np.abs(other))
    apart = np.where(np.abs(apart) <= near, 0.0, apart)
    return estimate_mean(np.atleast_1d(apart), a.random or b.random, LEVEL)


def _blown_up(seen: Trajectory) -> bool:
    loss = seen.observed["loss"]
    return bool((np.abs(loss[:, -1]) > _FAR * (1 + np.abs(loss[:, 0]))).any())


def _with(run: Run, name: str) -> Run | None:
    """The run by another algorithm at its default options; None where it is the same one, or refuses."""
    if name == run.algorithm.name or (name == "fednova" and run.tau is not None):
        return None  # where all clients take the same steps, FedNova is FedAvg
    other = make_algorithm(name, {})
    try:
        other.check_run(run.local_steps, run.problem.m)
    except BoundkitError:
        return None
    return replace(run, algorithm=other)


def fitting_theorem(run: Run) -> tuple[str, dict[str, str]]:
    """The name of the theorem by whose terms a run is told apart, and of others for what a change would do.

    The squared gradient is bounded by all of them, so that their bounds can be compared.
    """
    if run.algorithm.name == "fedavg" and run.tau is None:
        return "fedavg_nonconvex_unequal_steps", {"fednova": "fednova_nonconvex"}
    everybody = all(run.participation.size(t) == run.problem.m for t in range(run.participation.period))
    other = {"scaffold": "scaffold_nonconvex"} if everybody else {"fedvarp": "fedvarp_nonconvex"}
    own = {
        "fedavg": "fedavg_nonconvex_partial", "fedprox": "fedprox_nonconvex", "fednova": "fednova_nonconvex",
        "scaffold": "scaffold_nonconvex", "fedvarp": "fedvarp_nonconvex",
        "fedexp": "fedexp_nonconvex", "mifa": "mifa_nonconvex", "clusterfedvarp": "clusterfedvarp_nonconvex",
    }  # fmt: skip
    if run.algorithm.name not in own:
        raise BoundkitError(
            f"no theorem is chosen for {run.algorithm.name}; name one (boundkit list --algorithm "
            f"{run.algorithm.name}), or diagnose one of {', '.join(own)}."
        )
    return own[run.algorithm.name], {n: t for n, t in other.items() if n != run.algorithm.name}
