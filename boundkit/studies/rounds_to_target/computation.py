"""Computation of a table: its cells in parallel, each stored as soon as it is computed, and resumable.

The step size of a cell is the one of the grid with the least median of rounds. A step size that can no longer
be the best is abandoned, which changes neither the choice nor the results of the best: a replica that has not
reached the target after round t needs more than t rounds.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from statistics import median as middle
from typing import Any

import numpy as np

from boundkit.algebra import BoundkitError
from boundkit.analysis.input_file import MOST_RECORD, read_json_text
from boundkit.simulation.arrays import Array
from boundkit.simulation.atomic_files import write_text
from boundkit.simulation.data import Dataset, load_dataset, partition
from boundkit.simulation.networks import architecture
from boundkit.simulation.problems.federated_data import Federation
from boundkit.simulation.problems.network import Network
from boundkit.simulation.run import Run, make_run
from boundkit.simulation.sweeps.result_store import ResultStore, key_of, resumable_map
from boundkit.studies.rounds_to_target.first_passage import (
    FirstPassageEngine,
    crossing_time,
    cumulative_best,
    median,
)
from boundkit.studies.rounds_to_target.query import (
    ETAS,
    REPLICAS,
    ROUNDS,
    GridCell,
    RoundsQuery,
    make_cells,
    make_query,
    parse_algorithm,
    parse_partition,
)
from boundkit.studies.rounds_to_target.table import RoundsTable, make_table, write_table


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


def tune_cell(cell: GridCell, query: RoundsQuery) -> dict[str, Any]:
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
        passage = FirstPassageEngine(
            run, network, query.target, query.replicas, query.dtype, query.device, query.arrays
        )
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


def _try_step_size(passage: FirstPassageEngine, eta: float, least: float) -> _Trial:
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


def _rank(trial: _Trial, query: RoundsQuery) -> tuple[bool, float, float]:
    """Sort key, the least is best: an uncensored median, then a small one, then the best level."""
    result = median(trial.rounds, query.cap)
    level = float(middle(np.nan_to_num(trial.best, nan=-np.inf if query.target.rises else np.inf)))
    return result.censored, result.value, -level if query.target.rises else level


def _numbers(levels: Array) -> Any:
    """Nested lists for JSON, with null for nan."""
    objects = levels.astype(object)
    objects[np.isnan(levels)] = None
    return objects.tolist()


def network_of(cell: GridCell, query: RoundsQuery) -> Network:
    """The model on the data as the cell partitions them, reshuffled in every epoch."""
    data, federation = _partitioned(query.data, query.root, query.download, cell.partition, query.clients)
    model = architecture(query.model, data.inputs, data.classes)
    network = Network(federation, model, test=(data.test_X, data.test_y), batch=cell.B, order="shuffled")
    return network.leaner()


def run_of(cell: GridCell, query: RoundsQuery, eta: float, network: Network) -> Run:
    """Run of a cell at one step size. Raises BoundkitError where it cannot be run."""
    name, options = parse_algorithm(cell.algorithm)
    fraction = cell.C if cell.C else 1 / network.m
    return make_run(
        name, network, rounds=query.cap, eta=eta, local_steps={"epochs": cell.E},
        participation={"kind": "uniform", "C": fraction}, options=options, seed=query.seed,
    )  # fmt: skip


@lru_cache(maxsize=8)
def _load_dataset(data: str | Dataset, root: Path | None, download: bool) -> Dataset:
    return data if isinstance(data, Dataset) else load_dataset(data, root, download)


@lru_cache(maxsize=8)
def _partitioned(
    data: str | Dataset, root: Path | None, download: bool, partitioner: str, clients: int
) -> tuple[Dataset, Federation]:
    """Data set and its partition; shared by all cells on one partition."""
    loaded = _load_dataset(data, root, download)
    rows = partition(parse_partition(partitioner, clients), loaded.y, loaded.groups)
    return loaded, Federation(loaded.X, loaded.y, rows)


Record = Mapping[str, Any]


def rounds_to_target(
    data: str | Dataset = "digits",
    model: str | Mapping[str, Any] = "mlp",
    *,
    algorithm: str | Sequence[str] = "fedavg",
    C: float | Sequence[float] = 0.1,
    B: Any = (10, None),
    E: float | Sequence[float] = (1, 5),
    partition: str | Sequence[str] = ("iid", "shards:2"),
    clients: int = 100,
    eta: float | Sequence[float] = ETAS,
    target: float | str = 0.9,
    rounds: int = ROUNDS,
    replicas: int = REPLICAS,
    baseline: str = "fedsgd",
    level: float = 0.95,
    seed: int = 0,
    dtype: str = "float32",
    device: str = "cpu",
    arrays: str = "auto",
    jobs: int | None = 1,
    backend: str | None = None,
    scheduler: str | None = None,
    out: str | Path | None = None,
    fresh: bool = False,
    root: Path | None = None,
    download: bool = False,
) -> RoundsTable:
    """Compute the rounds until a target is reached, by algorithm, C, B, E and partition, with speed-ups.

    Parameters
    ----------
    data : str or Dataset
        The data set, or its name.
    model : str or mapping
        A name, or the ``model`` field of a RUN.json.
    algorithm : str or sequence of str
        Names, with options as in "fedprox:mu=0.1".
    C, B, E
        Fractions of participating clients (0 is one client), batch sizes (None is all points of a client),
        and local epochs; each one value or several.
    partition : str or sequence of str
        "iid", "dirichlet:0.3", "shards:2", "pathological:2" or "natural".
    clients : int
        The number of clients.
    eta : float or sequence of float
        The grid of which each cell takes its best.
    target : float or str
        A test accuracy, or "loss:0.3".
    rounds : int
        The largest number of rounds.
    replicas : int
        Runs of each cell.
    baseline : str
        "fedsgd" (at the same C) or "first" (the first row).
    level : float
        The confidence level of intervals.
    seed : int
        Of the runs.
    dtype, device, arrays : str
        As for ``simulate``.
    jobs, backend, scheduler
        As for a sweep: worker processes, or a cluster.
    out : path, optional
        A folder in which computed cells and the table are stored, and from which a second call resumes.
    fresh : bool
        Whether cells in ``out`` are computed again.
    root : path, optional
        The folder of data sets.
    download : bool
        Whether a missing data set is downloaded.

    Returns
    -------
    Table
        A row for each cell.

    Raises
    ------
    BoundkitError
        For invalid arguments, before anything runs.

    Examples
    --------
    >>> import boundkit as bk
    >>> bk.rounds_to_target("digits", C=0.1, B=10, E=1, out="rounds")  # doctest: +SKIP
    """
    check_level(level)
    query = make_query(data, model, clients=clients, eta=eta, target=target, rounds=rounds, replicas=replicas,
                       seed=seed, dtype=dtype, device=device, arrays=arrays, root=root,
                       download=download)  # fmt: skip
    cells = make_cells(algorithm, C, B, E, partition, query.clients, baseline)
    folder = None if out is None else Path(out)
    computed = dict(compute_cells(query, cells, folder, jobs, backend, scheduler, fresh))
    table = make_table(query, {cell: computed[cell] for cell in cells}, baseline, level)
    if folder is not None:
        write_table(table, folder)
    return table


def compute_cells(
    query: RoundsQuery,
    cells: Sequence[GridCell],
    out: Path | None = None,
    jobs: int | None = 1,
    backend: str | None = None,
    scheduler: str | None = None,
    fresh: bool = False,
) -> Iterator[tuple[GridCell, Record]]:
    """Compute the record of every cell, in order of completion; with ``out`` each is stored there at once.

    A stored record of the same query and version is read instead of computed, unless ``fresh``. Raises
    BoundkitError, before anything runs, where a cell cannot be run.
    """
    store = None if out is None else ResultStore(out, fresh)
    check_cells(query, cells)
    keys = [key_of("studies", cell=cell.to_json(), **query.to_json()) for cell in cells]
    records = resumable_map(
        tune_cell, [(cell, query) for cell in cells], store,
        name=lambda place: f"cell-{keys[place][:16]}.json", key=keys.__getitem__, load=_load, save=_save,
        jobs=jobs, backend=backend, scheduler=scheduler,
    )  # fmt: skip
    for place, record in records:
        yield cells[place], record


def _load(path: Path) -> Record:
    record: Record = json.loads(read_json_text(path, MOST_RECORD))
    return record


def _save(record: Record, path: Path | None) -> Record:
    if path is not None:
        write_text(path, json.dumps(record, allow_nan=False))
    return record


def check_cells(query: RoundsQuery, cells: Sequence[GridCell]) -> None:
    """Refuse a cell that cannot be run, data without test points, and a target that is met at the start."""
    for cell in cells:
        try:
            network = network_of(cell, query)
            if query.target.rises and (network.test is None or not len(network.test[0])):
                raise BoundkitError("these data have no test points; take a loss as the target.")
            run = run_of(cell, query, query.etas[0], network)
            start = FirstPassageEngine(
                run, network, query.target, 1, query.dtype, query.device, query.arrays
            ).at_start()
        except BoundkitError as error:
            raise BoundkitError(f"at {cell}: {error}") from None
        if query.target.met(start):
            raise BoundkitError(
                f"the target, {query.target}, is met before the first round, where it is {start:.4g}."
            )


def check_level(level: float) -> None:
    """Refuse a level that is not between 0 and 1."""
    if not 0 < level < 1:
        raise BoundkitError(f"level must be between 0 and 1, but it is {level:g}.")
