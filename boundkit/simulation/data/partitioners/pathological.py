"""A fixed number of classes for each client; the points of a class are divided equally among its clients.

Li, Diao, Chen, He 2021 (arXiv 2102.02079), "quantity-based label imbalance".
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from boundkit.algebra import BoundkitError
from boundkit.algebra.errors import unknown
from boundkit.simulation.data.partitioners.base import (
    SEED,
    Indices,
    Partitioner,
    check_enough_points,
    check_single_labels,
)
from boundkit.simulation.validation import boolean, whole

MODES = ("random", "deterministic", "first-deterministic")


class Pathological(Partitioner):
    """Every client has exactly ``num_classes_per_partition`` classes, c of them, chosen by mode:

    ``random``: without replacement; ``deterministic``: client k has the classes k, ..., k + c - 1, modulo
    their number; ``first-deterministic``, the paper's: class k modulo their number, and c - 1 others at
    random. The points of a class are cut in the order of the data, into pieces whose sizes differ by at most
    1. A class that no client has is left out.

    One seed gives the same clients as PathologicalPartitioner of flwr-datasets 0.6.1 with the same arguments.
    Raises BoundkitError for numbers outside their range, and an unknown mode.
    """

    kind = "pathological"

    def __init__(
        self,
        num_partitions: int,
        num_classes_per_partition: int,
        class_assignment_mode: str = "random",
        shuffle: bool = True,
        seed: int = SEED,
    ) -> None:
        self.num_partitions = whole("num_partitions", num_partitions, 1)
        self.num_classes_per_partition = whole("num_classes_per_partition", num_classes_per_partition, 1)
        if class_assignment_mode not in MODES:
            raise unknown("class_assignment_mode", str(class_assignment_mode), MODES)
        self.class_assignment_mode = class_assignment_mode
        self.shuffle = boolean("shuffle", shuffle)
        self.seed = whole("seed", seed, 0)

    def split(self, y: NDArray[Any], groups: NDArray[Any] | None = None) -> list[Indices]:
        check_single_labels(self.kind, y)
        c, m = self.num_classes_per_partition, self.num_partitions
        check_enough_points(len(y), m, c)
        labels = np.unique(y)
        if c > len(labels):
            raise BoundkitError(
                f"num_classes_per_partition must be at most {len(labels)}, the number of classes, "
                f"but it is {c}."
            )
        rng = np.random.default_rng(self.seed)
        has = np.zeros((m, len(labels)), dtype=bool)
        for k in range(m):
            has[k, self._classes(rng, k, len(labels))] = True
        clients: list[list[Indices]] = [[] for _ in range(m)]
        for label, assigned in zip(labels.tolist(), has.T, strict=True):
            points, owners = np.nonzero(y == label)[0], np.nonzero(assigned)[0]
            if len(owners) > len(points):
                raise BoundkitError(
                    f"class {label} has {len(points)} points, but {len(owners)} clients are to share it; "
                    "take fewer clients or fewer classes for each."
                )
            if len(owners):
                for k, piece in zip(owners.tolist(), np.array_split(points, len(owners)), strict=True):
                    clients[k].append(piece)
        made = [np.concatenate(own) for own in clients]
        if self.shuffle:
            for own in made:
                rng.shuffle(own)
        return made

    def _classes(self, rng: np.random.Generator, k: int, labels: int) -> list[int]:
        c = self.num_classes_per_partition
        if self.class_assignment_mode == "random":
            return [int(a) for a in rng.choice(labels, size=c, replace=False)]
        if self.class_assignment_mode == "deterministic":
            return [(k + i) % labels for i in range(c)]
        chosen = [k % labels]
        while len(chosen) < c:  # redrawn on repeats, as flwr-datasets does
            another = int(rng.choice(labels, size=1)[0])
            if another not in chosen:
                chosen.append(another)
        return chosen
