"""Label-flipping clients under client selection by smallest losses, by largest losses and at random.

A share of 30 clients, which may be 0, replaces every label c by 9 - c. Five clients participate in a round:
sampled uniformly, or of 15 candidates those with the largest or the smallest losses. F contains the losses on
flipped labels too, so that the theorems bound the distance to the minimum of this F, and none bounds the test
accuracy on true labels that is shown here. The selection bias of the theorems is an advantage here: where
rho_tilde and rho_bar differ, the model is biased towards the selected clients. With the smallest losses first
these are the majority with true labels, and the price is paid without flipped labels: clients with large
losses are neglected. With the largest losses first they are the clients with flipped labels.

Cho, Wang, Joshi, arXiv 2010.01243, for the selection; the clients are our own.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from boundkit.analysis.progress import Progress
from boundkit.simulation.data import Dataset
from boundkit.studies.demonstrations._modified_tasks import Indices, LossOnlyTask, named
from boundkit.studies.demonstrations._training import (
    ReplicaComparison,
    TrainingResult,
    TrainingSetting,
    staged,
    train,
)

CLIENTS, COUNT, CANDIDATES = 30, 5, 15
SHARES = (0.0, 0.2, 0.4)
UNIFORM = "uniform"
_CHOICE = {"kind": "power_of_choice", "count": COUNT, "d": CANDIDATES}
SELECTIONS: dict[str, dict[str, Any]] = {
    UNIFORM: {"kind": "uniform", "C": COUNT / CLIENTS},
    "largest": _CHOICE,
    "smallest": {**_CHOICE, "lowest": True},
}
_THEORY = {
    ("smallest", False): "worse: rho_bar < 1, and selection bias",
    ("largest", False): "not said: rho_bar > 1 against selection bias",
    ("smallest", True): "better: the bias is to the majority (no theorem)",
    ("largest", True): "worse: the bias is to the liars (no theorem)",
}


@dataclass(frozen=True)
class FlippedTask(LossOnlyTask):
    """The first ``flipped`` clients of a random order replace label c by classes - 1 - c."""

    flipped: int = 0

    def labels(self, data: Dataset, rows: Sequence[Indices], seed: int) -> NDArray[np.int64]:
        labels = np.array(data.y)
        for i in np.random.default_rng(seed).permutation(len(rows))[: self.flipped]:
            labels[rows[i]] = data.classes - 1 - labels[rows[i]]
        return labels


@dataclass(frozen=True)
class FlippingRow:
    """``share``: of clients with flipped labels. ``test_accuracy``, in ``low`` to ``high``, the ``least`` and
    ``most`` of the replicas, and ``test_loss`` are on true labels; ``loss`` is F, on the clients' labels."""

    share: float
    chosen: str
    test_accuracy: float
    low: float
    high: float
    least: float
    most: float
    test_loss: float
    loss: float


@dataclass(frozen=True)
class LabelFlipping:
    """Means over ``replicas`` and the last two looks."""

    table: list[FlippingRow]
    comparisons: list[ReplicaComparison]
    rounds: int
    replicas: int


def label_flipping(
    eta: float = 0.1, *, quick: bool = False, jobs: int = 1, progress: Progress | None = None
) -> LabelFlipping:
    """Softmax regression on the digits, Dirichlet(1), five local steps; at each share of flipped labels."""
    rounds, replicas = (25, 2) if quick else (150, 8)
    settings = [
        TrainingSetting(name, "fedavg", {"eta": eta, "local_steps": 5, "participation": participation})
        for name, participation in SELECTIONS.items()
    ]
    reports = staged(progress, [len(settings) * replicas] * len(SHARES))
    table: list[FlippingRow] = []
    comparisons: list[ReplicaComparison] = []
    for share, report in zip(SHARES, reports, strict=True):
        trained = train(_task(share), settings, rounds=rounds, replicas=replicas, jobs=jobs, progress=report)
        table += [_row(share, name, trained) for name in SELECTIONS]
        comparisons += _verdicts(share, trained)
    return LabelFlipping(table, comparisons, rounds, replicas)


def _task(share: float) -> FlippedTask:
    split = {"kind": "dirichlet", "num_partitions": CLIENTS, "alpha": 1.0, "min_partition_size": 5}
    return FlippedTask(split, "softmax", batch=8, flipped=round(share * CLIENTS))


def _row(share: float, name: str, trained: TrainingResult) -> FlippingRow:
    accuracy, each = trained.at_end(name, "test_accuracy"), trained.each(name, "test_accuracy")
    ends = (float(each.min()), float(each.max()))
    losses = (trained.at_end(name, n).value for n in ("test_loss", "loss"))
    return FlippingRow(share, name, accuracy.value, accuracy.low, accuracy.high, *ends, *losses)


def _verdicts(share: float, trained: TrainingResult) -> list[ReplicaComparison]:
    measures = {"test_accuracy": "difference", "test_loss": "ratio"}
    return [
        named(
            trained.compare(name, UNIFORM, measure, by=by, theory=_THEORY[name, share > 0]),
            f"{share:.0%} lie",
        )
        for measure, by in measures.items()
        for name in ("smallest", "largest")
    ]
