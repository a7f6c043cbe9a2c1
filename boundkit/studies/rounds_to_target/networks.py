"""The problem and the run of a cell. Cells on one partition share its data."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

from boundkit.simulation.data import Dataset, load_dataset, partition
from boundkit.simulation.networks import architecture
from boundkit.simulation.problems.federated_data import Federation
from boundkit.simulation.problems.network import Network
from boundkit.simulation.run import Run, make_run
from boundkit.studies.rounds_to_target.cells import Cell, Question, algorithm_of, partition_of


def network_of(cell: Cell, question: Question) -> Network:
    """The model on the data as the cell divides them; clients go over theirs in an order drawn anew."""
    data, federation = _divided(
        question.data, question.root, question.download, cell.partition, question.clients
    )
    model = architecture(question.model, data.inputs, data.classes)
    made = Network(federation, model, test=(data.test_X, data.test_y), batch=cell.B, order="shuffled")
    return made.leaner()


def run_of(cell: Cell, question: Question, eta: float, network: Network) -> Run:
    """The run of a cell at one step size. Raises BoundkitError for what cannot be run."""
    name, options = algorithm_of(cell.algorithm)
    fraction = cell.C if cell.C else 1 / network.m
    return make_run(
        name, network, rounds=question.cap, eta=eta, local_steps={"epochs": cell.E},
        participation={"kind": "uniform", "C": fraction}, options=options, seed=question.seed,
    )  # fmt: skip


@lru_cache(maxsize=8)
def _data(data: str | Dataset, root: Path | None, download: bool) -> Dataset:
    return data if isinstance(data, Dataset) else load_dataset(data, root, download)


@lru_cache(maxsize=8)
def _divided(
    data: str | Dataset, root: Path | None, download: bool, word: str, clients: int
) -> tuple[Dataset, Federation]:
    found = _data(data, root, download)
    rows = partition(partition_of(word, clients), found.y, found.groups)
    return found, Federation(found.X, found.y, rows)
