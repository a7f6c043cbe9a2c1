"""The cells of a table, worked on by whom there is, and each kept as soon as it is done."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from boundkit.algebra import BoundkitError
from boundkit.analysis.input_file import MOST_RECORD, read_json_text
from boundkit.simulation.data import Dataset
from boundkit.simulation.sweeps.result_store import Store, key_of
from boundkit.simulation.sweeps.resumable_map import resumable_map, write_text
from boundkit.studies.rounds_to_target.cells import Cell, Question
from boundkit.studies.rounds_to_target.first_passage import Passage
from boundkit.studies.rounds_to_target.networks import network_of, run_of
from boundkit.studies.rounds_to_target.output import write_table
from boundkit.studies.rounds_to_target.query import ETAS, REPLICAS, ROUNDS, asked_cells, question
from boundkit.studies.rounds_to_target.step_size_search import tuned_cell
from boundkit.studies.rounds_to_target.table import Table, table_of

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
    """Rounds until a target is reached, by algorithm, C, B and E, on each partition, with speed-ups.

    ``data``: a name, or a ``Dataset``. ``model``: a name, or the ``model`` field of a RUN.json.
    ``algorithm``: names, with options as in "fedprox:mu=0.1". ``B`` None is all points of a client, ``C`` 0
    one client. ``partition``: "iid", "dirichlet:0.3", "shards:2", "pathological:2" or "natural". ``eta``: the
    grid of which each cell takes its best. ``target``: a test accuracy, or "loss:0.3". ``rounds``: the cap.
    ``baseline``: "fedsgd" (at the same C) or "first" (the first row). ``level``: of intervals. ``out``: a
    folder in which finished cells and the table are kept, and from which a second call resumes. ``jobs``,
    ``backend`` and ``scheduler`` are those of a sweep.

    Raises BoundkitError, before anything runs, for what cannot be asked.
    """
    checked_level(level)
    asked = question(data, model, clients=clients, eta=eta, target=target, rounds=rounds, replicas=replicas,
                     seed=seed, dtype=dtype, device=device, root=root, download=download)  # fmt: skip
    cells = asked_cells(algorithm, C, B, E, partition, asked.clients, baseline)
    folder = None if out is None else Path(out)
    found = dict(filled(asked, cells, folder, jobs, backend, scheduler, fresh))
    table = table_of(asked, {cell: found[cell] for cell in cells}, baseline, level)
    if folder is not None:
        write_table(table, folder)
    return table


def filled(
    asked: Question,
    cells: Sequence[Cell],
    out: Path | None = None,
    jobs: int | None = 1,
    backend: str | None = None,
    scheduler: str | None = None,
    fresh: bool = False,
) -> Iterator[tuple[Cell, Record]]:
    """Every cell with its record, as they are finished; with ``out`` a record is written there at once.

    What is there already, whole and made of the same question by the same boundkit, is read instead of
    computed, unless ``fresh``. Raises BoundkitError, before anything runs, where a cell cannot be run.
    """
    store = None if out is None else Store(out, fresh)
    check(asked, cells)
    keys = [key_of("studies", cell=cell.to_json(), **asked.to_json()) for cell in cells]
    records = resumable_map(
        tuned_cell, [(cell, asked) for cell in cells], store,
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


def check(asked: Question, cells: Sequence[Cell]) -> None:
    """Refuse, before anything runs, a cell that cannot be run, and a target that is no target."""
    for cell in cells:
        try:
            network = network_of(cell, asked)
            if asked.target.rises and (network.test is None or not len(network.test[0])):
                raise BoundkitError("these data have no test points; take a loss as the target.")
            run = run_of(cell, asked, asked.etas[0], network)
            start = Passage(run, network, asked.target, 1, asked.dtype, asked.device).at_start()
        except BoundkitError as error:
            raise BoundkitError(f"at {cell}: {error}") from None
        if asked.target.met(start):
            raise BoundkitError(
                f"the target, {asked.target}, is met before the first round, where it is {start:.4g}."
            )


def checked_level(level: float) -> None:
    """Refuse a level that is no share between 0 and 1."""
    if not 0 < level < 1:
        raise BoundkitError(f"level must be between 0 and 1, but it is {level:g}.")
