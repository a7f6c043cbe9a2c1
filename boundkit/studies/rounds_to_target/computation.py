"""Computation of a table: its cells in parallel, each stored as soon as it is computed, and resumable."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from boundkit.algebra import BoundkitError
from boundkit.analysis.input_file import MOST_RECORD, read_json_text
from boundkit.simulation.atomic_files import write_text
from boundkit.simulation.data import Dataset
from boundkit.simulation.sweeps.result_store import ResultStore, key_of, resumable_map
from boundkit.studies.rounds_to_target.first_passage import Passage
from boundkit.studies.rounds_to_target.query import (
    ETAS,
    REPLICAS,
    ROUNDS,
    Cell,
    Query,
    make_cells,
    make_query,
)
from boundkit.studies.rounds_to_target.step_size_search import network_of, run_of, tune_cell
from boundkit.studies.rounds_to_target.table import Table, make_table, write_table

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
    jobs: int | None = 1,
    backend: str | None = None,
    scheduler: str | None = None,
    out: str | Path | None = None,
    fresh: bool = False,
    root: Path | None = None,
    download: bool = False,
) -> Table:
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
    dtype, device : str
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
                     seed=seed, dtype=dtype, device=device, root=root, download=download)  # fmt: skip
    cells = make_cells(algorithm, C, B, E, partition, query.clients, baseline)
    folder = None if out is None else Path(out)
    computed = dict(compute_cells(query, cells, folder, jobs, backend, scheduler, fresh))
    table = make_table(query, {cell: computed[cell] for cell in cells}, baseline, level)
    if folder is not None:
        write_table(table, folder)
    return table


def compute_cells(
    query: Query,
    cells: Sequence[Cell],
    out: Path | None = None,
    jobs: int | None = 1,
    backend: str | None = None,
    scheduler: str | None = None,
    fresh: bool = False,
) -> Iterator[tuple[Cell, Record]]:
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


def check_cells(query: Query, cells: Sequence[Cell]) -> None:
    """Refuse a cell that cannot be run, data without test points, and a target that is met at the start."""
    for cell in cells:
        try:
            network = network_of(cell, query)
            if query.target.rises and (network.test is None or not len(network.test[0])):
                raise BoundkitError("these data have no test points; take a loss as the target.")
            run = run_of(cell, query, query.etas[0], network)
            start = Passage(run, network, query.target, 1, query.dtype, query.device).at_start()
        except BoundkitError as error:
            raise BoundkitError(f"{error} This is at {cell}.") from None
        if query.target.met(start):
            raise BoundkitError(
                f"the target, {query.target}, is met before the first round, where it is {start:.4g}."
            )


def check_level(level: float) -> None:
    """Refuse a level that is not between 0 and 1."""
    if not 0 < level < 1:
        raise BoundkitError(f"level must be between 0 and 1, but it is {level:g}.")
