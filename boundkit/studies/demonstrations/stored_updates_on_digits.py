"""FedVARP and ClusterFedVARP, FedAvg and SCAFFOLD at low participation, with two labels a client.

Fifty clients in ten groups; those of group k have the digits k and k + 1 alone. Five participate. With
eta, tau and the clients the same, theory says of |grad F|^2 in the long run:

FedAvg          12 eta tau L q sigma_g^2/n, the sampling of n = 5 of m = 50, q = (m - n)/(m - 1)
FedVARP         no such term; it keeps drift and noise, and an initial error of stored updates that are 0
ClusterFedVARP  that term, with sigma_K in place of sigma_g, the dissimilarity in a group; its initial error
                is smaller, as ten updates are filled before fifty
SCAFFOLD        neither sampling nor drift by heterogeneity; it starts from controls that are 0 as well

These are terms of upper bounds, and the steps here are longer than their conditions allow, so that they say
which way a difference should go, not how large it is. Where two have the same terms with different constants,
nothing is claimed. The loss is softmax regression with a penalty; clients weigh the same, as in FedVARP.

Jhunjhunwala, Sharma, Nagarkatti, Joshi, arXiv 2207.14130; Karimireddy and others, arXiv 1910.06378.
"""

from __future__ import annotations

from dataclasses import dataclass

from boundkit.analysis.progress import Progress
from boundkit.studies.demonstrations._training import (
    ReplicaComparison,
    Task,
    TrainingRow,
    TrainingSetting,
    train,
)

CLIENTS, LABELS, COMING = 50, 10, 5
CLUSTERS = [list(range(k, CLIENTS, LABELS)) for k in range(LABELS)]
"""Clients with the same two labels."""
_SAMPLING = "lower: no partial participation term"
_INSIDE = "lower: participation with sigma_K"
_SOON = "not said: start-up against participation"
_PAIRS = (
    ("fedvarp", "fedavg", _SOON, _SAMPLING),
    ("clusterfedvarp", "fedavg", _SOON, _INSIDE),
    ("scaffold", "fedavg", _SOON, _SAMPLING),
    ("clusterfedvarp", "fedvarp", "lower: start-up", "higher: participation with sigma_K"),
    ("fedvarp", "scaffold", "not said: unlike constants", "not said: drift, unlike constants"),
)
"""Compared algorithms, and what theory states early and late."""


@dataclass(frozen=True)
class StoredUpdatesOnDigits:
    """``early``: after a tenth of ``rounds``; ``late``: the mean over their last tenth."""

    early: list[TrainingRow]
    late: list[TrainingRow]
    early_comparisons: list[ReplicaComparison]
    late_comparisons: list[ReplicaComparison]
    eta: float
    tau: int
    rounds: int
    replicas: int


def stored_updates_on_digits(
    eta: float = 0.05,
    tau: int = 10,
    *,
    quick: bool = False,
    jobs: int = 1,
    progress: Progress | None = None,
) -> StoredUpdatesOnDigits:
    """All four at one step and one number of local steps, on the same clients and mini-batches."""
    rounds, replicas = (20, 3) if quick else (300, 8)
    partition = {
        "kind": "pathological", "num_partitions": CLIENTS, "num_classes_per_partition": 2,
        "class_assignment_mode": "deterministic",
    }  # fmt: skip
    task = Task(partition, "softmax", batch=10, l2=0.01, equal=True)
    common = {
        "eta": eta, "local_steps": tau, "participation": {"kind": "uniform", "C": COMING / CLIENTS}
    }  # fmt: skip
    settings = [TrainingSetting(name, name, common) for name in ("fedavg", "fedvarp", "scaffold")]
    clustered = TrainingSetting(
        "clusterfedvarp", "clusterfedvarp", {**common, "options": {"clusters": CLUSTERS}}
    )
    late = train(
        task, [*settings, clustered], rounds=rounds, replicas=replicas, looks=20, last=3, jobs=jobs,
        progress=progress,
    )  # fmt: skip
    early = late.until(0.1)
    measure = "gradient_norm_squared"
    return StoredUpdatesOnDigits(
        early.rows(),
        late.rows(),
        [early.compare(a, b, measure, theory=why) for a, b, why, _ in _PAIRS],
        [late.compare(a, b, measure, theory=why) for a, b, _, why in _PAIRS],
        eta, tau, rounds, replicas,
    )  # fmt: skip
