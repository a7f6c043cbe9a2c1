"""Diagnosis of a run: the loss that each source of error costs, by ablation and by the terms of a bound.

Ablations, all on the same draws: homogeneous data (the same points partitioned at random; not done where p_i
is not n_i/n, since that would change F), full participation, one local step per round of the same total
length, exact gradients, and equal numbers of local steps.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from boundkit.algebra import BoundkitError, Theorem
from boundkit.analysis.predict import Prediction, predict
from boundkit.analysis.progress import Progress
from boundkit.analysis.tune import tune
from boundkit.simulation.algorithms import algorithm as make_algorithm
from boundkit.simulation.arrays import Array
from boundkit.simulation.confidence_interval import Estimate, estimate_mean
from boundkit.simulation.constant import Constant
from boundkit.simulation.engines import trajectory
from boundkit.simulation.participation import Full
from boundkit.simulation.problems import Network, Problem
from boundkit.simulation.problems.federated_data import Federation
from boundkit.simulation.run import Run
from boundkit.simulation.trajectory import Trajectory
from boundkit.studies.diagnosis.diagnosis import (
    AlternativeAlgorithm,
    ConfigurationChange,
    Diagnosis,
    ErrorSourceCost,
)
from boundkit.verification.applicability import reasons_not_applicable
from boundkit.verification.claims import measure_claim
from boundkit.verification.constants import measure_constants, theorem_arguments
from boundkit.verification.estimate import MeasuredConstant, estimate
from boundkit.verification.families import context_of

ALONG = ("L", "sigma", "sigma_g", "beta", "kappa")
LEVEL = 0.95
_DIVERGED = 1e4
"""A final loss beyond this multiple of the initial one counts as divergence."""
_ROUNDING = {"float64": 1e-10, "float32": 1e-4}
"""Relative differences that are rounding."""
_OTHER_WEIGHTS = (
    "data heterogeneity, for p_i is not n_i/n, so that dealing the points out anew would change F itself"
)
_NO_POINTS = "data heterogeneity, for the losses are given without data points that could be dealt out anew"
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
    arrays: str = "auto",
    jobs: int = 1,
    progress: Progress | None = None,
) -> Diagnosis:
    """Diagnose a run by the terms of ``theorem`` and by runs without one source of error each.

    ``alternatives``: theorems of other algorithms with the same claim, whose bounds are compared. ``rivals``:
    algorithms to run on the same draws. Intervals are Student t over replicas, 95 %, paired by replica, so
    that at least two replicas are needed.

    Raises BoundkitError where the run diverges, or a constant of the theorem cannot be measured.
    """
    if replicas < 2:
        raise BoundkitError(f"intervals need at least 2 replicas, but {replicas} was given.")
    if theorem.algorithm != run.algorithm.name:
        raise BoundkitError(
            f"{theorem.name} is about {theorem.algorithm}, and the run is {run.algorithm.name}."
        )
    twins = [(t, twin) for t in ERROR_SOURCES if (twin := t.without(run)) is not None]
    others = [(name, other) for name in rivals if (other := _with(run, name)) is not None]
    total = 1 + len(twins) + len(others)

    def simulate(a_run: Run, at: int) -> Trajectory:
        result = trajectory(a_run, "step", replicas, dtype, device, None, jobs, arrays=arrays)
        if progress is not None:
            progress(at, total)
        return result

    own = simulate(run, 1)
    if own.outcome != "done":
        raise BoundkitError(
            f"the run diverged in round {own.diverged_at} at eta = {run.eta:g}; diagnose a smaller step."
        )
    estimates, constants, parameters, bound = _bound(run, theorem, own)
    costs = tuple(_cost(t, bound, own, simulate(twin, 2 + k)) for k, (t, twin) in enumerate(twins))
    against = tuple(
        _rival(name, own, simulate(other, 2 + len(twins) + k)) for k, (name, other) in enumerate(others)
    )
    return Diagnosis(
        algorithm=run.algorithm.name,
        theorem=theorem,
        replicas=own.replicas,
        estimates=estimates,
        known=constants,
        parameters=parameters,
        prediction=bound,
        measured=measure_claim(context_of(theorem, run, own)),
        first_loss=float(own.mean("loss")[0]),
        final_loss=estimate_mean(_end(own), own.random, LEVEL),
        costs=tuple(sorted(costs, key=lambda c: -(c.loss.value if c.loss else -np.inf))),
        changes=tuple(changes(theorem, parameters, alternatives or {}, run.problem.m)),
        rivals=against,
        uncovered=tuple(reasons_not_applicable(theorem, run)),
        left_out=_heterogeneity_left_out(run.problem),
        run=run.to_json(),
    )


def _bound(
    run: Run, theorem: Theorem, own: Trajectory
) -> tuple[dict[str, MeasuredConstant], dict[str, Constant], dict[str, float], Prediction]:
    measured = measure_constants(run, own, theorem)
    names = {q.name for q in theorem.quantities}
    estimates: dict[str, MeasuredConstant] = {}
    for name in (n for n in ALONG if n in names):
        if name in measured and measured[name].trust == "exact":
            continue
        estimates |= estimate(run.problem, own, names=[name])
    constants = {n: c for n, c in measured.items() if n in names and n not in estimates}
    parameters = theorem_arguments(
        theorem, run, constants | {n: m.constant() for n, m in estimates.items()}, own
    )
    return estimates, constants, parameters, predict(theorem, **parameters)


def _cost(source: ErrorSource, bound: Prediction, own: Trajectory, twin: Trajectory) -> ErrorSourceCost:
    theory = [float(bound.terms[t.label]) for t in bound.theorem.terms if t.cause in source.causes]
    return ErrorSourceCost(
        source=source.name,
        removed_by=source.removed_by,
        loss=_minus(own, twin, _end),
        gradient=_minus(own, twin, _mean_gradient),
        theory=sum(theory) if theory else None,
        rounds=rounds_difference(own, twin),
        causes=source.causes,
    )


def _rival(name: str, own: Trajectory, other: Trajectory) -> AlternativeAlgorithm:
    return AlternativeAlgorithm(name, _minus(other, own, _end), rounds_difference(other, own))


def rounds_difference(a: Trajectory, b: Trajectory) -> Estimate | None:
    """Rounds of ``a`` minus rounds of ``b`` to the higher of their final losses, replica by replica."""
    if any(one.outcome == "diverged" or _has_diverged(one) for one in (a, b)):
        return None
    losses = np.broadcast_arrays(a.observed["loss"], b.observed["loss"])
    level = np.maximum(losses[0][:, -1], losses[1][:, -1])
    if (level >= losses[0][:, 0]).any():
        return None
    one, other = (_first_passage(series, level, a.rounds.astype(np.float64)) for series in losses)
    return estimate_mean(one - other, a.random or b.random, LEVEL)


def _first_passage(series: Array, level: Array, rounds: Array) -> Array:
    """The first round at which the loss is at most ``level``, (R,), linear between observed rounds."""
    after = np.argmax(series <= level[:, None], axis=1)
    rows = np.arange(len(series))
    high, low = series[rows, after - 1], series[rows, after]
    part = (high - level) / (high - low)
    return np.asarray(rounds[after - 1] + part * (rounds[after] - rounds[after - 1]))


def _end(own: Trajectory) -> np.ndarray:
    return np.asarray(own.observed["loss"][:, -1])


def _mean_gradient(own: Trajectory) -> np.ndarray:
    return np.asarray(own.observed["gradient_norm_squared"][:, :-1].mean(axis=1))


def _minus(a: Trajectory, b: Trajectory, of: Any) -> Estimate | None:
    """The paired difference; None where one of the two diverged."""
    if "diverged" in (a.outcome, b.outcome) or any(_has_diverged(one) for one in (a, b)):
        return None
    one, other = of(a), of(b)
    difference = one - other
    rounding = _ROUNDING[a.settings.get("dtype", "float64")] * np.maximum(np.abs(one), np.abs(other))
    difference = np.where(np.abs(difference) <= rounding, 0.0, difference)
    return estimate_mean(np.atleast_1d(difference), a.random or b.random, LEVEL)


def _has_diverged(own: Trajectory) -> bool:
    loss = own.observed["loss"]
    return bool((np.abs(loss[:, -1]) > _DIVERGED * (1 + np.abs(loss[:, 0]))).any())


def _with(run: Run, name: str) -> Run | None:
    """The run with another algorithm at its default options; None where it is the same or refuses."""
    if name == run.algorithm.name or (name == "fednova" and run.tau is not None):
        return None  # where all clients take the same steps, FedNova is FedAvg
    other = make_algorithm(name, {})
    try:
        other.check_run(run.local_steps, run.problem.m)
    except BoundkitError:
        return None
    return replace(run, algorithm=other)


def fitting_theorem(run: Run) -> tuple[str, dict[str, str]]:
    """Choose the theorem whose terms rank the sources, and theorems of other algorithms to compare.

    All bound the mean squared gradient.
    """
    if run.algorithm.name == "fedavg" and run.tau is None:
        return "fedavg_nonconvex_unequal_steps", {"fednova": "fednova_nonconvex"}
    full = all(run.participation.size(t) == run.problem.m for t in range(run.participation.period))
    other = {"scaffold": "scaffold_nonconvex"} if full else {"fedvarp": "fedvarp_nonconvex"}
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


@dataclass(frozen=True)
class ErrorSource:
    """A source of error: its name, the causes of the terms that it contributes to, and its ablation.

    ``without`` returns the run without it, None where the run has no such source.
    """

    name: str
    removed_by: str
    causes: frozenset[str]
    without: Callable[[Run], Run | None]


def _iid(run: Run) -> Run | None:
    problem = run.problem
    if not isinstance(problem, Network) or problem.m == 1 or reweighs(problem):
        return None
    return replace(run, problem=_repartition(problem, run.seed))


def _heterogeneity_left_out(problem: Problem) -> tuple[str, ...]:
    if problem.m == 1:
        return ()
    if not isinstance(problem, Network):
        return (_NO_POINTS,)
    return (_OTHER_WEIGHTS,) if reweighs(problem) else ()


def reweighs(problem: Problem) -> bool:
    """Whether a new partition of the points would change their weights in F."""
    return isinstance(problem, Network) and not np.allclose(problem.p, problem.federation.shares, atol=0)


def _repartition(problem: Network, seed: int) -> Network:
    """The same points and client sizes, partitioned at random."""
    old = problem.federation
    order = np.random.default_rng([seed, 1]).permutation(len(old.X))
    rows = [order[a:b] for a, b in zip(old.offsets[:-1], old.offsets[1:], strict=True)]
    twin = copy.copy(problem)
    twin.federation = Federation(old.X, old.y, rows)
    return twin


def _full_participation(run: Run) -> Run | None:
    if all(run.participation.size(t) == run.problem.m for t in range(run.participation.period)):
        return None
    return replace(run, participation=Full(run.problem.m))


def _one_step(run: Run) -> Run | None:
    if run.tau is None or run.tau == 1:
        return None
    return replace(run, eta=run.eta * run.tau, local_steps=np.ones_like(run.local_steps))


def _exact(run: Run) -> Run | None:
    if not run.problem.stochastic or run.problem.parts is not None:
        return None
    return replace(run, problem=run.problem.without_noise())


def _equal_work(run: Run) -> Run | None:
    if run.tau is not None:
        return None
    mean = max(1, round(float(run.local_steps.mean())))
    return replace(run, local_steps=np.full((1, run.problem.m), mean, dtype=np.intp))


ERROR_SOURCES = (
    ErrorSource("data heterogeneity", "dealing the points out by chance, once",
            frozenset({"client drift", "partial participation", "objective inconsistency"}), _iid),
    ErrorSource("local steps", "one step a round, as long as all together",
            frozenset({"client drift", "noise drift"}), _one_step),
    ErrorSource("partial participation", "everybody in every round",
            frozenset({"partial participation"}), _full_participation),
    ErrorSource("mini-batch noise", "exact gradients",
            frozenset({"stochastic noise", "noise drift"}), _exact),
    ErrorSource("unequal work", "the mean number of steps for everybody",
            frozenset({"objective inconsistency"}), _equal_work),
)  # fmt: skip
"""Sources of error that are removed from a run, one at a time."""


def changes(
    theorem: Theorem, parameters: Mapping[str, Any], others: Mapping[str, Theorem], clients: int
) -> list[ConfigurationChange]:
    """Every change that the theorem, or another of the same claim, can be parameters about, the best first.

    ``clients``: all clients, so that C m stays a clients number.
    """
    now = float(predict(theorem, **parameters).total)
    results = []
    upper = {
        label: other for label, other in others.items() if other.kind == "upper"
    }  # no unspecified constants
    for what, statement, values in _candidates(theorem, dict(parameters), upper, clients):
        try:
            bound: Prediction = predict(statement, **values)
        except BoundkitError:
            continue  # the other theorem needs a constant that was not measured
        total = float(bound.total)
        results.append(
            ConfigurationChange(what, total, total / now if now > 0 else float("inf"), bool(bound.holds))
        )
    return sorted(results, key=lambda c: c.total)


def _candidates(
    theorem: Theorem, parameters: dict[str, Any], others: Mapping[str, Theorem], clients: int
) -> Iterator[tuple[str, Theorem, dict[str, Any]]]:
    tau, C, eta = parameters.get("tau"), parameters.get("C"), parameters.get("eta")
    if tau is not None:
        for steps in sorted({1, max(1, int(tau) // 2), 2 * int(tau)} - {int(tau)}):
            yield f"tau = {steps} instead of {int(tau)}", theorem, {**parameters, "tau": steps}
    if C is not None and C < 1:
        for count in sorted({min(clients, 2 * round(C * clients)), clients}):
            yield f"C = {count / clients:g} instead of {C:g}", theorem, {**parameters, "C": count / clients}
    if eta is not None:
        for factor in (0.5, 2.0):
            yield (
                f"eta = {factor * eta:.3g} instead of {eta:.3g}",
                theorem,
                {**parameters, "eta": factor * eta},
            )
        yield from _tuned(theorem, parameters)
    for label, other in others.items():
        names = {q.name for q in other.quantities}
        yield f"{label} ({other.name})", other, {n: v for n, v in parameters.items() if n in names}


def _tuned(theorem: Theorem, parameters: dict[str, Any]) -> Iterator[tuple[str, Theorem, dict[str, Any]]]:
    """The step sizes that minimise the bound."""
    names = {q.name for q in theorem.quantities}
    for over in ("eta,eta_s", "eta"):
        if not set(over.split(",")) <= names:
            continue
        try:
            best = tune(theorem, over, **{n: v for n, v in parameters.items() if n not in over.split(",")})
        except BoundkitError:
            continue
        if best.monotone is not None:
            continue
        steps = {name: float(value) for name, value in best.values.items()}
        words = ", ".join(f"{name} = {value:.3g}" for name, value in steps.items())
        yield f"{words} (the best inside the condition)", theorem, {**parameters, **steps}
        return
