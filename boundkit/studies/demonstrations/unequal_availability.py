"""Client availability correlated with labels: FedAvg's bias, and four algorithms that correct it.

Twenty clients by Dirichlet(0.3). Client i is available with probability q_i = <its label shares, phi>, phi =
0.9 for the digits 0 to 4 and 0.12 for 5 to 9, under four dynamics. FedAvg over the available clients weights
client i by E[1{i available}/number], FedAvg over all by q_i/sum q (fedavg_active_bias, fedavg_all_bias):
neither minimises F = (1/m) sum F_i, and the second has steps that are shorter by the mean q as well. FedAU's
mean intervals and FedAWE's echo weights give each client the mean weight 1; MIFA stores the last update of
each client. The three have no bias for any q, and terms that grow with 1/q, from long absences. FedVARP's
theorem assumes uniform sampling; at its fixed point its stored updates are those of MIFA.

Xiang, Ioannidis, Yeh, Joe-Wong, Su, arXiv 2409.17446, appendix J.3 (theirs: SVHN, CIFAR-10, CINIC-10).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from boundkit.analysis.progress import Progress
from boundkit.simulation.arrays import Array
from boundkit.simulation.problems import Problem
from boundkit.simulation.problems.network import Network
from boundkit.studies.demonstrations._modified_tasks import LossOnlyTask, named
from boundkit.studies.demonstrations._training import (
    ReplicaComparison,
    TrainingResult,
    TrainingSetting,
    staged,
    train,
)

CLIENTS, ALPHA = 20, 0.3
OFTEN, SELDOM = 0.9, 0.12
"""phi for the first half of the classes, and for the second."""
DYNAMICS = ("stationary", "staircase", "sine", "interleaved_sine")
ACTIVE = "fedavg, who came"
ALGORITHMS: dict[str, tuple[str, dict[str, Any]]] = {
    ACTIVE: ("fedavg", {"aggregation": "mean"}),
    "fedavg, all": ("fedavg", {"aggregation": "all"}),
    "fedvarp": ("fedvarp", {}),
    "mifa": ("mifa", {"wait": False}),
    "fedau": ("fedau", {}),
    "fedawe": ("fedawe", {}),
}
THEORY = {
    "fedavg, all": "higher: biased too, and its steps are shorter",
    "fedvarp": "no theorem: asks for uniform sampling",
    "mifa": "lower: no availability bias",
    "fedau": "lower: no availability bias",
    "fedawe": "lower: no availability bias",
}


@dataclass(frozen=True)
class AvailabilityRow:
    """``gap``: F - F*, and ``test_accuracy``, each with its interval."""

    dynamics: str
    algorithm: str
    gap: float
    gap_low: float
    gap_high: float
    test_accuracy: float
    accuracy_low: float
    accuracy_high: float


@dataclass(frozen=True)
class UnequalAvailability:
    """Means over ``replicas`` and over the looks of the last fifth of ``rounds``."""

    table: list[AvailabilityRow]
    comparisons: list[ReplicaComparison]
    rounds: int
    replicas: int


def unequal_availability(
    eta: float = 0.05, *, quick: bool = False, jobs: int = 1, progress: Progress | None = None
) -> UnequalAvailability:
    """Softmax regression with a penalty on the digits, five local steps."""
    # looks are 11 rounds apart, so that they do not fall on the same places of every period of 20
    rounds, replicas, looks, last = (33, 2, 3, 1) if quick else (297, 5, 27, 6)
    dynamics = DYNAMICS[::3] if quick else DYNAMICS
    split = {"kind": "dirichlet", "num_partitions": CLIENTS, "alpha": ALPHA}
    task = LossOnlyTask(split, "softmax", batch=10, l2=0.01, settled=True)
    reports = staged(progress, [len(ALGORITHMS) * replicas] * len(dynamics))
    runs = {
        kind: train(task, _settings(kind, eta), rounds=rounds, replicas=replicas, looks=looks, last=last,
                    jobs=jobs, progress=reports[k])
        for k, kind in enumerate(dynamics)
    }  # fmt: skip
    table = [_row(kind, name, trained) for kind, trained in runs.items() for name in ALGORITHMS]
    comparisons = [verdict for kind, trained in runs.items() for verdict in _verdicts(kind, trained)]
    return UnequalAvailability(table, comparisons, rounds, replicas)


def availability_probabilities(problem: Problem) -> Array:
    """Availability probabilities q_i by the label shares of the clients, (m,)."""
    assert isinstance(problem, Network)
    data = problem.federation
    classes = int(data.y.max()) + 1
    shares = np.zeros((problem.m, classes))
    np.add.at(shares, (data.owner, data.y), 1 / data.sizes[data.owner])
    return np.asarray(shares @ np.where(np.arange(classes) < (classes + 1) // 2, OFTEN, SELDOM))


def _settings(kind: str, eta: float) -> list[TrainingSetting]:
    def participation(problem: Problem) -> dict[str, Any]:
        return {
            "kind": "bernoulli",
            "probabilities": availability_probabilities(problem).tolist(),
            "dynamics": kind,
        }

    return [
        TrainingSetting(
            label, name, {"eta": eta, "local_steps": 5, "participation": participation, "options": options}
        )
        for label, (name, options) in ALGORITHMS.items()
    ]


def _row(kind: str, name: str, trained: TrainingResult) -> AvailabilityRow:
    gap, accuracy = (trained.at_end(name, n) for n in ("loss_gap", "test_accuracy"))
    return AvailabilityRow(
        kind, name, gap.value, gap.low, gap.high, accuracy.value, accuracy.low, accuracy.high
    )


def _verdicts(kind: str, trained: TrainingResult) -> list[ReplicaComparison]:
    gaps = [trained.compare(name, ACTIVE, "loss_gap", theory=THEORY[name]) for name in THEORY]
    accuracies = [
        trained.compare(name, ACTIVE, "test_accuracy", by="difference", theory=_reversed_sign(THEORY[name]))
        for name in THEORY
    ]
    return [named(comparison, kind) for comparison in (*gaps, *accuracies)]


def _reversed_sign(theory: str) -> str:
    """The claim on the accuracy that corresponds to one on the loss."""
    swapped = {"lower": "higher", "higher": "lower"}
    sign, colon, why = theory.partition(":")
    return swapped.get(sign, sign) + colon + why
