"""Step size search of one cell: the step size of the grid with the least median of rounds.

A step size that can no longer be the best is abandoned, which changes neither the choice nor the results of
the best: a replica that has not reached the target after round t needs more than t rounds.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from statistics import median as middle
from typing import Any

import numpy as np

from boundkit.simulation.data import Dataset, load_dataset, partition
from boundkit.simulation.networks import architecture
from boundkit.simulation.problems.federated_data import Federation
from boundkit.simulation.problems.network import Network
from boundkit.simulation.run import Run, make_run
from boundkit.studies.rounds_to_target.first_passage import (
    Array,
    Passage,
    crossing_time,
    cumulative_best,
    median,
)
from boundkit.studies.rounds_to_target.query import Cell, Query, parse_algorithm, parse_partition


@dataclass(frozen=True)
class _Trial:
    """One step size: rounds of each replica (None: target not reached), and the best level of each."""

    eta: float
    rounds: list[float | None]
    levels: Array
    best: Array
    diverged: int
    abandoned: bool

    def to_json(self) -> dict[str, Any]:
        return {"eta": self.eta, "rounds": self.rounds, "best": _numbers(self.best),
                "walked": self.levels.shape[1] - 1, "diverged": self.diverged,
                "given_up": self.abandoned}  # fmt: skip


def tune_cell(cell: Cell, query: Query) -> dict[str, Any]:
    """Record of a cell: the results of every step size, and the curves of the best, ``chosen``.

    ``rounds``: of each replica, null where it exceeds the cap (or ``walked``, the simulated rounds, where the
    step size was abandoned, ``given_up``). ``best``: the best level of each replica; ``curves``: its level
    after rounds 0, 1, ..., null once it diverged. ``steps``: mean number of local steps per round.
    """
    network = network_of(cell, query)
    trials: dict[float, _Trial] = {}
    chosen, least = query.etas[0], (True, float("inf"), 0.0)
    random = True
    for eta in from_middle_outwards(query.etas):
        run = run_of(cell, query, eta, network)
        passage = Passage(run, network, query.target, query.replicas, query.dtype, query.device)
        random = passage.random
        trials[eta] = _try_step_size(passage, eta, float("inf") if least[0] else least[1])
        rank = _rank(trials[eta], query)
        if rank < least or len(trials) == 1:
            chosen, least = eta, rank
    steps = network.epochs([cell.E] * network.m)
    return {"cell": cell.to_json(), "random": random, "steps": float(np.mean(steps)), "chosen": chosen,
            "etas": [trials[eta].to_json() for eta in query.etas],
            "curves": _numbers(trials[chosen].levels)}  # fmt: skip


def from_middle_outwards(etas: Sequence[float]) -> list[float]:
    """Order a grid from its middle, where the best is expected, outwards.

    >>> from_middle_outwards([1, 2, 3, 4, 5])
    [3, 2, 4, 1, 5]
    """
    centre = (len(etas) - 1) / 2
    return [etas[i] for i in sorted(range(len(etas)), key=lambda i: (abs(i - centre), i))]


def _try_step_size(passage: Passage, eta: float, least: float) -> _Trial:
    """Simulate one step size, abandoned once its median cannot be below ``least``."""
    replicas = passage.replicas if passage.random else 1
    abandoned = False

    def stop(t: int, late: int) -> bool:
        nonlocal abandoned
        lower_bound = middle([0.0] * (replicas - late) + [float(t)] * late)
        abandoned = abandoned or lower_bound >= least
        return lower_bound >= least

    target = passage.target
    levels = passage.levels(stop)
    rounds = [crossing_time(own, target.level, target.rises) for own in levels]
    best = cumulative_best(levels, target.rises)[:, -1]
    return _Trial(eta, rounds, levels, best, passage.diverged, abandoned)


def _rank(trial: _Trial, query: Query) -> tuple[bool, float, float]:
    """Sort key, the least is best: an uncensored median, then a small one, then the best level."""
    result = median(trial.rounds, query.cap)
    level = float(middle(np.nan_to_num(trial.best, nan=-np.inf if query.target.rises else np.inf)))
    return result.censored, result.value, -level if query.target.rises else level


def _numbers(levels: Array) -> Any:
    """Nested lists for JSON, with null for nan."""
    objects = levels.astype(object)
    objects[np.isnan(levels)] = None
    return objects.tolist()


def network_of(cell: Cell, query: Query) -> Network:
    """The model on the data as the cell partitions them, reshuffled in every epoch."""
    data, federation = _partitioned(query.data, query.root, query.download, cell.partition, query.clients)
    model = architecture(query.model, data.inputs, data.classes)
    network = Network(federation, model, test=(data.test_X, data.test_y), batch=cell.B, order="shuffled")
    return network.leaner()


def run_of(cell: Cell, query: Query, eta: float, network: Network) -> Run:
    """Run of a cell at one step size. Raises BoundkitError where it cannot be run."""
    name, options = parse_algorithm(cell.algorithm)
    fraction = cell.C if cell.C else 1 / network.m
    return make_run(
        name, network, rounds=query.cap, eta=eta, local_steps={"epochs": cell.E},
        participation={"kind": "uniform", "C": fraction}, options=options, seed=query.seed,
    )  # fmt: skip


@lru_cache(maxsize=8)
def _load(data: str | Dataset, root: Path | None, download: bool) -> Dataset:
    return data if isinstance(data, Dataset) else load_dataset(data, root, download)


@lru_cache(maxsize=8)
def _partitioned(
    data: str | Dataset, root: Path | None, download: bool, partitioner: str, clients: int
) -> tuple[Dataset, Federation]:
    """Data set and its partition; shared by all cells on one partition."""
    loaded = _load(data, root, download)
    rows = partition(parse_partition(partitioner, clients), loaded.y, loaded.groups)
    return loaded, Federation(loaded.X, loaded.y, rows)
