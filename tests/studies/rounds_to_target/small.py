"""Questions that take a moment: few clients, few points, a linear model."""

from __future__ import annotations

from typing import Any

from boundkit.simulation.data import Dataset, load_dataset
from boundkit.studies.rounds_to_target import GridCell, RoundsQuery, make_cells, make_query


def few_digits(points: int = 240) -> Dataset:
    """The first digits."""
    whole = load_dataset("digits")
    return Dataset("few-digits", whole.X[:points], whole.y[:points], whole.test_X[:90], whole.test_y[:90],
                   10, None, "the first of digits")  # fmt: skip


def small_query(**changed: Any) -> RoundsQuery:
    """Eight clients; softmax regression to an accuracy of 0.6."""
    usual: dict[str, Any] = {"clients": 8, "eta": (0.05, 0.5), "target": 0.6, "rounds": 15, "replicas": 3}
    return make_query(few_digits(), "softmax", **usual | changed)


def small_cells() -> list[GridCell]:
    """FedSGD and FedAvg, on homogeneous clients and on shards."""
    return make_cells("fedavg", 0.5, 10, 2, ["iid", "shards:2"], 8)
