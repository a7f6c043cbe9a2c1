"""Options of every command that shares its work out to workers, and what each means."""

from __future__ import annotations

from typing import Annotated

import typer

Jobs = Annotated[
    int | None, typer.Option(help="workers; all processors that this process may use by default")
]
Backend = Annotated[
    str | None,
    typer.Option(help="who works: loky (processes, the default), threading, multiprocessing, dask or ray"),
]
Scheduler = Annotated[
    str | None, typer.Option(metavar="ADDRESS", help="of a dask or ray cluster that runs already")
]
Fresh = Annotated[bool, typer.Option("--fresh", help="compute again what --out holds already")]


def refuse_without_all(every: bool, **given: object) -> None:
    """Raise BoundkitError for an option that serves many theorems, where one was named."""
    from boundkit.algebra import BoundkitError

    for name, value in given.items():
        if value not in (None, False) and not every:
            raise BoundkitError(f"--{name} goes with --all: one theorem is done here and afresh.")


def workers_of(jobs: int | None, backend: str | None, scheduler: str | None) -> dict[str, int | str | None]:
    """Arguments of ``map_parallel``: on this machine, as many workers as there are processors.

    Raises BoundkitError for less than one worker, before anything is made.
    """
    from boundkit.simulation.sweeps.backends import CLUSTERS, chosen_backend, refuse_jobs, usable_cpus

    refuse_jobs(jobs)
    local = chosen_backend(backend, scheduler) not in CLUSTERS
    return {"jobs": usable_cpus() if jobs is None and local else jobs, "backend": backend,
            "scheduler": scheduler}  # fmt: skip
