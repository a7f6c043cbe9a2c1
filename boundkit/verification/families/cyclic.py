"""Cyclic participation: groups of clients that take turns, under the Polyak-Lojasiewicz condition.

The proofs evaluate sigma_between at the start of a cycle. They evaluate sigma_within when a group
participates, of whole groups at the start of a cycle; with several local steps of sampled clients also at the
mean models of a group's local steps, of which the first and the last are measured.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from boundkit.algebra import BoundkitError, Theorem, notation, vocabulary
from boundkit.algebra.domain import at_least
from boundkit.analysis.evaluate import first_largest
from boundkit.simulation.arrays import Array
from boundkit.simulation.constant import Constant
from boundkit.simulation.problems import Problem, Quadratic, SmoothNonconvex
from boundkit.simulation.run import Run
from boundkit.verification.context import EvaluationContext
from boundkit.verification.dissimilarity import PREFIX, group_objectives, groups_of
from boundkit.verification.family import MEASURED, AssumptionRule, Family, Sweeps
from boundkit.verification.instance import Instance

_ZERO = 1e-12
_GROUPS, _SIZE = 4, 4
_ROUNDS = (400, 800, 1600, 3200, 6400)


def _groups_take_turns(theorem: Theorem, run: Run) -> str:
    try:
        groups = groups_of(run)
    except BoundkitError as error:
        return str(error).rstrip(".")
    if run.algorithm.settings.get("aggregation", "weighted") == "all" and len(groups[0]) < run.problem.m:
        return "it averages the clients of a round, and the run divides by all clients"
    if run.rounds % len(groups):
        return f"it is about whole cycles of {len(groups)} rounds, and the run has {run.rounds} rounds"
    return ""


def _whole_groups(theorem: Theorem, run: Run) -> str:
    try:
        groups = groups_of(run)
    except BoundkitError:
        return ""  # an objection of cyclic-participation
    sizes = {run.participation.size(t) for t in range(len(groups))}
    if sizes == {len(groups[0])}:
        return ""
    fewest = min(size or 0 for size in sizes)
    return f"it needs all {len(groups[0])} clients of a group, and the run has {fewest} of them"


def cyclic_participation(groups: int, count: int | None = None) -> dict[str, Any]:
    """Groups that take turns; ``count`` clients of a group participate, or all."""
    return {"kind": "cyclic", "groups": groups} | ({} if count is None else {"count": count})


def group_minimisers(groups: int, size: int, between: float, within: float, seed: int, d: int = 2) -> Array:
    """Minimisers of clients in groups: N(0, between^2) for the group, and N(0, within^2) about it."""
    rng = np.random.default_rng(seed)
    e = between * rng.standard_normal((groups, 1, d)) + within * rng.standard_normal((groups, size, d))
    return np.asarray(e.reshape(groups * size, d))


def default_instances(theorem: Theorem) -> list[Instance] | None:
    """Sampled and whole groups, homogeneous and heterogeneous Hessians, non-convex losses."""
    if not theorem.assumes("cyclic-participation"):
        return None
    sampled = not theorem.assumes("whole-groups")
    several = theorem.assumes("common-local-steps")
    heterogeneous = Quadratic.random(8, 3, seed=2, dense=True, noise=0.5, curvature=(0.2, 1.0))
    curvatures = [[1.0, 0.25]] * 8

    def instance(
        name: str, problem: Problem, groups: int, count: int | None = None, cycles: int = 1, **more: Any
    ) -> Instance:
        tau = more.pop("tau", 1)
        return Instance(
            name,
            problem,
            local_steps=tau if several else 1,
            rounds=cycles * groups,
            participation=cyclic_participation(groups, count if sampled else None),
            **{"x0": np.full(problem.d, 2.0), **more},
        )

    instances = [
        instance(
            "parts of groups, noise" if sampled else "whole groups, several steps",
            Quadratic(curvatures, group_minimisers(4, 2, 0.5, 2.0, 1), noise=0.5),
            4,
            1,
            cycles=12,
            tau=4,
        ),
        instance("different Hessians", heterogeneous, 2, 2, cycles=30, tau=8),
        instance(
            "the first cycle, where it is flat",
            Quadratic([[4.0, 0.1]] * 8, np.zeros((8, 2))),
            4,
            1,
            tau=2,
            x0=np.array([0.0, 2.0]),
        ),
        instance(
            "whole groups that differ",
            Quadratic(curvatures, group_minimisers(4, 2, 3.0, 0.1, 2)),
            4,
            cycles=100,
            tau=2,
        ),
        instance(
            "many groups of two", Quadratic.random(16, 2, seed=5, curvature=(0.3, 1.0)), 8, 1, cycles=10
        ),
        instance(
            "at the error floor",
            Quadratic([1.0] * 8, group_minimisers(2, 4, 0.0, 2.0, 3), noise=0.2),
            2,
            1,
            cycles=500,
            step=0.3,
            tau=16,
        ),
    ]
    if at_least(notation.groups, 2) not in theorem.requires:
        instances.append(instance("one group", heterogeneous, 1, 2, cycles=40, tau=5))
    if not theorem.rules:
        tilts = group_minimisers(4, 2, 1.0, 1.0, 4)
        nonconvex = SmoothNonconvex(tilts - tilts.mean(axis=0), noise=0.5)
        instances += [
            instance("not convex", nonconvex, 4, 1, cycles=10, tau=3),
            instance("not convex, no noise", nonconvex.without_noise(), 4, cycles=40, step=0.5, tau=2),
        ]
    return [replace(p, eta_s=1.0) for p in instances]


def _group_count(context: EvaluationContext) -> Constant:
    return Constant(len(groups_of(context.run)), "exact", "the run's own")


def _same_at_every_point(context: EvaluationContext) -> bool:
    """Whether the gradients of clients differ by the same at every point."""
    problem = context.run.problem
    if isinstance(problem, Quadratic):
        return bool(np.ptp(problem.H, axis=0).max() <= 1e-14 * np.abs(problem.H).max())
    return isinstance(problem, SmoothNonconvex)


def _cycle_starts(context: EvaluationContext, cycle: int) -> np.ndarray:
    """The first rounds of the cycles."""
    return np.arange(0, max(len(context.trajectory.x) - 1, 1), cycle)


def _largest_over_groups(context: EvaluationContext, quantity: str, turns: tuple[int, ...] = ()) -> Constant:
    """The root of the largest expectation of a dissimilarity, over groups and the rounds of the proof.

    ``turns``: so many rounds after the round of a group, in place of the starts of cycles.
    """
    run = context.run
    K = len(groups_of(run))
    if _same_at_every_point(context):
        observed = group_objectives(run)[PREFIX].observe(run.x0[None])
        worst = max(float(observed[f"{quantity}_{k}"][0]) for k in range(K))
        return Constant(max(worst, 0.0) ** 0.5, "exact", "the same at every point")
    trajectory = context.trajectory
    name = f"{PREFIX}_{quantity}_0"
    if name not in trajectory.observed:
        raise BoundkitError("the dissimilarity of the groups was not recorded in this run.")
    rounds = _cycle_starts(context, K)
    worst, at = -1.0, 0
    for k in range(K):
        at_rounds = np.concatenate([rounds + k + turn for turn in turns]) if turns else rounds
        series = trajectory.mean(f"{PREFIX}_{quantity}_{k}")
        at_rounds = at_rounds[at_rounds < max(len(series) - 1, 1)]
        if len(at_rounds):
            largest = int(at_rounds[first_largest(series[at_rounds])])
            if first_largest(np.array([worst, float(series[largest])])):
                at, worst = largest, float(series[largest])
    where = "where a group participates" if turns else "where a cycle starts"
    return Constant(
        max(worst, 0.0) ** 0.5,
        "estimated" if trajectory.random else "local",
        f"largest along the run {where}, at round {at}",
    )


def _between(context: EvaluationContext) -> Constant:
    return _largest_over_groups(context, "between")


def _within(context: EvaluationContext) -> Constant:
    if context.theorem.assumes("whole-groups"):
        return _largest_over_groups(context, "within")
    local = context.theorem.assumes("common-local-steps")
    return _largest_over_groups(context, "within", (0, 1) if local else (0,))


def _mu_pl(context: EvaluationContext) -> Constant:
    """mu with ||grad F||^2 >= 2 mu (F - F*): an eigenvalue on quadratics, else measured along the run."""
    problem = context.run.problem
    if isinstance(problem, Quadratic):
        values = problem.mean_eigenvalues
        curved = values[values > _ZERO * values[-1]]
        if not len(curved):
            raise BoundkitError("the mean has no mu_pl: no eigenvalue of sum p_i H_i is above 0.")
        return Constant(float(curved[0]), "exact", "smallest eigenvalue of sum p_i H_i above 0")
    recorded = context.trajectory
    rounds = _cycle_starts(context, len(groups_of(context.run)))
    square, gap = recorded.mean("gradient_norm_squared")[rounds], recorded.mean("loss_gap")[rounds]
    ratio = _ratio(square, gap)
    at = int(rounds[first_largest(-ratio)])
    how = f"least of ||grad F||^2/(2 (F - F*)) where a cycle starts, at round {at}"
    return Constant(float(ratio.min()), "estimated" if recorded.random else "local", how)


def _ratio(square: Array, gap: Array) -> Array:
    """||grad F||^2/(2 gap), infinite where there is no gap. Raises BoundkitError where none is left."""
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = np.where(gap > 0, square / (2 * gap), np.inf)
    if not np.isfinite(ratio).any():
        raise BoundkitError("every cycle of the run starts at the optimum, where any mu_pl is valid.")
    return ratio


def _vary(instance: Instance, keyword: str, value: float) -> Instance:
    if keyword == "T":
        return replace(instance, rounds=int(value))
    if keyword == "groups":
        return replace(
            instance, participation=cyclic_participation(int(value), instance.participation["count"])
        )
    raise BoundkitError(f"{keyword} is not varied here.")


def _sweeps(theorem: Theorem) -> Sweeps | None:
    """Sixteen clients with one Hessian, two of a group per round, with noise where the theorem allows it."""
    if not theorem.assumes("cyclic-participation"):
        return None
    several = theorem.assumes("common-local-steps")
    noise = 0.0 if theorem.assumes("no-noise") else 0.3
    problem = Quadratic([1.0] * (_GROUPS * _SIZE), group_minimisers(_GROUPS, _SIZE, 1.0, 1.0, 7), noise=noise)
    instance = Instance(
        "groups that take turns",
        problem,
        local_steps=4 if several else 1,
        rounds=_ROUNDS[1],
        participation=cyclic_participation(_GROUPS, 2),
        x0=problem.centre + 1.0,
    )
    values: dict[str, tuple[float, ...]] = {"T": _ROUNDS}
    return Sweeps(instance, values if several else values | {"groups": (1, 2, 4, 8)}, _vary)


def _objectives(theorem: Theorem, run: Run) -> Mapping[str, Problem]:
    return group_objectives(run) if theorem.assumes("group-dissimilarity") else {}


FAMILY = Family(
    assumptions={
        vocabulary.POLYAK_LOJASIEWICZ: MEASURED,
        vocabulary.GROUP_DISSIMILARITY: MEASURED,
        vocabulary.CYCLIC_GROUPS: AssumptionRule(_groups_take_turns),
        vocabulary.WHOLE_GROUPS: AssumptionRule(_whole_groups),
    },
    instances=default_instances,
    constants={
        notation.groups: _group_count,
        notation.sigma_between: _between,
        notation.sigma_within: _within,
        notation.mu_pl: _mu_pl,
    },
    objectives=_objectives,
    sweeps=_sweeps,
)
