"""The objective that a combination of sampling and aggregation minimises.

Three results. The exact limit of E x_t at this step size; where a round is not affine, or has no distribution
of its own, an estimate from a long run. The surrogate of small steps, sum_i v_i F_i (surrogate.py), or, for
selection by losses, the small-step limit point. And the true optimum.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import hypot
from typing import Any, overload

import numpy as np

from boundkit.algebra import BoundkitError
from boundkit.report import Report, Reported, Sentences, Table
from boundkit.report.blocks import Block
from boundkit.report.formatting import format_rounded
from boundkit.simulation.arrays import Array
from boundkit.simulation.confidence_interval import student_quantile
from boundkit.simulation.engines.affine_maps import NotAffine
from boundkit.simulation.engines.aggregation_weights import AggregationWeights, TooManySubsets
from boundkit.simulation.fixed_point import FixedPoint, NoFixedPoint, fixed_point, long_run
from boundkit.simulation.participation import NoClosedForm, PowerOfChoice
from boundkit.simulation.problems import Problem, Quadratic
from boundkit.simulation.rule_objective import RuleObjective, rule_objective
from boundkit.simulation.run import Run
from boundkit.simulation.selection import SelectionLimit
from boundkit.simulation.selection.limit import small_step_limit
from boundkit.simulation.simulate import as_run
from boundkit.simulation.surrogate import surrogate_weights

_BATCHES, _DRAWS = 20, 20_000


@dataclass(frozen=True, repr=False)
class Objective(Reported):
    """The limit of a run, the surrogate of small steps, and the true optimum.

    ``interval``: where the expectation over participation was sampled, a 99 % interval for the distance
    to the optimum; None where it is exact. ``small_step_limit``: the small-step limit of runs without a
    surrogate, whose clients are selected by their losses; its ``shares`` are the weights there.
    ``weights``: the weights p of the clients in the true objective.
    """

    algorithm: str
    limit: FixedPoint
    surrogate_weights: Array | None
    surrogate_optimum: Array | None
    optimum: Array
    interval: tuple[float, float] | None = None
    small_step_limit: SelectionLimit | None = None
    weights: Array | None = None

    @property
    def distance_to_optimum(self) -> float:
        """||limit - x*||; over a cycle, of its mean point."""
        return _distance(self.limit, self.optimum)

    @property
    def surrogate_distance(self) -> float | None:
        """||surrogate optimum - x*||; None where there is no surrogate."""
        if self.surrogate_optimum is None:
            return None
        return hypot(*(self.surrogate_optimum - self.optimum))

    def to_dict(self) -> dict[str, Any]:
        """The answer of ``objective --json``."""
        points = self.limit.points.tolist()
        return {
            "algorithm": self.algorithm,
            **({"fixed_point": points[0]} if self.limit.is_point else {"cycle": points}),
            "surrogate_weights": _listed(self.surrogate_weights),
            "surrogate_optimum": _listed(self.surrogate_optimum),
            "optimum": self.optimum.tolist(),
            "distance_to_optimum": self.distance_to_optimum,
            "surrogate_distance_to_optimum": self.surrogate_distance,
            "small_step_limit": self._small_steps(),
            "exact": self.interval is None,
            **({} if self.interval is None else {"interval": list(self.interval)}),
            "stable": self.limit.stable,
            "spectral_radius": _number(self.limit.spectral_radius),
            **{f"{name}_limit": points.tolist() for name, points in self.limit.models.items()},
        }

    def report(self) -> Report:
        """The surrogate of small steps, the limit at this step size, and the optimum."""
        limit = self.limit
        remark = "" if limit.stable else "(not reached: the run diverges at this step size)"
        names = (
            ["fixed point"]
            if limit.is_point
            else [f"cycle, before round {t}" for t in range(len(limit.points))]
        )
        rows = [[name, _vector(x), remark] for name, x in zip(names, limit.points, strict=False)]
        for name, points in limit.models.items():
            rows.append([name.replace("_", " "), _vector(points.mean(axis=0)), ""])
        optimum = [["optimum", _vector(self.optimum), ""]]
        if limit.stable:
            ends = self.interval
            error = "(exact)" if ends is None else f"(99 % interval [{ends[0]:.6g}, {ends[1]:.6g}])"
            name = "distance" if limit.is_point else "distance of the cycle's mean"
            optimum.append([name, _distance_text(limit.points.mean(axis=0), self.optimum), error])
        return Report(
            (
                *self._surrogate(),
                _rows(f"At this step size the mean iterate {self._convergence}", rows),
                _rows("The optimum of F is", optimum),
            )
        )

    def _small_steps(self) -> dict[str, Any] | None:
        limit = self.small_step_limit
        if limit is None:
            return None
        distance = hypot(*(limit.model - self.optimum))
        return {"point": limit.model.tolist(), "distance_to_optimum": distance, "loss_gap": limit.loss_gap}

    @property
    def _convergence(self) -> str:
        if not self.limit.stable:
            return "diverges; its fixed point is"
        return "converges to" if self.interval is None else "converges, by an estimate, to"

    def _surrogate(self) -> tuple[Block, ...]:
        if self.surrogate_weights is None or self.surrogate_optimum is None:
            none = Sentences([f"{self.algorithm} has no surrogate objective sum v_i F_i here."])
            if self.small_step_limit is None:
                return (none,)
            model = self.small_step_limit.model
            distance = f"{_distance_text(model, self.optimum)} from the optimum"
            title = "With clients selected by their losses its limit, as the step size goes to 0, is"
            return none, _rows(title, [["small-step limit", _vector(model), distance]])
        distance = f"{_distance_text(self.surrogate_optimum, self.optimum)} from the optimum"
        rows = [
            ["surrogate weights", _vector(self.surrogate_weights), ""],
            *([["weights p of F", _vector(self.weights), ""]] if self.weights is not None else []),
            ["surrogate optimum", _vector(self.surrogate_optimum), distance],
        ]
        return (_rows(f"{self.algorithm} minimises, as its step size goes to 0, sum v_i F_i with", rows),)


def _rows(title: str, rows: list[list[str]]) -> Table:
    return Table(["", "", ""], rows, left=3, caption=title)


@overload
def objective(algorithm: str, problem: Problem, **settings: Any) -> Objective: ...
@overload
def objective(algorithm: Run, problem: None = None, **settings: Any) -> Objective: ...
@overload
def objective(algorithm: str | None = None, problem: None = None, **settings: Any) -> RuleObjective: ...
@np.errstate(over="ignore", invalid="ignore")
def objective(
    algorithm: str | Run | None = None, problem: Problem | None = None, **settings: Any
) -> Objective | RuleObjective:
    """Compute the objective that an algorithm minimises on a problem, or an aggregation rule on any.

    Parameters
    ----------
    algorithm
        The name of an algorithm, or a Run, which has its problem and settings.
    problem
        Quadratics whose mean has a unique minimum.
    settings
        As in ``simulate``; ``rounds`` has no influence where the limit is exact. Without a problem, those of
        ``rule_objective``: ``p``, ``tau``, ``rule``, and others.

    Returns
    -------
    Objective
        The limit of the mean iterate at this step size, the surrogate objective of small steps, and the
        optimum; without a problem a RuleObjective, the surrogate weights of the rule.

    Raises
    ------
    BoundkitError
        Where the problem is not quadratic, an optimum is not unique, or no limit exists.

    Examples
    --------
    >>> import boundkit as bk
    >>> problem = bk.Quadratic(hessians=[2.0, 4.0], centers=[[1.0], [5.0]])  # (x-1)^2 and 2(x-5)^2
    >>> answer = objective("fedavg", problem, eta=0.1, local_steps=1)
    >>> round(float(answer.limit.points[0, 0]), 12)
    3.666666666667
    >>> objective(p=[0.5, 0.5], tau=[1, 3], rule="mean").weights.tolist()
    [0.25, 0.75]
    """
    if problem is None and not isinstance(algorithm, Run):
        return rule_objective(algorithm=algorithm, **settings)
    if algorithm is None:
        raise TypeError("objective of a problem needs an algorithm")
    run = as_run(algorithm, problem, **({"rounds": 1} | settings if isinstance(algorithm, str) else settings))
    problem = run.problem
    if not isinstance(problem, Quadratic):
        raise BoundkitError(f"the exact limit needs a quadratic problem, not {problem.kind}.")
    if problem.optimum is None:
        raise BoundkitError("the mean loss has no unique minimum: sum p_i H_i is not positive definite.")
    if run.offset is not None:
        raise BoundkitError("a decreasing step size has no limit of its own; use a fixed eta.")
    weights, limit, interval = _limit(run, problem.optimum)
    surrogate = _surrogate(run, weights)
    minimiser = None if surrogate is None else _minimiser(problem, surrogate)
    small_steps = _small_step_limit(run) if surrogate is None else None
    return Objective(
        run.algorithm.name,
        limit,
        surrogate,
        minimiser,
        problem.optimum,
        interval,
        small_steps,
        problem.p,
    )


def _surrogate(run: Run, weights: list[Array] | None) -> Array | None:
    try:
        return surrogate_weights(run, weights)
    except NoClosedForm:  # of one round, such as a selection by losses
        return None


def _small_step_limit(run: Run) -> SelectionLimit | None:
    """The small-step limit for selection by losses; None where it is unknown."""
    if not isinstance(run.participation, PowerOfChoice):
        return None
    try:
        return small_step_limit(run)
    except BoundkitError:
        return None


def _limit(run: Run, optimum: Array) -> tuple[list[Array] | None, FixedPoint, tuple[float, float] | None]:
    """E w_i where a round is a sum over clients, the limit, and an interval for its distance if estimated."""
    try:
        if run.algorithm.stateless and run.offset is None:
            weighing = AggregationWeights(run)
            try:
                weights = [weighing.mean(t) for t in range(run.period)]
            except TooManySubsets:
                return _sampled(run, optimum)
            return weights, fixed_point(run, weights), None
        return None, fixed_point(run), None
    except (TooManySubsets, NoClosedForm, NotAffine, NoFixedPoint):
        limit, interval = long_run(run, optimum)
        return None, limit, interval


def _sampled(run: Run, optimum: Array) -> tuple[list[Array], FixedPoint, tuple[float, float]]:
    """Weights, limit and an interval for its distance, from batches of sampled participation outcomes."""
    weighing, rng, rounds = AggregationWeights(run), np.random.default_rng(run.seed), range(run.period)
    batches = [[weighing.sampled_mean(t, _DRAWS, rng) for t in rounds] for _ in range(_BATCHES)]
    distances = [_distance(fixed_point(run, each), optimum) for each in batches]
    mean = list(np.mean(batches, axis=0))
    margin = student_quantile(0.99, _BATCHES - 1) * float(np.std(distances, ddof=1)) / _BATCHES**0.5
    limit = fixed_point(run, mean)
    centre = _distance(limit, optimum)
    return mean, limit, (max(centre - margin, 0.0), centre + margin)


def _listed(v: Array | None) -> list[float] | None:
    return None if v is None else v.tolist()


def _number(value: float) -> float | None:
    return value if np.isfinite(value) else None


def _vector(v: Array) -> str:
    shown = ", ".join(f"{x:.6g}" for x in v[:8])
    return f"({shown}{', ...' if len(v) > 8 else ''})"


def _distance_text(x: Array, y: Array) -> str:
    return format_rounded(hypot(*(x - y)), float(np.abs([x, y]).max()))


def _distance(limit: FixedPoint, optimum: Array) -> float:
    return hypot(*(limit.points.mean(axis=0) - optimum))


def _minimiser(problem: Quadratic, weights: Array) -> Array:
    H = np.tensordot(weights, problem.H, 1)
    linear = weights @ problem.apply(problem.e)
    lowest = H.min() if problem.diagonal else np.linalg.eigvalsh(H)[0]
    if lowest <= 0:
        raise BoundkitError("the surrogate objective has no unique minimum.")
    return np.asarray(linear / H if problem.diagonal else np.linalg.solve(H, linear))
