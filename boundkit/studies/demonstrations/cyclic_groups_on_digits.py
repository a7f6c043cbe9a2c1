"""Cyclic participation of groups with exact, stochastic and shuffled local gradients, by number of groups.

Sixteen clients with 88 digits each, in the order of their labels, so that neighbours are similar; K blocks of
them are groups, of which two clients participate in a round. K = 1 is uniform sampling. cyclic_pl has a term
of order eta for the sampling, sigma_w^2 (m/K - 2)/(2 (m/K - 1)), which decreases with K, to 0 where whole
groups participate; and one of order eta^2 for the order, (K - 1)^2 sigma_b^2, which increases. At small steps
cyclic participation should have the smaller error, the more groups the smaller; at large ones the order may
cost more than the sampling. Shuffled passes have no noise at first order in eta, independent mini-batches do:
their error is larger, where the sampling error does not dominate.

Cho, Sharma, Joshi, Xu, Kale, Zhang, arXiv 2302.03109; the clients are our own.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from boundkit.algebra import BoundkitError
from boundkit.analysis.progress import Progress
from boundkit.simulation.data import Dataset
from boundkit.simulation.problems import Network
from boundkit.studies.demonstrations._modified_tasks import Indices, LossOnlyTask, named
from boundkit.studies.demonstrations._training import (
    ReplicaComparison,
    TrainingResult,
    TrainingSetting,
    slope_over_replicas,
    staged,
    train,
)

CLIENTS, COUNT, POINTS, BATCH = 16, 2, 88, 22
PASS = POINTS // BATCH
"""Local steps that go over a client's points once."""
STEPS = (0.1, 0.4)
"""eta tau: a step of exact gradients is as long as a pass of mini-batches."""
_DRAW = "lower: partial participation falls with K"
_RACE = "either: partial participation falls, cyclic order grows"
_SHUFFLED = "lower: no noise at first order"
_THEORY = {STEPS[0]: _DRAW, STEPS[1]: _RACE}


@dataclass(frozen=True)
class SortedTask(LossOnlyTask):
    """Clients with as many points each, in the order of labels; ``seed`` draws which of a label."""

    def rows(self, data: Dataset, seed: int) -> list[Indices]:
        if len(data.y) < CLIENTS * POINTS:
            raise BoundkitError(
                f"{CLIENTS} clients with {POINTS} points need more than {len(data.y)} points."
            )
        points = np.random.default_rng(seed).permutation(len(data.y))[: CLIENTS * POINTS]
        return list(points[np.argsort(data.y[points], kind="stable")].reshape(CLIENTS, POINTS))


_SPLIT = {"kind": "sorted"}
EXACT = SortedTask(_SPLIT, "softmax", l2=0.01, settled=True, exact=True)
CLIENT_STEPS = {
    "exact": EXACT,
    "stochastic": replace(EXACT, exact=False, batch=BATCH),
    "shuffled": replace(EXACT, exact=False, batch=BATCH, order="shuffled"),
}


@dataclass(frozen=True)
class CyclicRow:
    """``gap``, in ``low`` to ``high``: F - F* at the ends of cycles in the last third of the rounds.
    ``step``: eta tau."""

    gradients: str
    step: float
    groups: int
    gap: float
    low: float
    high: float


@dataclass(frozen=True)
class PredictedTerms:
    """What theory multiplies by eta and by eta^2, with sigma_w and sigma_b as they are at x*: ``draw``,
    sigma_w^2 (m/K - 2)/(2 (m/K - 1)), and ``order``, (K - 1)^2 sigma_b^2."""

    groups: int
    draw: float
    order: float


@dataclass(frozen=True)
class SlopeOverGroups:
    """``value``, in ``low`` to ``high``: the slope of log(F - F*) over log K; ``found``: its sign, where the
    interval tells it."""

    gradients: str
    step: float
    found: str
    theory: str
    value: float
    low: float
    high: float


@dataclass(frozen=True)
class CyclicGroupsOnDigits:
    """Means over ``replicas``."""

    table: list[CyclicRow]
    blamed: list[PredictedTerms]
    slopes: list[SlopeOverGroups]
    comparisons: list[ReplicaComparison]
    replicas: int


def cyclic_groups_on_digits(
    *, quick: bool = False, jobs: int = 1, progress: Progress | None = None
) -> CyclicGroupsOnDigits:
    """Softmax regression with a penalty on the digits: 1, 2, 4 or 8 groups, at a small and a large step."""
    groups = (1, 8) if quick else (1, 2, 4, 8)
    replicas, looks, last = (2, 6, 2) if quick else (6, 30, 10)
    rounds = dict(zip(STEPS, (48, 48) if quick else (720, 240), strict=True))
    settings = {
        name: [_setting(task, K, step, rounds[step]) for step in STEPS for K in groups]
        for name, task in CLIENT_STEPS.items()
    }
    reports = staged(progress, [len(own) * replicas for own in settings.values()])
    runs = {
        name: train(task, settings[name], rounds=1, replicas=replicas, looks=looks, last=last, jobs=jobs,
                    progress=reports[k])
        for k, (name, task) in enumerate(CLIENT_STEPS.items())
    }  # fmt: skip
    cases = [(name, step) for name in runs for step in STEPS]
    return CyclicGroupsOnDigits(
        [_row(runs[name], name, step, K) for name, step in cases for K in groups],
        [_blamed(EXACT.problem(0), K) for K in groups],
        [_slope(runs[name], name, step, groups) for name, step in cases],
        _verdicts(runs, groups),
        replicas,
    )


def _label(K: int, step: float) -> str:
    return f"K = {K}, step {step:g}"


def _setting(task: LossOnlyTask, K: int, step: float, rounds: int) -> TrainingSetting:
    tau = 1 if task.exact else PASS
    participation = {"kind": "cyclic", "groups": K, "count": COUNT}
    arguments = {"eta": step / tau, "local_steps": tau, "participation": participation}
    return TrainingSetting(_label(K, step), "fedavg", arguments, rounds=rounds)


def _row(trained: TrainingResult, name: str, step: float, K: int) -> CyclicRow:
    gap = trained.at_end(_label(K, step), "loss_gap")
    return CyclicRow(name, step, K, gap.value, gap.low, gap.high)


def _blamed(problem: Network, K: int) -> PredictedTerms:
    assert problem.optimum is not None
    groups = problem.client_gradients(problem.optimum).reshape(K, CLIENTS // K, -1)
    means = groups.mean(axis=1)
    within = float(((groups - means[:, None]) ** 2).sum(axis=-1).mean())
    between = float((means**2).sum(axis=-1).max())
    n = CLIENTS // K
    return PredictedTerms(K, within * (n - COUNT) / (COUNT * max(n - 1, 1)), (K - 1) ** 2 * between)


def _slope(trained: TrainingResult, name: str, step: float, groups: Sequence[int]) -> SlopeOverGroups:
    gaps = np.stack([trained.each(_label(K, step), "loss_gap") for K in groups], axis=1)
    mean = slope_over_replicas(np.asarray(groups, dtype=float), gaps)
    sign = "falls" if mean.high < 0 else "grows" if mean.low > 0 else "not told apart from 0"
    return SlopeOverGroups(name, step, sign, _THEORY[step], mean.value, mean.low, mean.high)


def _verdicts(runs: dict[str, TrainingResult], groups: Sequence[int]) -> list[ReplicaComparison]:
    comparisons = [
        named(runs[name].compare(_label(K, step), _label(1, step), "loss_gap", theory=_THEORY[step]), name)
        for name in runs
        for step in STEPS
        for K in groups[1:]
    ]
    for step in STEPS:
        for K in (1, groups[-1]):
            label = _label(K, step)
            both = TrainingResult(
                {name: runs[name].series[label] for name in ("shuffled", "stochastic")}, runs["shuffled"].last
            )
            comparisons.append(
                named(both.compare("shuffled", "stochastic", "loss_gap", theory=_SHUFFLED), label)
            )
    return comparisons
