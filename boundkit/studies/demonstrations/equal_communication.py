"""Local SGD against minibatch SGD at equal communication: K steps of batch b, or one step of batch K b.

Both see K b points of each client in a round, and send one vector. Each has its step tuned for each horizon
on one grid, on replicas of their own. What theory says at the best steps, to leading order,
where losses are convex:

homogeneous      both have the noise sqrt(L gap sigma^2/(m K b T)). Minibatch SGD has L gap/T beside it, one
                 step a round. Local SGD takes K steps a round and pays with noise drift alone: neither is
                 best in general, and local SGD is ahead where noise is small.
heterogeneous    local SGD has client drift as well, as (sigma_g/T)^(2/3), which K and b do not lower; the
                 L gap/T of minibatch SGD falls faster. So minibatch SGD is ahead in a run that is long
                 enough; of a short one the bounds do not say.

Ten clients, full participation; softmax regression with a penalty. ``alike``: a random partition. ``unlike``:
one digit a client.

Woodworth, Patel, Srebro, arXiv 2006.04735 (heterogeneous clients); Woodworth and others,
arXiv 2002.07839 (homogeneous).
"""

from __future__ import annotations

from dataclasses import dataclass

from boundkit.analysis.progress import Progress
from boundkit.studies.demonstrations._training import (
    ReplicaComparison,
    Task,
    TrainingRow,
    TrainingSetting,
    TunedSetting,
    staged,
    train,
    tune,
)

CLIENTS, K, BATCH = 10, 16, 8
STEPS = (0.05, 0.1, 0.2, 0.4, 0.8, 1.6, 3.2, 6.4)
"""The grid of both."""
PARTITIONS = {
    "alike": {"kind": "iid", "num_partitions": CLIENTS},
    "unlike": {
        "kind": "pathological", "num_partitions": CLIENTS, "num_classes_per_partition": 1,
        "class_assignment_mode": "deterministic",
    },
}  # fmt: skip
_THEORY = {
    ("alike", False): "lower where noise is small: K steps a round",
    ("alike", True): "lower where noise is small: K steps a round",
    ("unlike", False): "not said: client drift against L gap/T",
    ("unlike", True): "higher: client drift",
}


@dataclass(frozen=True)
class EqualCommunication:
    """Settings end in their clients and the rounds T; ``end``: in the mean over the last fifth of rounds."""

    tuned: list[TunedSetting]
    end: list[TrainingRow]
    comparisons: list[ReplicaComparison]
    steps_a_round: int
    batch: int
    replicas: int


def equal_communication(
    *, quick: bool = False, jobs: int = 1, progress: Progress | None = None
) -> EqualCommunication:
    """A short and a long run, of alike and of heterogeneous clients."""
    replicas, tries = (2, 1) if quick else (8, 2)
    horizons = (3, 12) if quick else (10, 100)
    grid = STEPS[3:6] if quick else STEPS
    stage = [len(grid) * tries, len(grid) * tries, 2 * replicas]
    reports = iter(staged(progress, stage * (len(PARTITIONS) * len(horizons))))
    tuned: list[TunedSetting] = []
    rows: list[TrainingRow] = []
    comparisons: list[ReplicaComparison] = []
    for clients, partition in PARTITIONS.items():
        task = Task(partition, "softmax", batch=BATCH, l2=0.003)
        for rounds in horizons:
            chosen = []
            for name, make in (("local", _local), ("minibatch", _minibatch)):
                label = f"{name}, {clients}, T = {rounds}"
                setting, choice = tune(
                    task, label, grid, make, rounds=rounds, replicas=tries, jobs=jobs, progress=next(reports)
                )
                chosen.append(setting)
                tuned.append(choice)
            trained = train(task, chosen, rounds=rounds, replicas=replicas, jobs=jobs, progress=next(reports))
            rows += trained.rows()
            theory = _THEORY[clients, rounds == max(horizons)]
            comparisons.append(trained.compare(chosen[0].label, chosen[1].label, theory=theory))
    return EqualCommunication(tuned, rows, comparisons, K, BATCH, replicas)


def _local(eta: float) -> TrainingSetting:
    return TrainingSetting("local", "fedavg", {"eta": eta, "local_steps": K})


def _minibatch(eta: float) -> TrainingSetting:
    return TrainingSetting("minibatch", "minibatch_sgd", {"eta": eta}, batch=K * BATCH)
