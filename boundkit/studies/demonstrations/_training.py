"""Training of networks for demonstrations: settings on common random numbers, intervals, comparisons.

A replica draws everything by its own seed: the partition of the data, the initial weights, the participating
clients and the mini-batches. All settings use the same replicas, so that comparisons are paired. Intervals
are Student t over replicas, 95 % each, without a correction for many comparisons.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any, TypeVar

import numpy as np

from boundkit.algebra import BoundkitError
from boundkit.algebra.errors import unknown
from boundkit.analysis.progress import Progress
from boundkit.simulation.arrays import Array
from boundkit.simulation.confidence_interval import Estimate, estimate_mean
from boundkit.simulation.problems import Network, Problem, problem_from_spec
from boundkit.simulation.processes import one_thread, run_in_workers
from boundkit.simulation.simulate import simulate
from boundkit.simulation.trajectory import Trajectory

LEVEL = 0.95
_ROUNDING = 1e-12
_FAR = 10_000
"""Offset between the seeds on which step sizes are chosen and those on which they are evaluated."""


@dataclass(frozen=True)
class Task:
    """A partitioned data set and a model, both drawn by the seed of a replica."""

    partition: Mapping[str, Any]
    model: Any = "softmax"
    batch: int | None = 10
    data: str = "digits"
    l2: float = 0.0
    equal: bool = False
    """Whether clients have equal weights; otherwise they are proportional to n_i."""

    def problem(self, seed: int, batch: int | None = None) -> Problem:
        """The problem that ``seed`` draws; ``batch`` replaces the task's where it is given."""
        own = {"seed": seed} if "seed" not in self.partition else {}
        size = self.batch if batch is None else batch
        spec = {
            "kind": "network", "data": self.data, "model": self.model, "l2": self.l2,
            "partition": {**self.partition, **own}, **({} if size is None else {"batch": size}),
        }  # fmt: skip
        if self.equal:
            m = self.partition["num_partitions"]
            spec["p"] = [1 / m] * m
        return _make_problem(json.dumps(spec))


@lru_cache(maxsize=32)
def _make_problem(spec: str) -> Problem:
    return problem_from_spec(json.loads(spec))


@dataclass(frozen=True)
class TrainingSetting:
    """An algorithm with what ``simulate`` takes; settings that are functions are given the problem.

    ``batch``: instead of the task's. ``rounds``: instead of all settings' common number. ``pairs``: observed
    at the mean of x_t and x_{t-1}, as FedExP's authors do.
    """

    label: str
    algorithm: str
    settings: Mapping[str, Any]
    batch: int | None = None
    rounds: int | None = None
    pairs: bool = False


@dataclass(frozen=True)
class TrainingRow:
    """``loss`` with its interval ``low`` to ``high``, ``accuracy`` on the training points, ``gradient``:
    |grad F|^2 with its interval, each the mean over the last observed rounds and replicas."""

    setting: str
    loss: float
    low: float
    high: float
    accuracy: float
    gradient: float
    gradient_low: float
    gradient_high: float


@dataclass(frozen=True)
class ReplicaComparison:
    """``setting`` over, or minus, ``against``, replica by replica: ``value`` in ``low`` to ``high``.

    ``by`` ratio: the geometric mean of ratios; by difference: the mean of differences. ``found``: lower or
    higher where the interval says so. ``theory``: what it says of the sign, and by which term.
    """

    setting: str
    against: str
    measure: str
    found: str
    theory: str
    by: str
    value: float
    low: float
    high: float


@dataclass(frozen=True)
class TrainingResult:
    """``series``: by label and observable, (R, T' + 1), inf from where a replica diverged on; ``last``: how
    many observed rounds at the end are averaged."""

    series: Mapping[str, Mapping[str, Array]] = field(repr=False)
    last: int = 1

    def each(self, label: str, observable: str) -> Array:
        """The end of each replica, (R,). Raises BoundkitError for a label or observable that is not there."""
        if label not in self.series:
            raise unknown("setting", label, self.series)
        if observable not in self.series[label]:
            raise unknown("observable", observable, self.series[label])
        return np.asarray(self.series[label][observable][:, -self.last :].mean(axis=1))

    def until(self, share: float) -> TrainingResult:
        """The same runs ended after this share of their rounds."""
        cut = {
            label: {n: v[:, : 1 + max(1, round(share * (v.shape[1] - 1)))] for n, v in own.items()}
            for label, own in self.series.items()
        }
        return TrainingResult(cut, 1)

    def at_end(self, label: str, observable: str) -> Estimate:
        """Its mean over replicas with its interval; inf where some replica diverged."""
        return interval(self.each(label, observable))

    def row(self, label: str) -> TrainingRow:
        """The row of one setting."""
        loss, gradient = self.at_end(label, "loss"), self.at_end(label, "gradient_norm_squared")
        return TrainingRow(label, loss.value, loss.low, loss.high, self.at_end(label, "accuracy").value,
                   gradient.value, gradient.low, gradient.high)  # fmt: skip

    def rows(self) -> list[TrainingRow]:
        """One row a setting, in their order."""
        return [self.row(label) for label in self.series]

    def compare(
        self, setting: str, against: str, measure: str = "loss", *, theory: str = "", by: str = "ratio"
    ) -> ReplicaComparison:
        """Test whether ``setting`` ends lower or higher than ``against``, by the paired interval.

        Replicas without any spread, as counts of rounds may be, give no verdict.
        """
        if by not in ("ratio", "difference"):
            raise unknown("way to compare", by, ("ratio", "difference"))
        a, b = self.each(setting, measure), self.each(against, measure)
        if not (np.isfinite(a).all() and np.isfinite(b).all()):
            labels = [label for label, v in ((setting, a), (against, b)) if not np.isfinite(v).all()]
            nan = float("nan")
            diverged = f"{' and '.join(labels)} diverged"
            return ReplicaComparison(setting, against, measure, diverged, theory, by, nan, nan, nan)
        if by == "ratio" and min(a.min(), b.min()) <= 0:
            raise BoundkitError(f"{measure} is not above 0 everywhere; compare it by difference.")
        mean = interval(np.log(a / b) if by == "ratio" else a - b)
        resolved = mean.high - mean.low > _ROUNDING
        lower, higher = resolved and mean.high < 0, resolved and mean.low > 0
        verdict = "lower" if lower else "higher" if higher else "not told apart"
        value, low, high = (
            float(np.exp(v)) if by == "ratio" else v for v in (mean.value, mean.low, mean.high)
        )
        return ReplicaComparison(setting, against, measure, verdict, theory, by, value, low, high)


def interval(each: Array) -> Estimate:
    """The mean of one number a replica, (R,), with its Student t interval at 95 %."""
    if not np.isfinite(each).all():
        return Estimate(float("inf"), float("inf"), float("inf"), float("inf"))
    return estimate_mean(each, True, LEVEL)


def train(
    task: Task,
    settings: Sequence[TrainingSetting],
    *,
    rounds: int,
    replicas: int,
    seed: int = 0,
    looks: int = 10,
    last: int = 2,
    jobs: int = 1,
    progress: Progress | None = None,
) -> TrainingResult:
    """Every setting on the same replicas, seeds ``seed``, ``seed`` + 1, ...

    Observed about ``looks`` times; ends are means over the ``last`` of them. In float32, one thread a run;
    ``jobs`` processes share the runs, which changes no number.
    """
    labels = [s.label for s in settings]
    if len(set(labels)) < len(labels):
        raise BoundkitError(f"settings need labels of their own, but they are {labels}.")
    work = [(task, s, r, rounds, looks) for s in settings for r in range(seed, seed + replicas)]
    observed = over_replicas(_run_replica, work, jobs, progress)
    series = {}
    for k, label in enumerate(labels):
        own = observed[k * replicas : (k + 1) * replicas]
        series[label] = {name: np.stack([one[name] for one in own]) for name in own[0]}
    return TrainingResult(series, last)


@dataclass(frozen=True)
class TunedSetting:
    """``chosen``: the best of ``tried`` steps from ``least`` to ``most``, by the mean ``loss`` at the end on
    seeds of their own; ``edge``: it is the least or the most, and a step beyond might do better.
    """

    setting: str
    chosen: float
    loss: float
    tried: int
    least: float
    most: float
    edge: bool


def tune(
    task: Task,
    name: str,
    steps: Sequence[float],
    make: Callable[[float], TrainingSetting],
    *,
    rounds: int,
    replicas: int,
    looks: int = 10,
    last: int = 2,
    jobs: int = 1,
    progress: Progress | None = None,
) -> tuple[TrainingSetting, TunedSetting]:
    """Choose the best step size of a grid by the mean final loss; return the setting and the choice.

    The seeds differ from those of ``train``. Raises BoundkitError where all step sizes diverge.
    """
    candidates = [replace(make(step), label=f"{step:g}") for step in steps]
    trained = train(
        task, candidates, rounds=rounds, replicas=replicas, seed=_FAR, looks=looks, last=last, jobs=jobs,
        progress=progress,
    )  # fmt: skip
    losses = [trained.at_end(s.label, "loss").value for s in candidates]
    best = int(np.argmin(losses))
    if not np.isfinite(losses[best]):
        raise BoundkitError(f"{name} diverges at every step of {list(steps)}; add smaller ones.")
    least, most = min(steps), max(steps)
    tuned = TunedSetting(
        name, steps[best], losses[best], len(steps), least, most, steps[best] in (least, most)
    )
    return replace(make(steps[best]), label=name), tuned


def staged(progress: Progress | None, runs: Sequence[int]) -> list[Progress | None]:
    """One ``progress`` for each of several trainings in a row, of so many runs each."""
    if progress is None:
        return [None] * len(runs)
    report, total = progress, sum(runs)
    before = [sum(runs[:k]) for k in range(len(runs))]
    return [lambda done, of, start=start: report(start + done, total) for start in before]  # type: ignore[misc]


def _run_replica(
    task: Task, setting: TrainingSetting, seed: int, rounds: int, looks: int
) -> Mapping[str, Array]:
    """One replica of a setting: each observable, (T' + 1,), inf from where it diverged on."""
    problem = task.problem(seed, setting.batch)
    own = setting.rounds or rounds
    every = max(1, own // looks)
    arguments = {n: v(problem) if callable(v) else v for n, v in setting.settings.items()}
    arguments |= {"rounds": own, "seed": seed, "x0": {"seed": seed}, "dtype": "float32"}
    if setting.pairs:
        observed = _observe_pairs(simulate(setting.algorithm, _leaner(problem), **arguments), problem, every)
    else:
        run = simulate(setting.algorithm, problem, every=every, **arguments)
        observed = {name: values[0] for name, values in run.observed.items()}
    count = 1 + own // every + (own % every > 0)
    return {n: np.concatenate([v, np.full(count - len(v), np.inf)]) for n, v in observed.items()}


def _observe_pairs(run: Trajectory, problem: Problem, every: int) -> Mapping[str, Array]:
    """Observables at the mean of x_t and x_{t-1}, every so many rounds and after the last; at x_0 first."""
    assert run.path is not None
    last = len(run.path) - 1
    ends = [last] if run.outcome == "done" and last % every else []
    at = np.array([*range(0, last + 1, every), *ends])
    observed = problem.observe((run.path[at] + run.path[np.maximum(at - 1, 0)]) / 2)
    return {name: np.asarray(values) for name, values in observed.items()}


def _leaner(problem: Problem) -> Problem:
    assert isinstance(problem, Network)
    return problem.leaner()


T = TypeVar("T")


def over_replicas(
    one: Callable[..., T], work: Sequence[tuple[Any, ...]], jobs: int = 1, progress: Progress | None = None
) -> list[T]:
    """Evaluate ``one`` on each tuple of arguments, on one thread each; ``jobs`` change no number."""
    results: list[T] = []
    for result in _map(one, work, jobs):
        results.append(result)
        if progress is not None:
            progress(len(results), len(work))
    return results


def _map(one: Callable[..., T], work: Sequence[tuple[Any, ...]], jobs: int) -> Iterator[T]:
    if jobs == 1 or len(work) == 1:
        for own in work:
            yield on_one_thread(one, *own)
        return
    yield from run_in_workers(on_one_thread, [(one, *own) for own in work], jobs)


def on_one_thread(one: Callable[..., T], *own: Any) -> T:
    """Several threads change the last bits."""
    with one_thread():
        return one(*own)


def slope(x: Array, y: Array) -> float:
    """The least-squares slope of y on x, (n,) each."""
    centred = x - x.mean()
    return float(centred @ y / (centred @ centred))


def log_slopes(x: Array, y: Array) -> Array:
    """The slope of log y, (R, n), on log x, (n,), of each replica, (R,); nan where some y is not above 0."""
    with np.errstate(invalid="ignore", divide="ignore"):
        logs = np.log(np.where(y > 0, y, np.nan))
    return np.array([slope(np.log(x), row) for row in logs])


def slope_over_replicas(x: Array, y: Array) -> Estimate:
    """The mean of ``log_slopes`` with its Student t interval; nan where a replica has none."""
    each = log_slopes(x, y)
    if not np.isfinite(each).all():
        nan = float("nan")
        return Estimate(nan, nan, nan, nan)
    return interval(each)
