"""``boundkit rounds-to-target``: the tables of McMahan et al., for any algorithm and partition."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any

import typer

from boundkit.cli.options import Arrays, AsJson, Backend, Device, Fresh, Jobs, Scheduler, workers_of
from boundkit.cli.output import emit, print_json


def run(
    data: Annotated[str, typer.Option(help="digits, or another data set on this machine")] = "digits",
    model: Annotated[str, typer.Option(help='mlp, softmax, ..., or {"kind": "mlp", "hidden": [64]}')] = "mlp",
    algorithm: Annotated[
        str, typer.Option(help="one or several, with options as in fedprox:mu=0.1")
    ] = "fedavg",
    C: Annotated[
        str, typer.Option("--C", help="fractions of clients that participate in a round; 0 is one client")
    ] = "0.1",
    B: Annotated[
        str, typer.Option("--B", help="sizes of mini-batches; inf is all points of a client")
    ] = "10,inf",
    E: Annotated[str, typer.Option("--E", help="passes of a client over its data in a round")] = "1,5",
    partition: Annotated[
        str, typer.Option(help="iid, dirichlet:ALPHA, shards:COUNT, pathological:CLASSES, natural")
    ] = "iid,shards:2",
    clients: Annotated[int, typer.Option(help="number of clients")] = 100,
    eta: Annotated[
        str | None, typer.Option(help="step sizes; a cell takes its best  [default: 0.1,0.2,0.5,1,2]")
    ] = None,
    target: Annotated[
        str, typer.Option(help="a test accuracy, such as 0.9, or a training loss, such as loss:0.3")
    ] = "0.9",
    rounds: Annotated[int | None, typer.Option(help="the most rounds of a run  [default: 300]")] = None,
    replicas: Annotated[int | None, typer.Option(help="independent runs of a cell  [default: 6]")] = None,
    baseline: Annotated[
        str, typer.Option(help="what speed-ups are relative to: fedsgd (E = 1, B = inf), or first (row)")
    ] = "fedsgd",
    level: Annotated[float, typer.Option(help="confidence level of the intervals")] = 0.95,
    seed: Annotated[int, typer.Option(help="seed of the random streams")] = 0,
    device: Device = "cpu",
    dtype: Annotated[str, typer.Option(help="float32 or float64")] = "float32",
    arrays: Arrays = "auto",
    jobs: Jobs = None,
    backend: Backend = None,
    scheduler: Scheduler = None,
    out: Annotated[
        Path | None, typer.Option(help="records and tables in this folder; a second call resumes")
    ] = None,
    fresh: Fresh = False,
    data_root: Annotated[Path | None, typer.Option(help="the first folder that is searched for data")] = None,
    download: Annotated[
        bool, typer.Option("--download", help="fetch data that are not on this machine")
    ] = False,
    quick: Annotated[
        bool, typer.Option("--quick", help="3 replicas, 3 step sizes, 100 rounds, where not given")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Measure rounds to a target accuracy or loss, in training.

    A row for every algorithm, C, E and B, and a column for every partition: the median over replicas, its
    interval, the speed-up over FedSGD, and the best step size.
    """
    from boundkit.cli.interruption import resumable
    from boundkit.cli.progress import progress
    from boundkit.simulation.atomic_files import refuse_unwritable
    from boundkit.studies.rounds_to_target import compute_cells, make_cells, make_table, write_table
    from boundkit.studies.rounds_to_target.computation import check_level
    from boundkit.studies.rounds_to_target.query import ETAS, QUICK, REPLICAS, ROUNDS, make_query
    from boundkit.studies.rounds_to_target.table import TABLE_FILES

    for file in () if out is None else [out / name for name in TABLE_FILES]:
        refuse_unwritable(file)
    usual: dict[str, Any] = QUICK if quick else {"eta": ETAS, "rounds": ROUNDS, "replicas": REPLICAS}
    given = {"eta": None if eta is None else _numbers("eta", eta), "rounds": rounds, "replicas": replicas}
    request = make_query(
        data, _model(model), clients=clients, target=target, seed=seed, dtype=dtype, device=device,
        arrays=arrays, root=data_root, download=download,
        **usual | {name: value for name, value in given.items() if value is not None},
    )  # fmt: skip
    cells = make_cells(_comma_separated(algorithm), _numbers("C", C), _numbers("B", B), _numbers("E", E),
                        _comma_separated(partition), request.clients, baseline)  # fmt: skip
    options: dict[str, Any] = workers_of(1 if jobs is None and device != "cpu" else jobs, backend, scheduler)
    check_level(level)
    result: dict[Any, Any] = {}
    resumable(result, len(cells), "cells", out, fresh)
    with progress("rounds to target") as report_progress:
        report_progress(0, len(cells))
        for cell, record in compute_cells(request, cells, out, **options, fresh=fresh):
            result[cell] = record
            report_progress(len(result), len(cells))
    table = make_table(request, {cell: result[cell] for cell in cells}, baseline, level)
    files = None if out is None else write_table(table, out)
    if as_json:
        print_json(table.to_dict())
        return
    emit(table.to_text())
    if files is not None:
        emit(f"records, {' and '.join(path.name for path in files)} in {out}")


def _comma_separated(text: str) -> list[str]:
    return [word.strip() for word in text.split(",") if word.strip()]


def _numbers(name: str, text: str) -> list[Any]:
    """Numbers, with inf as a word."""
    from boundkit.algebra import BoundkitError

    result: list[Any] = []
    for word in _comma_separated(text):
        try:
            result.append(word if word in ("inf", "∞") else json.loads(word))
        except ValueError:
            raise BoundkitError(
                f"{name} must be numbers, such as {name}=1,5, but {word!r} is none."
            ) from None
    return result


def _model(text: str) -> Any:
    """A name, or an object in JSON."""
    from boundkit.algebra import BoundkitError

    if not text.startswith("{"):
        return text
    try:
        return json.loads(text)
    except ValueError:
        raise BoundkitError(f"the model {text!r} is not JSON.") from None
