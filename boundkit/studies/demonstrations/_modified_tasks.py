"""Tasks with modified clients, and measures other than the final observables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from boundkit.algebra import BoundkitError
from boundkit.simulation.arrays import Array
from boundkit.simulation.data import Dataset, load_dataset, partition
from boundkit.simulation.problems import Network
from boundkit.studies.demonstrations._training import ReplicaComparison, Task, TrainingResult

Indices = NDArray[np.intp]
_optima: dict[tuple[str, int], Array] = {}


@dataclass(frozen=True)
class LossOnlyTask(Task):
    """A task that observes losses and accuracies, no gradients; clients have equal weights by default.

    ``order``: of mini-batches, as in Network. ``exact``: gradients over all points of a client. ``settled``:
    the optimum is computed, once for all tasks with the same F, so that ``loss_gap`` is observed.
    """

    equal: bool = True
    order: str = "independent"
    exact: bool = False
    settled: bool = False

    def problem(self, seed: int, batch: int | None = None) -> Network:
        """The data divided by ``seed``; ``batch`` instead of the task's where it is given."""
        data = load_dataset(self.data)
        rows = self.rows(data, seed)
        labels = self.labels(data, rows, seed)
        network = Network(
            [(data.X[own], labels[own]) for own in rows],
            self.model,
            batch=None if self.exact else batch or self.batch,
            order=self.order,
            l2=self.l2,
            test=(data.test_X, data.test_y),
            weights=np.full(len(rows), 1 / len(rows)) if self.equal else None,
            classes=data.classes,
        ).leaner()
        if self.settled:
            network.optimum = self._optimum(network, seed)
        return network

    def rows(self, data: Dataset, seed: int) -> list[Indices]:
        """The points of each client."""
        own = {"seed": seed} if "seed" not in self.partition else {}
        return partition({**self.partition, **own}, data.y, data.groups)

    def labels(self, data: Dataset, rows: Sequence[Indices], seed: int) -> NDArray[np.int64]:
        """The labels that clients use, (N,): the true ones."""
        return data.y

    def _optimum(self, network: Network, seed: int) -> Array:
        """The optimum of F, which does not depend on mini-batches."""
        key = (repr(replace(self, batch=None, order="independent", exact=False)), seed)
        if key not in _optima:
            best = network.with_optimum().optimum
            assert best is not None
            _optima[key] = best
        return _optima[key]


def with_measure(trained: TrainingResult, name: str, values: Mapping[str, Array]) -> TrainingResult:
    """Add an observable with one number per replica, (R,), for every setting."""
    series = {
        label: {**own, name: np.repeat(values[label][:, None], trained.last, axis=1)}
        for label, own in trained.series.items()
    }
    return replace(trained, series=series)


def first_index_below(values: Array, level: Array) -> Array:
    """First index at which each replica, (R, n), is at or below its level, (R,): (R,).

    n where it never is, which is a lower bound.
    """
    if len(values) != len(level):
        raise BoundkitError(f"{len(values)} replicas need as many levels, but there are {len(level)}.")
    met = values <= level[:, None]
    return np.asarray(np.where(met.any(axis=1), met.argmax(axis=1), values.shape[1]), dtype=np.float64)


def named(comparison: ReplicaComparison, where: Any) -> ReplicaComparison:
    """Append the shared setting to the name of a comparison."""
    return replace(comparison, setting=f"{comparison.setting}, {where}")
