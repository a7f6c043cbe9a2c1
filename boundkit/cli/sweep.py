"""``boundkit sweep``: one run at many settings, shared out, resumed, and a table at the end."""

from __future__ import annotations

import sys
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from boundkit.cli import completion
from boundkit.cli.options import (
    SETTINGS,
    Algorithm,
    Arrays,
    AsJson,
    Backend,
    Device,
    Dtype,
    Engine,
    Fresh,
    Jobs,
    Replicas,
    RunFile,
    Scheduler,
    Seed,
    workers_of,
)
from boundkit.cli.output import emit, print_json, print_table, warn_of_replicas

if TYPE_CHECKING:
    from boundkit.simulation.sweeps.simulations import SweepPoint, SweepRow

_MANY = 100_000
"""Local steps of a run from which it is measured how long it takes."""
_HEADINGS = {"loss_gap": "F - inf F", "gradient_norm_squared": "|grad F|^2", "distance_squared": "|x - x*|^2"}


def run(
    algorithm: Algorithm,
    run_file: RunFile,
    words: Annotated[
        list[str] | None,
        typer.Argument(metavar="[name=value]...", help=SETTINGS, autocompletion=completion.settings),
    ] = None,
    engine: Engine = "step",
    replicas: Replicas = 1,
    seed: Seed = None,
    device: Device = "cpu",
    dtype: Dtype = "float64",
    arrays: Arrays = "auto",
    jobs: Jobs = None,
    backend: Backend = None,
    scheduler: Scheduler = None,
    out: Annotated[
        Path | None, typer.Option(help="records and a table in this folder; a second call resumes")
    ] = None,
    fresh: Fresh = False,
    as_json: AsJson = False,
) -> None:
    """Run an algorithm at every combination of settings.

    The final losses and distances, with standard errors. Settings are eta, eta_s, local_steps (or tau),
    rounds (or T), seed, C, noise and the algorithm's options.
    """
    from boundkit.cli.interruption import resumable
    from boundkit.cli.parameter_values import read_axes
    from boundkit.cli.progress import logged, progress
    from boundkit.simulation.atomic_files import refuse_unwritable
    from boundkit.simulation.run_file import read_run
    from boundkit.simulation.sweeps.simulations import (
        TABLE,
        grid_points,
        refuse_other_table,
        simulate_all,
        write_table,
    )  # fmt: skip

    if out is not None:
        refuse_unwritable(out / TABLE)
    points = grid_points(read_run(algorithm, run_file, seed), read_axes(words or []))
    if out is not None and not fresh:
        refuse_other_table(points, out)
    workers = workers_of(jobs, backend, scheduler)
    options = {"engine": engine, "replicas": replicas, "device": device, "dtype": dtype, "arrays": arrays}
    rows: list[SweepRow] = []
    resumable(rows, len(points), "runs", out, fresh)
    if len(points) > 1:
        logged(f"{len(points)} runs")
    with progress(f"sweep {algorithm}{_duration(points, options)}") as report_progress:
        report_progress(0, len(points))
        for row in simulate_all(points, out, **workers, fresh=fresh, **options):  # type: ignore[arg-type]
            rows.append(row)
            report_progress(len(rows), len(points))
    rows.sort(key=lambda row: row.place)
    if replicas > 1 and all(error == 0 for row in rows for _, error in row.final.values()):
        warn_of_replicas()
    table = None if out is None else write_table(rows, out)
    if as_json:
        print_json([row.to_dict() for row in rows])
        return
    _print(rows)
    if table is not None:
        emit(f"\nrecords and {table.name} in {out}")


def _duration(points: list[SweepPoint], options: dict[str, Any]) -> str:
    """On a terminal, how long a run of many steps takes: workers do not tell how far they are."""
    from boundkit.simulation.sweeps.simulations import expected_seconds

    longest = max((point.run for point in points), key=lambda run: run.rounds * int(run.local_steps.max()))
    steps = longest.rounds * int(longest.local_steps.max()) * int(options["replicas"])
    if len(points) == 1 or steps < _MANY or not sys.stderr.isatty():
        return ""
    seconds = expected_seconds(longest, **options)
    return "" if seconds is None else f", the longest run about {timedelta(seconds=round(seconds))}"


def _print(rows: list[SweepRow]) -> None:
    """The settings of more than one value, how each run ended, and the numbers of the last round."""
    settings = [n for n, value in rows[0].settings.items() if any(r.settings[n] != value for r in rows)]
    observables = list(dict.fromkeys(name for row in rows for name in row.final))
    header = [*settings, "outcome", *(_HEADINGS.get(name, name.replace("_", " ")) for name in observables)]
    body = [
        [*(_setting(row.settings[name]) for name in settings), _outcome(row),
         *(_number(row.final.get(name)) for name in observables)]
        for row in rows
    ]  # fmt: skip
    print_table(header, body, left=len(settings) + 1)


def _setting(value: object) -> str:
    from boundkit.report.formatting import format_number

    plain = isinstance(value, (int, float)) and not isinstance(value, bool)
    return format_number(value) if plain else str(value)


def _outcome(row: SweepRow) -> str:
    return "done" if row.diverged_at is None else f"diverged in round {row.diverged_at}"


def _number(result: tuple[float, float | None] | None) -> str:
    """Mean +- standard error; a dash where the run has no such number."""
    if result is None:
        return "-"
    mean, error = result
    return f"{mean:.6g}" if not error else f"{mean:.4g} +- {error:.1g}"
