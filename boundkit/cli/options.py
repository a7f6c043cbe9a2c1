"""Arguments and options that several commands share, and the checks that go with them."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from boundkit.cli import completion

VALUES = (
    "name=value; a value is 3, or 1,2,5, or start:stop:count, or start:stop:count:log; "
    "vectors are tau_i=2,5,9"
)
"""The forms of a value, for help."""
SETTINGS = (
    "name=value; several values are 1,2,5 or start:stop:count or start:stop:count:log; "
    "a value may be a number, a word, true, false, null or a list in brackets"
)
"""The same of a setting of a run."""


def check_device(device: str) -> str:
    """The device. Raises BoundkitError for cuda where there is no GPU, whether or not it would be used."""
    if device != "cpu":
        from boundkit.simulation.engines.replica_rounds import resolve_device

        resolve_device(device)
    return device


TheoremName = Annotated[
    str,
    typer.Argument(metavar="THEOREM", help="a theorem of boundkit list", autocompletion=completion.theorems),
]
Values = Annotated[
    list[str] | None,
    typer.Argument(metavar="[name=value]...", help=VALUES, autocompletion=completion.assignments),
]
Eta = Annotated[str | None, typer.Option(help="rule for the client's step size, such as 'sqrt(m/(tau*T))/L'")]
ServerEta = Annotated[str | None, typer.Option("--eta_s", help="rule for the server's step size")]
Picture = Annotated[
    Path | None,
    typer.Option("--plot", metavar="FILE", help="draw it: .pdf, .svg or .png, all three without a suffix"),
]
Preset = Annotated[
    str,
    typer.Option(
        help="style of figures: presentation, paper (one column, 8 pt) or dark",
        autocompletion=completion.choices("presentation", "paper", "dark"),
    ),
]
AsJson = Annotated[bool, typer.Option("--json", help="print JSON")]
AllTheorems = Annotated[bool, typer.Option("--all", help="every theorem of the catalogue")]

RunFile = Annotated[Path, typer.Argument(metavar="RUN.json", help="the run; docs/run_file.md has its fields")]
Algorithm = Annotated[
    str,
    typer.Argument(
        help="such as fedavg; docs/algorithms.md has them all", autocompletion=completion.algorithms
    ),
]
Engine = Annotated[
    str,
    typer.Option(
        help="auto, exact, collapsed or step",
        autocompletion=completion.choices("auto", "exact", "collapsed", "step"),
    ),
]
Replicas = Annotated[int, typer.Option(help="independent runs, where the run is random")]
Seed = Annotated[int | None, typer.Option(help="seed of the random streams; the run's own by default")]
Device = Annotated[
    str,
    typer.Option(
        help="cpu, cuda or auto",
        callback=check_device,
        autocompletion=completion.choices("cpu", "cuda", "auto"),
    ),
]
Dtype = Annotated[
    str, typer.Option(help="float64 or float32", autocompletion=completion.choices("float64", "float32"))
]

Jobs = Annotated[
    int | None, typer.Option(help="worker processes; one for each available processor by default")
]
Backend = Annotated[
    str | None,
    typer.Option(help="of the workers: loky (processes, the default), threading, multiprocessing, dask, ray"),
]
Scheduler = Annotated[str | None, typer.Option(metavar="ADDRESS", help="of a running dask or ray cluster")]
Fresh = Annotated[bool, typer.Option("--fresh", help="compute again what --out holds already")]
Records = Annotated[
    Path | None, typer.Option(metavar="DIR", help="folder of records; out/records by default")
]


def check_picture(path: Path | None, preset: str) -> None:
    """Raise BoundkitError, before any work, for an unknown preset or a picture that cannot be written."""
    if path is None and preset == "presentation":  # the default: no need of matplotlib
        return
    from boundkit.figures.save import refuse_unwritable_figure
    from boundkit.figures.style import check_preset

    check_preset(preset)
    if path is not None:
        refuse_unwritable_figure(path)


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
    from boundkit.simulation.sweeps.parallel_map import CLUSTERS, chosen_backend, refuse_jobs, usable_cpus

    refuse_jobs(jobs)
    local = chosen_backend(backend, scheduler) not in CLUSTERS
    return {"jobs": usable_cpus() if jobs is None and local else jobs, "backend": backend,
            "scheduler": scheduler}  # fmt: skip
